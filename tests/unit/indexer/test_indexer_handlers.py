"""What the four verdicts do to the index, and what they are answered with."""

from dataclasses import replace

import pytest
from prometheus_client import REGISTRY

from scops.common.contract.ids import PageId
from scops.common.contract.messages.index import IndexOutcome, VersionIndexed
from tests.fakes.verdicts import (
    PAGE,
    added,
    at,
    closed,
    ended,
    head_of,
    restored,
    unchanged,
    verdict_of,
)
from tests.fakes.worlds.index import IndexWorld


def _cached() -> float:
    """Returns how many vectors came from the cache in this process."""
    return REGISTRY.get_sample_value("scops_indexer_vectors_cached_total") or 0.0


async def test_added_version_is_visible(world: IndexWorld) -> None:
    """A first version moves the head; its passages are found."""
    row = await world.version("green tea", "black tea", day=1)

    answer = await world.indexed(added(row, day=1))

    expected = VersionIndexed(
        page_id=PAGE,
        fetch_id=answer.fetch_id,
        outcome=IndexOutcome.ADDED,
        version_id=row.version_id,
        order_key=row.order_key,
        visible_time=world.clock.now(),
        chunks_total=2,
        chunks_embedded=2,
    )
    assert expected == answer
    assert ["green tea", "black tea"] == await world.search("green tea")
    await world.check()


async def test_next_version_embeds_only_what_changed(world: IndexWorld) -> None:
    """Kept chunks keep their objects and vectors; the old text is found no more."""
    first = await world.show("one", "two", "three", day=1)
    second = await world.version("one", "2", "three", day=2)

    answer = await world.indexed(added(second, ended(first, 2), day=2))

    assert (IndexOutcome.ADDED, 3, 1) == (
        answer.outcome,
        answer.chunks_total,
        answer.chunks_embedded,
    )
    assert ["Tea\none", "Tea\ntwo", "Tea\nthree", "Tea\n2"] == world.embedder.texts
    assert {"one", "2", "three"} == set(await world.search("two"))
    await world.check()


async def test_same_page_three_times_changes_nothing(world: IndexWorld) -> None:
    """Verdicts on an unchanged page leave heads, objects and embeddings as they are."""
    row = await world.show("one", "two", day=1)
    before = (await world.plain_store.count(), await world.live_incarnations())

    answers = [await world.indexed(unchanged(row, day=day)) for day in (2, 3, 4)]

    assert [IndexOutcome.REFRESHED] * 3 == [answer.outcome for answer in answers]
    assert before == (await world.plain_store.count(), await world.live_incarnations())
    assert 2 == len(world.embedder.texts)
    assert at(4) == (await world.head()).verified_time


async def test_verified_time_never_falls(world: IndexWorld) -> None:
    """An unchanged verdict that is late does not make the head look older."""
    row = await world.show("one", day=1)
    await world.indexed(unchanged(row, day=9))

    answer = await world.indexed(unchanged(row, day=5, late=True))

    assert IndexOutcome.REFRESHED == answer.outcome
    assert at(9) == (await world.head()).verified_time


async def test_unchanged_verdict_repairs_a_lost_version(world: IndexWorld) -> None:
    """A page whose version was never indexed gets it from the next verdict."""
    row = await world.version("one", day=1)

    answer = await world.indexed(unchanged(row, day=2))

    assert IndexOutcome.ADDED == answer.outcome
    assert ["one"] == await world.search("one")
    assert ["one"] == await world.search("one", day=1)


async def test_older_verdict_is_superseded(world: IndexWorld) -> None:
    """A verdict with a lesser order key leaves the head where it is, and keeps its version."""
    first = await world.version("old", day=1, until=2)
    second = await world.show("new", day=2, after=first)

    answer = await world.indexed(added(first, day=1))

    assert (IndexOutcome.SUPERSEDED, None) == (answer.outcome, answer.visible_time)
    assert second.version_id == (await world.head()).version_id
    assert ["new"] == await world.search("old")
    assert ["old"] == await world.search("old", day=1.5)


async def test_greater_revision_of_a_stay_moves_the_head(world: IndexWorld) -> None:
    """Re-extraction of the same stay is a greater order key."""
    first = await world.show("one", day=1)
    second = await world.version("One", day=1, revision=1)

    answer = await world.indexed(added(second, day=1))

    assert IndexOutcome.ADDED == answer.outcome
    assert ["One"] == await world.search("one")
    assert IndexOutcome.SUPERSEDED == (await world.indexed(added(first, day=1))).outcome


async def test_late_version_is_found_as_of_its_time(world: IndexWorld) -> None:
    """A version between two known ones is answered as superseded, and found in the past."""
    first = await world.show("one", day=1)
    third = await world.show("three", day=3, after=first)
    second = await world.version("two", day=2, until=3)
    verdict = verdict_of(third, replace(ended(first, 2), row_revision=3), second, day=3, late=True)

    answer = await world.indexed(type(added(first, day=1))(verdict=verdict))

    assert IndexOutcome.SUPERSEDED == answer.outcome
    assert ["three"] == await world.search("two")
    await world.sweep_later()
    assert [["one"], ["two"], ["three"]] == [
        await world.search("two", day=day) for day in (1.5, 2.5, 3.5)
    ]


async def test_earlier_beginning_is_found_after_the_sweep(world: IndexWorld) -> None:
    """A version that turns out to have begun earlier is found at that time, though swept."""
    first = await world.version("one", day=5, until=9)
    second = await world.version("two", day=9)
    await world.indexed(added(second, first, day=9))
    await world.sweep_later()
    earlier = replace(first, first_observed_time=at(3), row_revision=2)

    verdict = verdict_of(second, earlier, day=9, late=True)
    await world.indexed(replace(unchanged(second, day=9), verdict=verdict))
    await world.sweep_later()

    assert [[], ["one"], ["one"], ["two"]] == [
        await world.search("one", day=day) for day in (2.9, 3, 6, 10)
    ]


async def test_longer_stay_is_found_after_the_sweep(world: IndexWorld) -> None:
    """A version whose end moves later is found up to there, though it was swept before."""
    first = await world.show("one", day=1)
    second = await world.show("two", day=2, after=first)
    await world.sweep_later()
    longer = replace(ended(first, 4), row_revision=9)
    third = await world.version("two", day=4)

    await world.indexed(added(third, longer, replace(ended(second, 2), row_revision=9), day=4))
    await world.sweep_later()

    assert ["one"] == await world.search("one", day=3)


async def test_row_of_a_lesser_revision_is_stale(world: IndexWorld) -> None:
    """A version's row changes only to a greater row_revision."""
    first = await world.version("one", day=1)
    await world.show("two", day=2, after=first)
    await world.indexed(added(first, day=1))

    row = (await world.heads.standing([PAGE], at(1.5)))[PAGE]
    assert at(2) == row.observed_to


async def test_closed_page_is_found_in_the_past_only(world: IndexWorld) -> None:
    """A closed head lists nothing and names its reason."""
    row = await world.show("one", day=1)

    answer = await world.indexed(closed(ended(row, 5), day=5))

    assert (IndexOutcome.CLOSED, "gone", 0) == (
        answer.outcome,
        answer.reason,
        answer.chunks_total,
    )
    assert [] == await world.search("one")
    await world.sweep_later()
    assert ["one"] == await world.search("one", day=4)
    assert [] == await world.search("one", day=6)
    assert (0, 1) == await world.plain_store.count()


async def test_page_that_comes_back_embeds_nothing(world: IndexWorld) -> None:
    """A text restored after a close, and after the sweeper, is found again from the cache."""
    first = await world.show("one", "two", day=1)
    await world.indexed(closed(ended(first, 5), day=5))
    await world.sweep_later()
    second = await world.version("one", "two", day=7)
    cached = _cached()

    answer = await world.indexed(restored(second, day=7))

    assert 2 == _cached() - cached
    assert (IndexOutcome.ADDED, 0) == (answer.outcome, answer.chunks_embedded)
    assert ["one", "two"] == await world.search("one")
    assert {2} == set((await world.live_incarnations()).values())
    assert 2 == len(world.embedder.texts)
    await world.check()


async def test_flapping_page_keeps_its_objects(world: IndexWorld) -> None:
    """A→B→A→B within minutes moves the head four times and embeds each text once."""
    previous = None
    for day, text in enumerate(("A", "B", "A", "B"), start=1):
        row = await world.version(text, day=day)
        touched = (ended(previous, day),) if previous else ()
        await world.indexed(added(row, *touched, day=day))
        assert [text] == await world.search(text)
        await world.check()
        previous = row

    assert (2, 0) == await world.plain_store.count()
    assert ["Tea\nA", "Tea\nB"] == world.embedder.texts
    await world.sweep_later()
    assert [["A"], ["B"], ["A"], ["B"]] == [
        await world.search("A", day=day + 0.5) for day in (1, 2, 3, 4)
    ]


async def test_closing_twice_is_said_twice(world: IndexWorld) -> None:
    """A second look at a gone page finds the equal key and is answered as closed."""
    await world.indexed(closed(day=5))
    again = closed(day=6, order_key=closed(day=5).verdict.order_key)

    assert IndexOutcome.CLOSED == (await world.indexed(again)).outcome


async def test_blocked_reason_is_passed_on(world: IndexWorld) -> None:
    """A closing verdict that keeps the good version says why, and the version stays."""
    row = await world.show("one", day=1)
    verdict = verdict_of(row, day=1, fetch="fetch-2")

    answer = await world.indexed(replace(closed(day=2, reason="blocked:login"), verdict=verdict))

    assert "blocked:login" == answer.reason
    assert ["one"] == await world.search("one")


@pytest.mark.parametrize("kind", ["added", "restored", "unchanged", "closed"])
async def test_redelivery_repeats_the_answer(world: IndexWorld, kind: str) -> None:
    """A verdict delivered again is answered the same, whatever happened meanwhile."""
    first = await world.show("one", day=1)
    second = await world.version("two", day=2)
    message = {
        "added": added(second, ended(first, 2), day=2),
        "restored": restored(second, ended(first, 2), day=2),
        "unchanged": unchanged(first, day=2),
        "closed": closed(ended(first, 2), day=2),
    }[kind]
    answer = await world.indexed(message, event_id="same")
    third = await world.show("three", day=3)
    world.clock.advance(100)

    assert answer == await world.indexed(message, event_id="same")
    assert third.version_id == (await world.head()).version_id


@pytest.mark.parametrize("kind", ["added", "restored", "unchanged", "closed"])
async def test_republished_verdict_has_the_same_outcome(world: IndexWorld, kind: str) -> None:
    """A verdict published again under another id finds the equal key and says the same."""
    first = await world.show("one", day=1)
    second = await world.version("two", day=2)
    message = {
        "added": added(second, day=2),
        "restored": restored(second, day=2),
        "unchanged": unchanged(first, day=2),
        "closed": closed(day=2),
    }[kind]
    answer = await world.indexed(message)
    world.clock.advance(100)
    again = await world.indexed(message)

    assert (answer.outcome, answer.visible_time) == (again.outcome, again.visible_time)


async def test_page_without_text_has_a_head(world: IndexWorld) -> None:
    """A version without chunks is added; nothing is embedded or found."""
    row = await world.version(day=1)

    answer = await world.indexed(added(row, day=1))

    assert (IndexOutcome.ADDED, 0, 0) == (
        answer.outcome,
        answer.chunks_total,
        answer.chunks_embedded,
    )
    assert not (await world.head()).closed


async def test_text_that_occurs_twice_is_embedded_once(world: IndexWorld) -> None:
    """Equal chunks of a page are objects of their own with one vector."""
    row = await world.version("same", "same", day=1)

    answer = await world.indexed(added(row, day=1))

    assert (2, 1) == (answer.chunks_total, answer.chunks_embedded)
    assert ["same", "same"] == await world.search("same")


async def test_equal_text_of_another_page_is_not_embedded_again(world: IndexWorld) -> None:
    """The vector cache is shared by all pages."""
    other = PageId("page-2")
    first = await world.version("same", day=1)
    second = await world.version("same", day=1, page=other)
    await world.indexed(added(first, day=1))

    answer = await world.indexed(added(second, day=1, page=other))

    assert 0 == answer.chunks_embedded
    assert ["same", "same"] == await world.search("same")


async def test_head_names_what_the_verdict_named(world: IndexWorld) -> None:
    """The head holds version, manifest, address and times of its verdict."""
    row = await world.show("one", day=1)

    assert head_of(row, visible_time=world.clock.now()) == await world.head()


def _fresh() -> tuple[float, float]:
    """Returns how many new versions were found in this process, and after how many seconds."""
    names = ("scops_indexer_freshness_seconds_count", "scops_indexer_freshness_seconds_sum")
    count, seconds = (REGISTRY.get_sample_value(name) or 0.0 for name in names)
    return count, seconds


async def test_a_new_version_is_measured_from_its_fetch_and_once(world: IndexWorld) -> None:
    """A redelivery finds the answer there; an unchanged page is nothing new."""
    row = await world.version("green tea", day=1)
    before = _fresh()
    verdict = added(row, day=1)
    for _ in range(2):
        await world.indexed(verdict, event_id="the-first")
    await world.indexed(unchanged(row, day=2))
    after = _fresh()

    expected = (world.clock.now() - verdict.verdict.observed_time).total_seconds()
    assert (1, max(0.0, expected)) == (after[0] - before[0], after[1] - before[1])
