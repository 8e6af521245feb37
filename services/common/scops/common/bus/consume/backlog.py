"""How much the durables of a role have still to acknowledge, and how far they have come."""

from collections.abc import Iterator
from contextlib import contextmanager

from nats.errors import Error
from nats.js import JetStreamContext, api

from scops.common.bus.admin.topology import durables_of
from scops.common.bus.admin.watchdog import consumers_of
from scops.common.bus.ports import DurableProgress
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.ids import monotonic_seconds
from scops.common.contract.service_table import Role

FRESH_SECONDS = 0.5
# What a frame counts for: between those of many hosts, of a few messages, and of one, of 16 or 32.
FRAME_MESSAGES = 8


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

    async def progress(self, role: Role) -> dict[str, DurableProgress]:
        """Returns how far each durable of a role has come, by its name.

        Raises:
            StoreUnavailable: the bus does not answer, or a durable is missing.
        """
        durables = durables_of([role])
        newest: dict[str, int] = {}
        with _told(role):
            for stream in dict.fromkeys(durable.stream for durable in durables):
                newest[stream] = (await self._jetstream.stream_info(stream)).state.last_seq
        # Asked after: what is acknowledged by now includes whatever was there a moment ago.
        found = {info.name: info for info in await self._infos(role)}
        if missing := [durable.name for durable in durables if durable.name not in found]:
            raise StoreUnavailable(
                f"Durables of {role} are missing: {', '.join(missing)}. Run `scops provision`.",
                reason="BUS_UNAVAILABLE",
            )
        return {
            durable.name: _progress(found[durable.name], newest[durable.stream])
            for durable in durables
        }

    async def _count(self, role: Role) -> int:
        framed = {durable.name for durable in durables_of([role]) if durable.framed}
        return sum(
            _owed(info) * (FRAME_MESSAGES if info.name in framed else 1)
            for info in await self._infos(role)
        )

    async def _infos(self, role: Role) -> list[api.ConsumerInfo]:
        durables = durables_of([role])
        names = {durable.name for durable in durables}
        found: list[api.ConsumerInfo] = []
        with _told(role):
            for stream in dict.fromkeys(durable.stream for durable in durables):
                found += await consumers_of(self._jetstream, stream)
        return [info for info in found if info.name in names]


def _owed(info: api.ConsumerInfo) -> int:
    return int(info.num_pending or 0) + int(info.num_ack_pending or 0)


def _progress(info: api.ConsumerInfo, newest: int) -> DurableProgress:
    floor = info.ack_floor.stream_seq if info.ack_floor else 0
    return DurableProgress(newest=newest, done=floor if _owed(info) else newest)


@contextmanager
def _told(role: Role) -> Iterator[None]:
    try:
        yield
    except (Error, OSError, TimeoutError) as error:
        raise StoreUnavailable(
            f"Counting the messages owed to {role} failed: {error!r}.",
            reason="BUS_UNAVAILABLE",
        ) from error
