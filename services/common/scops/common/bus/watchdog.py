"""Sees to it that every durable exists: what is missing makes the process unready, and is said."""

from collections.abc import Awaitable, Callable, Sequence

from nats.errors import Error
from nats.js import JetStreamContext, api
from nats.js.errors import NotFoundError

from scops.common.bus.topology import Durable
from scops.common.clock import Clock
from scops.common.log import get_logger

log = get_logger(__name__)
# The server lists consumers by pages of this size.
PAGE_SIZE = 256
PAGES_MAX = 40


class Watchdog:
    """Checks streams and durables at an interval.

    Args:
        on_present: called with each durable that exists, at every check; starts what waits for it.
    """

    def __init__(
        self,
        jetstream: JetStreamContext,
        durables: Sequence[Durable],
        *,
        clock: Clock,
        interval_seconds: float,
        on_present: Callable[[Durable], Awaitable[None]],
    ) -> None:
        self._jetstream = jetstream
        self._durables = durables
        self._clock = clock
        self._interval_seconds = interval_seconds
        self._on_present = on_present
        self._problems: dict[str, str] = {"bus": "The bus has not been checked yet."}

    async def run(self) -> None:
        """Checks until it is cancelled."""
        while True:
            await self.check()
            await self._clock.sleep(self._interval_seconds)

    async def problem(self) -> str | None:
        """Returns what is missing, as a readiness check."""
        return "; ".join(text for _, text in sorted(self._problems.items())) or None

    async def check(self) -> None:
        """Checks every durable once."""
        problems: dict[str, str] = {}
        for stream in dict.fromkeys(durable.stream for durable in self._durables):
            wanted = [durable for durable in self._durables if durable.stream == stream]
            try:
                await self._check_stream(stream, wanted, problems)
            except (Error, OSError, TimeoutError) as error:
                problems["bus"] = f"The bus does not answer: {error!r}"
                break
        self._tell(problems)
        self._problems = problems

    async def _check_stream(
        self, stream: str, wanted: Sequence[Durable], problems: dict[str, str]
    ) -> None:
        try:
            present = {info.name for info in await consumers_of(self._jetstream, stream)}
        except NotFoundError:
            problems[stream] = f"The stream {stream} is missing: run `scops provision`"
            return
        for durable in wanted:
            if durable.name in present:
                await self._on_present(durable)
            else:
                problems[durable.name] = (
                    f"The durable {durable.name} of {stream} is missing: run `scops provision`"
                )

    def _tell(self, problems: dict[str, str]) -> None:
        for name in problems.keys() - self._problems.keys():
            log.error("bus_part_missing", part=name, problem=problems[name])
        for name in self._problems.keys() - problems.keys():
            log.info("bus_part_present", part=name)


async def consumers_of(jetstream: JetStreamContext, stream: str) -> list[api.ConsumerInfo]:
    """Returns every durable of a stream, with what it is owed.

    Raises:
        NotFoundError: there is no such stream.
    """
    found: list[api.ConsumerInfo] = []
    for _ in range(PAGES_MAX):
        page = await jetstream.consumers_info(stream, offset=len(found))
        found.extend(page)
        if len(page) < PAGE_SIZE:
            break
    return found
