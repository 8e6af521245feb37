"""Operators see how the parts are and what was given up; what is mended is in the audit."""

from dataclasses import replace
from typing import Any

import pytest

from scops.common.access.principal import InstallationRole
from scops.common.contract.errors import InvalidInput, NotFound, NotPermitted
from scops.common.contract.messages.change import NewestNewsResponse
from scops.common.contract.messages.crawl import KnownUrlsResponse
from scops.common.contract.messages.explanation import ResolveResponse
from scops.common.query.ports import KNOWN_URLS, NEWEST_NEWS, RESOLVE, VECTORS
from scops.common.runtime.service import ReadinessCheck
from scops.gateway.audit.entry import AuditFilter
from tests.fakes.bus_operations import FakeBusOperations, given_up, queue
from tests.fakes.worlds.gateway import GatewayWorld, gateway_world
from tests.fakes.worlds.methods import person, served

OPERATOR = person("ops", roles=frozenset({InstallationRole.OPERATOR}))
ADMINISTRATOR = person("adm", roles=frozenset({InstallationRole.ADMINISTRATOR}))


def with_bus(world: GatewayWorld, bus: FakeBusOperations, **ports: Any) -> GatewayWorld:
    """Gives a world a bus to look at."""
    return replace(world, ports=replace(world.ports, operations=bus, **ports))


async def test_each_part_is_asked_and_what_is_wrong_is_told() -> None:
    """Who refuses a question has been reached; who does not answer, or consume, has not."""

    async def refuse(request: object) -> object:
        raise InvalidInput("No such chunk.", reason="CHUNK_UNKNOWN")

    async def full() -> str | None:
        return "The archive is full."

    bus = FakeBusOperations(waiting=[queue("extractor", waiting_count=2), queue("indexer")])
    async with gateway_world() as opened:
        check = ReadinessCheck(name="archive", probe=full)
        world = with_bus(opened, bus, checks=(check,), grafana_url="https://grafana.example/")
        world.says(KNOWN_URLS, KnownUrlsResponse())
        world.says(NEWEST_NEWS, NewestNewsResponse())
        world.answer(VECTORS, refuse)
        told: Any = await served(world, OPERATOR, "GetHealth", {})

    found = {one.name: one.problem for one in told.checks}
    assert "https://grafana.example/" == told.grafana_uri
    assert {name for name, problem in found.items() if not problem} == {
        "bus",
        "extractor",
        "fetcher",
        "change-detector",
        "retriever",
    }
    assert "The archive is full." == found["archive"]
    assert "Nobody takes what the indexer is owed" in found["indexer"]
    assert found["explainer"]


async def test_a_bus_that_is_away_is_told_and_the_rest_is_asked() -> None:
    """Roles that are known by their queues alone are not told of then."""
    async with gateway_world() as opened:
        world = with_bus(opened, FakeBusOperations(away=True))
        world.says(RESOLVE, ResolveResponse())
        told: Any = await served(world, OPERATOR, "GetHealth", {})

    found = {one.name: one.ok for one in told.checks}
    assert found["explainer"]
    assert not found["bus"]
    assert "indexer" not in found


async def test_letters_are_paged_and_mended_by_operators() -> None:
    """An administrator reads them, and mends none; what was done is in the audit."""
    bus = FakeBusOperations(letters=[given_up(3), given_up(7), given_up(9)])
    async with gateway_world() as opened:
        world = with_bus(opened, bus)
        first: Any = await served(world, ADMINISTRATOR, "ListDeadLetters", {"page_size": 2})
        rest: Any = await served(
            world,
            ADMINISTRATOR,
            "ListDeadLetters",
            {"page_size": 2, "page_token": first.next_page_token},
        )
        name = first.dead_letters[0].name
        with pytest.raises(NotPermitted):
            await served(world, ADMINISTRATOR, "ReplayDeadLetter", {"name": name})
        replayed: Any = await served(world, OPERATOR, "ReplayDeadLetter", {"name": name})
        await served(world, OPERATOR, "DropDeadLetter", {"name": rest.dead_letters[0].name})
        with pytest.raises(NotFound):
            await served(world, OPERATOR, "DropDeadLetter", {"name": "deadLetters/none"})
        entries = await world.ports.audit.newest(
            "main", AuditFilter(action="ReplayDeadLetter"), before=0, limit=10
        )

    assert ["deadLetters/letter-3", "deadLetters/letter-7"] == [
        letter.name for letter in first.dead_letters
    ]
    assert "" == rest.next_page_token
    assert ("event-of-letter-3", ["letter-3"]) == (replayed.event_id, bus.replayed)
    assert [3, 7] == [letter.sequence for letter in bus.letters]
    assert {"OK", "BEGUN"} <= {entry.outcome for entry in entries}
