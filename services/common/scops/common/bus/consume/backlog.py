"""How much the durables of a role have still to acknowledge."""

from nats.errors import Error
from nats.js import JetStreamContext

from scops.common.bus.admin.topology import durables_of
from scops.common.bus.admin.watchdog import consumers_of
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.ids import monotonic_seconds
from scops.common.contract.service_table import Role

FRESH_SECONDS = 0.5


class Backlog:
    """Counts messages pending or in flight; an answer is kept for half a second."""

    def __init__(self, jetstream: JetStreamContext) -> None:
        self._jetstream = jetstream
        self._counts: dict[Role, tuple[float, int]] = {}

    async def __call__(self, role: Role) -> int:
        """Returns the number of messages that a role is owed, on all its durables.

        Raises:
            StoreUnavailable: the bus does not answer.
        """
        known = self._counts.get(role)
        if known is not None and monotonic_seconds() - known[0] < FRESH_SECONDS:
            return known[1]
        count = await self._count(role)
        self._counts[role] = (monotonic_seconds(), count)
        return count

    async def _count(self, role: Role) -> int:
        durables = durables_of([role])
        names = {durable.name for durable in durables}
        count = 0
        try:
            for stream in dict.fromkeys(durable.stream for durable in durables):
                for info in await consumers_of(self._jetstream, stream):
                    if info.name in names:
                        count += int(info.num_pending or 0) + int(info.num_ack_pending or 0)
        except (Error, OSError, TimeoutError) as error:
            raise StoreUnavailable(
                f"Counting the messages owed to {role} failed: {error!r}.",
                reason="BUS_UNAVAILABLE",
            ) from error
        return count
