"""Scopes that runs made for themselves are deleted when their days are over.

A scope that somebody has changed since, or shared, is theirs and stays. What is dropped is deleted
as by its owner, with entries in the audit; whoever is killed meanwhile is followed by another.
"""

from datetime import timedelta

from scops.common.access.principal import Principal
from scops.common.contract.errors import Conflict, NotFound
from scops.common.observe.log import get_logger
from scops.gateway.audit.entry import BEGUN, AuditEntry, AuditFact
from scops.gateway.calls import OK, Call
from scops.gateway.handlers.scopes import delete_scope
from scops.gateway.identity.caller import CredentialKind
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.names import scope_name
from scops.gateway.research.keeping import ScopeKeeping
from scops.gateway.scopes.stored_scope import StoredScope

# Of a scope that is being dropped; another gateway takes it up after it.
CLAIM = timedelta(seconds=60)
AT_ONCE = 20
ACTION = "DeleteScope"
log = get_logger("gateway")


async def drop_due(ports: GatewayPorts) -> bool:
    """Drops some of the scopes whose days are over; returns whether there may be more.

    Raises:
        StoreRefusal: something cannot be written; it is tried again.
    """
    now = ports.clock.now()
    found = await ports.research.due(now=now, limit=AT_ONCE)
    for kept in found:
        # Read before it is claimed: one that a run makes anew after that has another etag.
        stored = await ports.scopes.get(kept.organisation_id, kept.scope_id)
        if await ports.research.begin_drop(kept, now=now, until=now + CLAIM):
            await drop(ports, kept, stored)
    return len(found) == AT_ONCE


async def drop(ports: GatewayPorts, kept: ScopeKeeping, stored: StoredScope | None) -> None:
    """Deletes a scope whose drop has begun, and notes so; ends what somebody else began.

    Args:
        stored: the scope as it was before that; None where there was none.
    """
    if (stored is None and not kept.is_dropping) or (stored is not None and is_changed(stored)):
        # Its owner has deleted it, or taken it over.
        await ports.research.let_stand(kept)
        return
    if stored is not None:
        await _delete(ports, kept, stored)
    await ports.research.end_drop(kept, now=ports.clock.now())
    log.info("research_scope_dropped", scope_id=kept.scope_id, keep_days=kept.keep_days)


def is_changed(stored: StoredScope) -> bool:
    """Returns whether a scope is another one than was made, whoever changed it."""
    return stored.updated_time != stored.created_time


async def _delete(ports: GatewayPorts, kept: ScopeKeeping, stored: StoredScope) -> None:
    owner = Principal(principal_id=kept.principal_id, organisation_id=kept.organisation_id)
    now = ports.clock.now()
    call = Call(principal=owner, deadline=now + CLAIM, request_id="")
    why = f"no research used it for {kept.keep_days} days"
    await _audit(ports, kept, BEGUN, why)
    try:
        await delete_scope(ports, call, scope_id=kept.scope_id, etag=stored.etag, reason=why)
    except (Conflict, NotFound) as error:
        # Whoever dropped it at the same time was faster.
        await _audit(ports, kept, "ABORTED", error.reason)
        return
    await _audit(ports, kept, OK, why)


async def _audit(ports: GatewayPorts, kept: ScopeKeeping, outcome: str, reason: str) -> None:
    await ports.audit.append(
        AuditEntry(
            time=ports.clock.now(),
            organisation_id=kept.organisation_id,
            principal=kept.principal_id,
            credential=CredentialKind.NONE,
            action=ACTION,
            resource=scope_name(kept.scope_id),
            outcome=outcome,
            request_id="",
            facts=(AuditFact("reason", reason),),
        )
    )
