"""Use cases of operations: how the parts are, what waits, what was given up and its mending."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from scops.common.bus.ports import BusOperations, BusQueue, GivenUp
from scops.common.contract.errors import ScopsError, StoreUnavailable, TransientError
from scops.common.contract.ids import ChunkId, EventId, monotonic_seconds
from scops.common.contract.messages.change import NewestNewsRequest
from scops.common.contract.messages.crawl import KnownUrlsRequest
from scops.common.contract.messages.explanation import ResolveRequest
from scops.common.contract.messages.retrieval import VectorsRequest
from scops.common.contract.service_table import Role
from scops.common.query.ports import KNOWN_URLS, NEWEST_NEWS, RESOLVE, VECTORS
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import checked_page_size

# For one part to answer; whoever looks at the page waits no longer.
PART_SECONDS = 3.0
BUS = "bus"
NO_CHUNK = ChunkId("health")
# Roles that answer no question: their queues tell whether somebody consumes.
BY_QUEUES = (Role.EXTRACTOR, Role.INDEXER)

Probe = Callable[[], Awaitable[str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """What was found of one part.

    Attributes:
        problem: what is wrong and what to do; empty where nothing is.
        seconds: that it took to answer.
    """

    name: str
    problem: str
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problem


@dataclass(frozen=True, slots=True)
class Replayed:
    """The id under which a message is delivered again."""

    event_id: EventId


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How the parts are, and where dashboards show more."""

    checks: tuple[HealthCheck, ...]
    grafana_url: str


async def get_health(ports: GatewayPorts, call: Call) -> Health:
    """Returns what was found of bus, archive, the gateway's state and each other role.

    A question to a role goes all the way to what it keeps: ledger, versions, index.
    """
    bounded = replace(
        call, deadline=min(call.deadline, ports.clock.now() + timedelta(seconds=PART_SECONDS))
    )
    probes: dict[str, Probe] = {check.name: check.probe for check in ports.checks}
    for role, method, request in (
        (Role.FETCHER, KNOWN_URLS, KnownUrlsRequest(page_size=1)),
        (
            Role.CHANGE_DETECTOR,
            NEWEST_NEWS,
            NewestNewsRequest(organisation_id=call.principal.organisation_id),
        ),
        (Role.RETRIEVER, VECTORS, VectorsRequest(chunk_ids=(NO_CHUNK,))),
        (Role.EXPLAINER, RESOLVE, ResolveRequest()),
    ):
        probes[role.value] = _asking(ports, bounded, method, request)
    bus, asked = await asyncio.gather(
        _by_queues(ports),
        asyncio.gather(*(_checked(name, probe) for name, probe in probes.items())),
    )
    return Health(checks=(*bus, *asked), grafana_url=ports.grafana_url)


async def list_queues(ports: GatewayPorts, call: Call) -> tuple[BusQueue, ...]:
    """Returns what each consumer is owed.

    Raises:
        StoreUnavailable: the bus does not answer.
    """
    return await _operations(ports).queues()


async def list_dead_letters(
    ports: GatewayPorts, call: Call, *, page_size: int, page_token: str
) -> tuple[tuple[GivenUp, ...], str]:
    """Returns messages that were given up, oldest first, and the next token.

    Raises:
        StoreUnavailable: the bus does not answer.
    """
    size = checked_page_size(page_size)
    bound_to = ("DeadLetters", call.principal.organisation_id, call.principal.principal_id)
    after = await ports.tokens.open(page_token, bound_to=bound_to)
    found = await _operations(ports).dead_letters(after=int(after or 0), limit=size + 1)
    cursor = str(found[size - 1].sequence) if len(found) > size else ""
    return found[:size], await ports.tokens.seal(cursor, bound_to=bound_to)


async def replay_dead_letter(ports: GatewayPorts, call: Call, *, letter_id: str) -> Replayed:
    """Delivers a message again to the consumer that gave it up.

    Raises:
        As `BusOperations.replay` does.
    """
    return Replayed(event_id=await _operations(ports).replay(letter_id))


async def drop_dead_letter(ports: GatewayPorts, call: Call, *, letter_id: str) -> None:
    """Removes a dead letter for good.

    Raises:
        As `BusOperations.drop` does.
    """
    await _operations(ports).drop(letter_id)


def _operations(ports: GatewayPorts) -> BusOperations:
    if ports.operations is None:
        raise StoreUnavailable(
            "This gateway was composed without a view of its bus. Start it by `scops`.",
            reason="BUS_UNAVAILABLE",
        )
    return ports.operations


def _asking(ports: GatewayPorts, call: Call, method: Any, request: Any) -> Probe:
    async def probe() -> str | None:
        try:
            await ask(ports, method, request, call=call)
        except TransientError as error:
            return str(error)
        except ScopsError:
            # Whoever refuses a question has been reached.
            return None
        return None

    return probe


async def _checked(name: str, probe: Probe) -> HealthCheck:
    began = monotonic_seconds()
    try:
        async with asyncio.timeout(PART_SECONDS + 1):
            problem = await probe()
    except (ScopsError, TimeoutError) as error:
        problem = str(error) or f"It did not answer within {PART_SECONDS:.0f} s."
    return HealthCheck(name=name, problem=problem or "", seconds=monotonic_seconds() - began)


async def _by_queues(ports: GatewayPorts) -> list[HealthCheck]:
    """Returns how the bus is, and whether somebody consumes what those roles are owed."""
    queues: list[BusQueue] = []

    async def look() -> None:
        queues.extend(await _operations(ports).queues())

    bus = await _checked(BUS, look)
    if not bus.ok:
        return [bus]
    return [bus, *(_consuming(role, queues) for role in BY_QUEUES)]


def _consuming(role: Role, queues: Iterable[BusQueue]) -> HealthCheck:
    own = [queue for queue in queues if queue.consumer == role.value]
    busy = any(queue.waiting_count or queue.in_hand_count for queue in own)
    problem = "" if busy else f"Nobody takes what the {role.value} is owed. Start that role."
    return HealthCheck(name=role.value, problem=problem, seconds=0.0)
