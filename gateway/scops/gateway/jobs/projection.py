"""Keeps the projection of scopes true to the table, also where the table was put back."""

from scops.common.observe.log import get_logger
from scops.gateway import metrics
from scops.gateway.ports import GatewayPorts

PROJECTION_BATCH = 100
log = get_logger("gateway")


async def project_dirty(ports: GatewayPorts) -> bool:
    """Publishes scopes whose newest revision the projection may lack.

    The mark follows the publication: a crash between the two publishes once more, never less.
    A table that is behind its projection was put back from a backup: it goes on above what the
    projection holds, so that its content counts again.

    Returns:
        Whether there may be more.
    """
    scopes = await ports.scopes.unprojected(PROJECTION_BATCH)
    metrics.UNPROJECTED.set(len(scopes))
    for scope in scopes:
        held = await ports.projection.publish_scope(scope)
        if held is None:
            await ports.scopes.mark_projected(scope)
        elif await ports.scopes.rise_above(scope, held):
            log.warning("scope_behind_projection", scope_id=scope.scope_id, held=held)
    return len(scopes) == PROJECTION_BATCH


async def retract_unknown(ports: GatewayPorts) -> int:
    """Deletes from the projection the scopes that the table does not know; returns how many.

    They were created after the backup that the table was put back from.
    """
    # Read in this order: a scope is in the table before it is in the projection.
    projected = await ports.projection.scope_ids()
    known = await ports.scopes.known_ids()
    unknown = [each for each in projected if each not in known]
    for organisation_id, scope_id in unknown:
        log.warning("scope_unknown_to_table", scope_id=scope_id)
        await ports.projection.retract_scope(organisation_id, scope_id)
    return len(unknown)
