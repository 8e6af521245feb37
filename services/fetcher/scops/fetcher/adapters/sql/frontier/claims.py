"""Claims of hosts: of all organisations on one database server, one at a time asks a host.

A claim is taken in the transaction that leases a host, and left in the one that releases it, with
the pause that the host is to have. A file holds the state of one organisation and has none.
"""

import hashlib
from datetime import datetime, timedelta

from sqlalchemy import bindparam, text
from sqlalchemy.types import LargeBinary, String

from scops.common.db.locks import locks_rows
from scops.common.db.types import UtcDateTime
from scops.fetcher.adapters.sql.transaction import Transaction

_HOST = bindparam("of_host", type_=LargeBinary)
_LEASE = bindparam("of_lease", type_=String)
_UNTIL = bindparam("until", type_=UtcDateTime)
TAKE = (
    text("SELECT scops_hosts.take(:of_host, :of_lease, :now, :until) AS free")
    .bindparams(_HOST, _LEASE, bindparam("now", type_=UtcDateTime), _UNTIL)
    .columns(free=UtcDateTime)
)
LEAVE = text("SELECT scops_hosts.leave(:of_host, :of_lease, :until)").bindparams(
    _HOST, _LEASE, _UNTIL
)
FORGET = text("SELECT scops_hosts.forget(:before)").bindparams(
    bindparam("before", type_=UtcDateTime)
)


async def take_claim(
    tx: Transaction, host_key: str, lease_id: str, *, delay_seconds: float
) -> datetime | None:
    """Claims a host for a lease, or for longer; returns from when it is free if others have it.

    Should nobody leave it, it is free its delay after the lease has run out.
    """
    if not locks_rows(tx.connection):
        return None
    held = timedelta(seconds=tx.rules.settings.lease_seconds + delay_seconds)
    row = await tx.first(
        TAKE, of_host=_digest(host_key), of_lease=lease_id, now=tx.now, until=tx.now + held
    )
    assert row is not None
    free: datetime = row.free
    return free if free > tx.now else None


async def leave_claim(tx: Transaction, host_key: str, lease_id: str, *, free: datetime) -> None:
    """Ends the claim of a lease; the host is free for anybody from an instant on."""
    if locks_rows(tx.connection):
        await tx.execute(LEAVE, of_host=_digest(host_key), of_lease=lease_id, until=free)


async def forget_claims(tx: Transaction, *, before: datetime) -> None:
    """Drops claims of hosts that nobody has asked since."""
    if locks_rows(tx.connection):
        await tx.execute(FORGET, before=before)


def _digest(host_key: str) -> bytes:
    return hashlib.sha256(host_key.encode()).digest()
