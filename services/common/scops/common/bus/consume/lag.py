"""What the durables of a stream are owed, as gauges: pending, in flight, and the oldest's age.

Every role that reads a stream shows all of that stream's durables, so that the backlog of a role
that does not run is seen by its neighbours.
"""

from collections.abc import Iterable, Sequence

from nats.errors import Error
from nats.js import JetStreamContext, api
from nats.js.errors import NotFoundError

from scops.common.bus.admin.topology import Durable, durables_of
from scops.common.bus.admin.watchdog import consumers_of
from scops.common.bus.instants import stored_instant
from scops.common.contract.service_table import Role
from scops.common.observe.log import get_logger
from scops.common.observe.metrics import (
    ACK_PENDING,
    OLDEST_UNACKED_SECONDS,
    PENDING,
    STREAM_BYTES,
    STREAM_BYTES_MAX,
)
from scops.common.runtime.clock import Clock

log = get_logger(__name__)


class LagGauges:
    """Shows the backlog of the streams of some durables."""

    def __init__(
        self,
        jetstream: JetStreamContext,
        durables: Iterable[Durable],
        *,
        clock: Clock,
    ) -> None:
        self._jetstream = jetstream
        self._streams = tuple(dict.fromkeys(durable.stream for durable in durables))
        self._clock = clock
        self._known = {durable.name: durable for durable in durables_of(Role)}

    async def show(self) -> None:
        """Sets the gauges once; what cannot be asked keeps its last value."""
        for stream in self._streams:
            try:
                await self._show_stream(stream, await consumers_of(self._jetstream, stream))
            except (Error, OSError, TimeoutError) as error:
                # The watchdog tells what is missing.
                log.debug("lag_unknown", stream=stream, error=repr(error))

    async def _show_stream(self, stream: str, consumers: Sequence[api.ConsumerInfo]) -> None:
        info = await self._jetstream.stream_info(stream)
        STREAM_BYTES.labels(stream).set(info.state.bytes)
        STREAM_BYTES_MAX.labels(stream).set(info.config.max_bytes or 0)
        for consumer in consumers:
            durable = self._known.get(consumer.name)
            # Consumers of others have names without bound.
            if durable is not None:
                await self._show_durable(durable, consumer)

    async def _show_durable(self, durable: Durable, info: api.ConsumerInfo) -> None:
        labels = (durable.role.value, durable.contract.snake_name, durable.queue)
        pending, in_flight = info.num_pending or 0, info.num_ack_pending or 0
        PENDING.labels(*labels).set(pending)
        ACK_PENDING.labels(*labels).set(in_flight)
        age = await self._oldest_seconds(durable, info) if pending or in_flight else 0.0
        OLDEST_UNACKED_SECONDS.labels(*labels).set(age)

    async def _oldest_seconds(self, durable: Durable, info: api.ConsumerInfo) -> float:
        """Returns the age of the first message after the last one acknowledged in a row."""
        floor = info.ack_floor.stream_seq if info.ack_floor else 0
        try:
            found = await self._jetstream.get_msg(
                durable.stream, seq=floor + 1, subject=durable.filter, next=True
            )
        except NotFoundError:
            # It was acknowledged between the two requests.
            return 0.0
        return max((self._clock.now() - stored_instant(found.time)).total_seconds(), 0.0)
