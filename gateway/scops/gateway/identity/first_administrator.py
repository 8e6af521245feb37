"""The first administrator: whoever has the token that a start without any printed."""

import base64
import hashlib
import random
from datetime import timedelta

from scops.common.observe.log import get_logger
from scops.common.runtime.clock import Clock
from scops.gateway.identity.store import IdentityStore

TOKEN_BYTES = 32
LASTS = timedelta(hours=24)
log = get_logger("gateway")


async def offer_claim(
    store: IdentityStore, clock: Clock, chance: random.Random, *, organisation_id: str
) -> None:
    """Prints a token once, where nobody is administrator; a hash of it is kept.

    Args:
        chance: must not be predictable: `random.SystemRandom` outside of tests.
    """
    if await store.has_administrator(organisation_id):
        return
    token = base64.urlsafe_b64encode(chance.randbytes(TOKEN_BYTES)).decode().rstrip("=")
    now = clock.now()
    await store.offer_claim(claim_hash(token), now=now, offered_after=now - LASTS)
    log.warning(
        "first_administrator_wanted",
        command=f"scops identity claim {token}",
        hours=LASTS.total_seconds() / 3600,
    )


def claim_hash(token: str) -> bytes:
    """Returns what is kept of a token."""
    return hashlib.sha256(token.encode()).digest()
