"""Work of the gateway without a message: outbox, projection, comparison with the ledger."""

from collections.abc import Awaitable, Callable

from scops.common.contract.errors import TransientError
from scops.common.observe.log import get_logger
from scops.gateway import metrics
from scops.gateway.jobs.ledger import reconcile
from scops.gateway.jobs.wake import Wake
from scops.gateway.ports import GatewayPorts

PROJECTION_BATCH = 100
Step = Callable[[], Awaitable[bool]]
_log = get_logger("gateway")


async def repeat(name: str, step: Step, *, wake: Wake, seconds: float) -> None:
    """Runs a step until cancelled: at once while it says there is more, else when woken.

    What cannot be done now (a bus or service that does not answer) is tried again after
    `seconds`; anything else ends the loop, and its runner starts it again.
    """
    while True:
        try:
            more = await step()
        except TransientError as error:
            _log.warning("loop_step_postponed", loop=name, reason=error.reason, why=error.message)
            more = False
        if not more:
            await wake.wait(seconds)


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
    if not scopes:
        return False
    return len(scopes) == PROJECTION_BATCH


async def reconcile_step(ports: GatewayPorts) -> bool:
    """Compares open jobs with the ledger; see `ledger.reconcile`."""
    await reconcile(ports)
    return False
