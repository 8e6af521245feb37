"""Keeps the projection of scopes true to their newest revisions."""

from scops.gateway import metrics
from scops.gateway.ports import GatewayPorts

PROJECTION_BATCH = 100


async def project_dirty(ports: GatewayPorts) -> bool:
    """Publishes scopes whose newest revision the projection may lack.

    The mark follows the publication: a crash between the two publishes once more, never less.

    Returns:
        Whether there may be more.
    """
    scopes = await ports.scopes.unprojected(PROJECTION_BATCH)
    metrics.UNPROJECTED.set(len(scopes))
    for scope in scopes:
        await ports.projection.publish_scope(scope)
        await ports.scopes.mark_projected(scope)
    return len(scopes) == PROJECTION_BATCH
