"""What the indexer's rows must hold when several indexers and sweepers meet on them.

Run on SQLite in memory, on a file and on PostgreSQL, these with two pools as two processes have.
"""

import asyncio
import random
from datetime import timedelta
from typing import Any

import numpy as np

from scops.common.contract.ids import EmbeddingKey, EventId, FetchId
from scops.common.contract.messages.index import IndexFailed, IndexOutcome
from scops.indexer.ports import IndexerPorts
from scops.indexer.upkeep.sweeper import sweep
from tests.contract.indexer_state.conftest import Pair
from tests.fakes.patience import patiently
from tests.fakes.verdicts import PAGE, added, ended


async def test_two_indexers_never_move_a_head_back(pair: Pair) -> None:
    """Whoever of v2 and v3 commits last, the head ends at v3 and lists what is there."""
    world, second = pair
    first = await world.show("one", "kept", day=1)
    v2 = await world.version("two", "kept", day=2)
    v3 = await world.version("three", "kept", day=3)
    newer = added(v3, ended(v2, 3), day=3)
    older = added(v2, ended(first, 2), day=2)

    answers: list[Any] = await asyncio.gather(
        patiently(lambda: world.handle(newer, event_id="v3", ports=world.ports)),
        patiently(lambda: world.handle(older, event_id="v2", ports=second)),
    )

    assert IndexOutcome.ADDED == answers[0].outcome
    assert answers[1].outcome in (IndexOutcome.ADDED, IndexOutcome.SUPERSEDED)
    assert v3.version_id == (await world.head()).version_id
    await world.check()
    assert {"three", "kept"} == set(await world.search("kept"))


async def test_the_first_head_of_a_page_is_made_once(pair: Pair) -> None:
    """Two first verdicts meet where there is no row to lock yet."""
    world, second = pair
    v1 = await world.version("one", day=1)
    v2 = await world.version("two", day=2)

    await asyncio.gather(
        patiently(lambda: world.handle(added(v1, day=1), event_id="v1", ports=world.ports)),
        patiently(lambda: world.handle(added(v2, day=2), event_id="v2", ports=second)),
    )

    assert v2.version_id == (await world.head()).version_id
    await world.check()


async def test_one_verdict_twice_at_once_is_answered_alike(pair: Pair) -> None:
    """A redelivery that overlaps its first delivery repeats the first answer."""
    world, second = pair
    verdict = added(await world.version("one", day=1), day=1)

    answers = await asyncio.gather(
        *(
            patiently(lambda ports=ports: world.handle(verdict, event_id="v1", ports=ports))  # type: ignore[misc]
            for ports in (world.ports, second, second)
        )
    )

    assert answers[0] == answers[1] == answers[2]


async def test_indexers_and_sweepers_agree_on_many_versions(pair: Pair) -> None:
    """Versions that share chunks come in any order while sweepers run; nothing listed is lost."""
    world, second = pair
    chance = random.Random(3)
    texts = [f"chunk {number}" for number in range(12)]
    versions = [
        await world.version(*chance.sample(texts, 6), day=day, until=day + 1) for day in range(1, 9)
    ]
    verdicts = [added(version, day=day) for day, version in enumerate(versions, start=1)]
    chance.shuffle(verdicts)
    told: list[str] = []

    async def deliver(number: int, verdict: Any) -> None:
        ports = (world.ports, second)[number % 2]
        await patiently(lambda: world.handle(verdict, ports=ports), told=told)

    async def tidy(ports: IndexerPorts) -> None:
        for _ in range(4):
            world.clock.advance(world.settings.sweep_age_seconds + 1)
            await patiently(lambda: sweep(ports), told=told)

    await asyncio.gather(
        *(deliver(number, verdict) for number, verdict in enumerate(verdicts)),
        tidy(world.ports),
        tidy(second),
    )

    assert versions[-1].version_id == (await world.head()).version_id
    await world.check()
    await world.sweep_later()
    await world.check()
    assert [] == [error for error in told if "deadlock" in error]


async def test_a_stale_prefix_ticket_closes_nothing(pair: Pair) -> None:
    """Who was overtaken while writing prefixes leaves the page to the other."""
    world, second = pair
    await world.indexed(added(await world.version("one", day=1), day=1))
    slow = await world.ports.rows.open_prefixes(PAGE)
    quick = await second.rows.open_prefixes(PAGE)
    assert slow is not None
    assert quick is not None

    assert not await world.ports.rows.close_prefixes(PAGE, slow)
    assert [PAGE] == list(await world.ports.rows.stale_pages(10))
    assert await second.rows.close_prefixes(PAGE, quick)
    assert [] == list(await world.ports.rows.stale_pages(10))


async def test_a_failure_is_recorded_once(pair: Pair) -> None:
    """Of two failures to one event the first is the answer to both."""
    world, second = pair
    failures = [
        IndexFailed(
            page_id=PAGE, fetch_id=FetchId("f"), reason=reason, failed_time=world.clock.now()
        )
        for reason in ("ONE", "TWO")
    ]

    answers = await asyncio.gather(
        world.ports.rows.record_failure(EventId("e"), failures[0]),
        second.rows.record_failure(EventId("e"), failures[1]),
    )

    assert answers[0] == answers[1]


async def test_vectors_are_kept_bit_by_bit_and_the_unused_go_first(pair: Pair) -> None:
    """Two indexers put and use the same vectors at once; the cache stays within its bound."""
    world, second = pair
    now = world.clock.now()
    vectors = {
        EmbeddingKey(f"{number:03}"): np.float32([number, 1 / 3, -0.0]) for number in range(40)
    }
    later = now + timedelta(days=30)
    await asyncio.gather(
        world.ports.rows.keep_vectors(vectors, now=now),
        second.rows.keep_vectors(dict(reversed(vectors.items())), now=now),
    )
    used = sorted(vectors)[10:30]
    found, again = await asyncio.gather(
        world.ports.rows.vectors(used, now=later), second.rows.vectors(used[::-1], now=later)
    )
    await second.rows.forget(answered_before=now, vectors_max=25, limit=1000)

    assert all(np.array_equal(found[key], vectors[key]) for key in used)
    assert found.keys() == again.keys()
    kept = await world.ports.rows.vectors(sorted(vectors), now=later)
    assert set(used) <= kept.keys()
    assert 25 == len(kept)
