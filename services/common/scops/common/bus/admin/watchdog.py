"""Sees to it that streams and durables exist as agreed: what does not makes the process unready."""

from collections.abc import Awaitable, Callable, Iterable, Sequence

from nats.errors import Error
from nats.js import JetStreamContext, api
from nats.js.errors import NotFoundError

from scops.common.bus.admin.drift import described, vital_differences
from scops.common.bus.admin.topology import (
    SCOPE_BUCKET,
    Durable,
    durable_config,
    input_config,
    output_configs,
)
from scops.common.config.settings import CommonSettings
from scops.common.contract.service_table import Role
from scops.common.observe.log import get_logger

log = get_logger(__name__)
# The server lists consumers by pages of this size.
PAGE_SIZE = 256
PAGES_MAX = 40
BUS = "bus"
SCOPES = f"KV_{SCOPE_BUCKET}"


class Watchdog:
    """Checks the streams, the durables and the scopes' bucket of some roles.

    Args:
        on_present: called with each durable that is as it should be, at every check; starts what
            waits for it.
    """

    def __init__(
        self,
        jetstream: JetStreamContext,
        durables: Sequence[Durable],
        roles: Iterable[Role],
        *,
        common: CommonSettings,
        on_present: Callable[[Durable], Awaitable[None]],
    ) -> None:
        self._jetstream = jetstream
        self._durables = durables
        self._outputs = output_configs(roles, common)
        self._common = common
        self._on_present = on_present
        self._problems: dict[str, str] = {BUS: "The bus has not been checked yet."}

    async def problem(self) -> str | None:
        """Returns what is missing, as a readiness check."""
        return "; ".join(text for _, text in sorted(self._problems.items())) or None

    @property
    def may_publish(self) -> bool:
        """Whether what handlers publish has somewhere to go."""
        away = {BUS, *(str(config.name) for config in self._outputs)}
        return not away & self._problems.keys()

    async def check(self) -> None:
        """Checks everything once."""
        problems: dict[str, str] = {}
        try:
            for config in self._outputs:
                await self._check_stream(config, problems)
            for stream in dict.fromkeys(durable.stream for durable in self._durables):
                await self._check_durables(stream, problems)
            await self._check_scopes(problems)
        except (Error, OSError, TimeoutError) as error:
            problems[BUS] = f"The bus does not answer: {error!r}"
        self._tell(problems)
        self._problems = problems

    async def _check_stream(self, wanted: api.StreamConfig, problems: dict[str, str]) -> None:
        name = str(wanted.name)
        try:
            found = (await self._jetstream.stream_info(name)).config
        except NotFoundError:
            problems[name] = _missing("stream", name)
            return
        if different := vital_differences(wanted, found):
            problems[name] = f"The stream {name} is not as agreed: {described(different)}"

    async def _check_durables(self, stream: str, problems: dict[str, str]) -> None:
        await self._check_stream(input_config(stream, self._common), problems)
        if stream in problems:
            return
        present = {info.name: info for info in await consumers_of(self._jetstream, stream)}
        for durable in self._durables:
            if durable.stream != stream:
                continue
            info = present.get(durable.name)
            if info is None:
                problems[durable.name] = _missing("durable", f"{durable.name} of {stream}")
            elif different := vital_differences(durable_config(durable), info.config):
                problems[durable.name] = (
                    f"The durable {durable.name} of {stream} is not as agreed: "
                    f"{described(different)}"
                )
            else:
                await self._on_present(durable)

    async def _check_scopes(self, problems: dict[str, str]) -> None:
        try:
            await self._jetstream.stream_info(SCOPES)
        except NotFoundError:
            problems[SCOPES] = _missing("bucket", SCOPE_BUCKET)

    def _tell(self, problems: dict[str, str]) -> None:
        for name in problems.keys() - self._problems.keys():
            log.error("bus_part_missing", part=name, problem=problems[name])
        for name in self._problems.keys() - problems.keys():
            log.info("bus_part_present", part=name)


def _missing(kind: str, name: str) -> str:
    return f"The {kind} {name} is missing: run `scops provision`"


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
