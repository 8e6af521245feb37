"""The comparison of the vector search with an exact one, on a share of the questions."""

import asyncio
import random

import pytest
from prometheus_client import Counter

from scops.common.contract.errors import StoreUnavailable
from scops.libraries.index.ports import StoreQuery
from scops.libraries.index.upkeep import Recall
from scops.libraries.index.weaviate.recall import page_prefix
from scops.retriever import metrics
from scops.retriever.candidates.canary import Canary
from tests.fakes.worlds.retriever import Retrieving


class _Probe:
    """A store that found three of four, and keeps what it was asked."""

    def __init__(self, *, is_away: bool = False) -> None:
        self.asked: list[tuple[StoreQuery, str]] = []
        self._is_away = is_away

    async def recall(self, query: StoreQuery, *, slice_key: str) -> Recall | None:
        self.asked.append((query, slice_key))
        if self._is_away:
            raise StoreUnavailable("The index did not answer.", reason="INDEX_UNAVAILABLE")
        return Recall(expected=4, found=3)


def _value(counter: Counter) -> float:
    return next(iter(counter.collect())).samples[0].value


async def _questions(world: Retrieving, canary: Canary, count: int) -> None:
    """Asks questions, giving the canary's loop its turn after each."""
    loop = asyncio.create_task(canary.run())
    for number in range(count):
        await world.with_ports(canary=canary).ask(f"question {number}")
        await asyncio.sleep(0)
    loop.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loop


async def test_a_share_of_the_questions_is_compared(world: Retrieving) -> None:
    """Chance decides which; each is compared on another slice, under its own filter."""
    await world.show("a", "Owls.")
    probe = _Probe()
    await _questions(world, Canary(probe, share=0.1, chance=random.Random(5)), 200)

    assert 10 <= len(probe.asked) <= 30
    assert len(probe.asked) == len({key for _, key in probe.asked})
    assert all(query.scope_filter.clauses for query, _ in probe.asked)


async def test_share_of_zero_compares_none(world: Retrieving) -> None:
    """It can be turned off."""
    await world.show("a", "Owls.")
    probe = _Probe()
    await _questions(world, Canary(probe, share=0.0, chance=random.Random(5)), 20)

    assert [] == probe.asked


async def test_what_was_missed_is_counted(world: Retrieving) -> None:
    """The quotient of both counters is the recall."""
    await world.show("a", "Owls.")
    before = _value(metrics.CANARY_EXPECTED), _value(metrics.CANARY_FOUND)
    await _questions(world, Canary(_Probe(), share=1.0, chance=random.Random(5)), 2)
    after = _value(metrics.CANARY_EXPECTED), _value(metrics.CANARY_FOUND)

    assert (8.0, 6.0) == (after[0] - before[0], after[1] - before[1])


async def test_store_that_is_away_ends_one_comparison_only(world: Retrieving) -> None:
    """The loop goes on with the next one."""
    await world.show("a", "Owls.")
    probe = _Probe(is_away=True)
    await _questions(world, Canary(probe, share=1.0, chance=random.Random(5)), 3)

    assert 3 == len(probe.asked)


async def test_questions_do_not_queue_up_behind_the_canary(world: Retrieving) -> None:
    """While one waits, others are not compared; nothing grows."""
    await world.show("a", "Owls.")
    probe = _Probe()
    canary = Canary(probe, share=1.0, chance=random.Random(5))
    for number in range(5):
        await world.with_ports(canary=canary).ask(f"question {number}")
    loop = asyncio.create_task(canary.run())
    for _ in range(10):
        await asyncio.sleep(0)
    loop.cancel()

    assert 1 == len(probe.asked)


@pytest.mark.parametrize(
    ("objects", "expected"),
    [(0, "3"), (300_000, "3"), (400_000, "3b"), (6_000_000, "3bf"), (10**15, "3bf07")],
)
def test_slice_stays_below_the_cutoff(objects: int, expected: str) -> None:
    """Each digit leaves a sixteenth; only so many objects are compared one by one."""
    assert expected == page_prefix("3bf07", objects, cutoff=40_000)
