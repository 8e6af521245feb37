"""The version algebra: what one observation does to the timeline of its page."""

import itertools
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scops.change_detector.timeline.algebra import (
    IncomingObservation,
    apply_observation,
    apply_reextraction,
    collides,
)
from scops.change_detector.timeline.records import PlacedObservation, WrittenVersion
from scops.change_detector.timeline.runs import (
    Observation,
    ObservationKind,
    Run,
    TimelineChange,
    VerdictKind,
)
from scops.common.contract.ids import VersionId
from scops.common.contract.messages.types import BodyRef, ChangeSummary
from tests.fakes.memory_timelines import MemoryTimelines
from tests.fakes.worlds.change import PAGE, at, fetch

GONE = "gone"
# A text and the minute it was seen at.
Seen = tuple[str, int]


class Replay:
    """Observations placed one after the other, without texts or manifests."""

    def __init__(self) -> None:
        self.timelines = MemoryTimelines()

    async def see(
        self, text: str, minute: int, *, name: str | None = None, chunking: str = "c1", **more: Any
    ) -> TimelineChange:
        """Places an observation and returns what it changed."""
        incoming = _incoming(text, minute, name or f"{text}@{minute}", chunking, **more)
        snapshot = await self.timelines.read(incoming)
        assert snapshot.known is not None or not collides(incoming.observation, snapshot.context)
        apply = apply_observation if snapshot.known is None else apply_reextraction
        change = apply(incoming, snapshot.context)
        written = tuple(
            WrittenVersion(
                version=version,
                chunking=chunking or "c1",
                manifest=BodyRef(digest=version.version_id),
                summary=ChangeSummary(),
                title="",
                chunk_count=0,
            )
            for version in change.planned
        )
        placed = PlacedObservation(incoming=incoming, change=change, versions=written)
        assert [None] != await self.timelines.commit([placed])
        return change

    def intervals(self) -> list[tuple[str, datetime, datetime | None]]:
        """Returns what stood from when to when."""
        return [
            (_text_of(run), run.first_observed, run.observed_to)
            for run in self.timelines.runs(PAGE)
        ]


def _text_of(run: Run) -> str:
    return run.versions[-1].text_digest if run.versions else GONE


def _incoming(
    text: str, minute: int, name: str, chunking: str, pipeline: str = "p1"
) -> IncomingObservation:
    is_gone = text == GONE
    return IncomingObservation(
        page_id=PAGE,
        chunking="" if is_gone else chunking,
        observation=Observation(
            fetch_id=fetch(name),
            observed_time=at(minute),
            kind=ObservationKind.GONE if is_gone else ObservationKind.TEXT,
            text_digest="" if is_gone else text,
            pipeline_version="" if is_gone else pipeline,
        ),
    )


def _expected(seen: list[Seen]) -> list[tuple[str, datetime, datetime | None]]:
    """The runs of equal observations, computed from the whole list at once."""
    ordered = sorted(seen, key=lambda one: one[1])
    runs = [(text, list(run)) for text, run in itertools.groupby(ordered, key=lambda one: one[0])]
    starts = [run[0][1] for _, run in runs]
    ends: list[datetime | None] = [*(at(start) for start in starts[1:]), None]
    return [(text, at(run[0][1]), end) for (text, run), end in zip(runs, ends, strict=True)]


async def _replayed(*seen: Seen) -> Replay:
    replay = Replay()
    for text, minute in seen:
        await replay.see(text, minute)
    return replay


timelines_of_observations = st.lists(
    st.tuples(st.sampled_from(["A", "B", "C", GONE]), st.integers(0, 30)),
    min_size=1,
    max_size=12,
    unique_by=lambda one: one[1],
)


@settings(max_examples=400, deadline=None)
@given(timelines_of_observations)
async def test_any_order_of_observations_ends_in_the_same_intervals(seen: list[Seen]) -> None:
    """The list comes in any order; the intervals are those of the sorted list."""
    replay = await _replayed(*seen)

    assert replay.intervals() == _expected(seen)


@settings(max_examples=200, deadline=None)
@given(timelines_of_observations)
async def test_intervals_never_overlap_and_leave_no_gap(seen: list[Seen]) -> None:
    """Invariant 6 after every step, and order keys rise with the intervals."""
    replay = Replay()
    for text, minute in seen:
        await replay.see(text, minute)
        runs = replay.timelines.runs(PAGE)

        assert [s.observed_to for s in runs] == [*[s.first_observed for s in runs[1:]], None]
        assert all(s.first_observed <= s.observed_from <= s.last_observed for s in runs)
        assert all(a.last_observed < b.first_observed for a, b in itertools.pairwise(runs))


@settings(max_examples=200, deadline=None)
@given(timelines_of_observations)
async def test_the_target_never_moves_to_an_earlier_observation(seen: list[Seen]) -> None:
    """Invariant 6: the order key of the newest run only rises."""
    replay = Replay()
    keys = []
    for text, minute in seen:
        await replay.see(text, minute)
        keys.append(replay.timelines.runs(PAGE)[-1].order_key.observed_from)

    assert keys == sorted(keys)


@settings(max_examples=200, deadline=None)
@given(timelines_of_observations)
async def test_versions_keep_their_id_text_and_order_key(seen: list[Seen]) -> None:
    """What was recorded once is never taken back: a citation of it still resolves."""
    replay = Replay()
    recorded: dict[VersionId, tuple[str, datetime]] = {}
    for text, minute in seen:
        await replay.see(text, minute)
        now = {
            version.version_id: (version.text_digest, version.observed_from)
            for run in replay.timelines.runs(PAGE)
            for version in run.versions
        }

        assert recorded.items() <= now.items()
        recorded = now


async def test_the_first_text_is_added() -> None:
    """A page without a history gets revision 0."""
    replay = Replay()

    change = await replay.see("A", 1)

    assert (change.kind, change.late, len(change.planned)) == (VerdictKind.ADDED, False, 1)


async def test_an_equal_text_only_adds_a_row() -> None:
    """A version is a maximal run of equal text."""
    replay = await _replayed(("A", 1))

    change = await replay.see("A", 2)

    assert (change.kind, change.planned, change.moved) == (VerdictKind.UNCHANGED, (), ())


async def test_a_text_that_returns_is_restored() -> None:
    """A to B to A names the version that showed A before."""
    replay = await _replayed(("A", 1), ("B", 2))
    first = replay.timelines.runs(PAGE)[0].versions[0].version_id

    change = await replay.see("A", 3)

    assert (change.kind, change.restored_version_id) == (VerdictKind.RESTORED, first)


@pytest.mark.parametrize("minute", [2, 4])
async def test_a_late_observation_that_repeats_a_run_adds_no_version(minute: int) -> None:
    """Inside the run, or after its last observation, it belongs to the run."""
    replay = await _replayed(("A", 1), ("A", 3), ("B", 5))

    change = await replay.see("A", minute)

    assert (change.kind, change.late, change.planned) == (VerdictKind.UNCHANGED, True, ())


async def test_a_late_observation_that_extends_a_run_backwards_keeps_its_order_key() -> None:
    """B was there at 2 already: A ends there; B's key, which the head holds, stays 3."""
    replay = await _replayed(("A", 1), ("B", 3))

    change = await replay.see("B", 2)

    a, b = replay.timelines.runs(PAGE)
    assert (change.kind, change.late, change.planned) == (VerdictKind.UNCHANGED, True, ())
    assert (a.observed_to, b.first_observed, b.observed_from) == (at(2), at(2), at(3))


async def test_a_late_different_text_becomes_a_closed_version() -> None:
    """It stood up to the next observation; the newest run stays the target."""
    replay = await _replayed(("A", 1), ("C", 3))

    change = await replay.see("B", 2)

    assert (change.kind, change.late) == (VerdictKind.ADDED, True)
    assert replay.intervals() == [("A", at(1), at(2)), ("B", at(2), at(3)), ("C", at(3), None)]


async def test_a_late_text_that_splits_a_run_restores_the_later_half() -> None:
    """The later half opens at the run's next observation, as the first half again."""
    replay = await _replayed(("A", 1), ("A", 3), ("A", 5))
    first = replay.timelines.runs(PAGE)[0].versions[0].version_id

    change = await replay.see("B", 2)

    assert (change.kind, change.restored_version_id) == (VerdictKind.RESTORED, first)
    assert replay.intervals() == [("A", at(1), at(2)), ("B", at(2), at(3)), ("A", at(3), None)]
    assert [version.observed_from for version in change.planned] == [at(2), at(3)]


async def test_a_late_404_that_splits_a_run_restores_the_later_half() -> None:
    """Gone interrupts a run; no version stands while the page is gone."""
    replay = await _replayed(("A", 1), ("A", 3))

    change = await replay.see(GONE, 2)

    assert change.kind is VerdictKind.RESTORED
    assert [version.observed_from for version in change.planned] == [at(3)]


async def test_a_split_before_the_instant_that_names_a_run_names_the_earlier_half_anew() -> None:
    """The head may hold key 3: it must not move; the half that was found late gets key 2."""
    replay = await _replayed(("A", 3), ("A", 1))

    change = await replay.see("B", 2)

    runs = replay.timelines.runs(PAGE)
    assert [run.observed_from for run in runs] == [at(1), at(2), at(3)]
    assert change.kind is VerdictKind.ADDED


async def test_gone_and_back_is_restored() -> None:
    """Gone closes with a greater key; the same text opens a new run."""
    replay = await _replayed(("A", 1))

    gone = await replay.see(GONE, 2)
    back = await replay.see("A", 3)

    assert (gone.kind, gone.planned) == (VerdictKind.CLOSED, ())
    assert back.kind is VerdictKind.RESTORED


async def test_a_redelivery_after_closing_changes_nothing() -> None:
    """A late redelivery belongs to the run that ended; the page stays closed."""
    replay = await _replayed(("A", 1), (GONE, 3))

    change = await replay.see("A", 2)

    assert change.kind is VerdictKind.UNCHANGED
    assert replay.timelines.runs(PAGE)[-1].kind is ObservationKind.GONE


async def test_reextraction_of_a_fetch_adds_a_revision_and_no_stay() -> None:
    """Another pipeline reads another text out of one body: the page has not changed."""
    replay = Replay()
    await replay.see("A", 1, name="one")

    change = await replay.see("A2", 1, name="one", pipeline="p2")

    (run,) = replay.timelines.runs(PAGE)
    assert (change.kind, change.pipeline_changed) == (VerdictKind.ADDED, True)
    assert [(v.revision, v.text_digest) for v in run.versions] == [(0, "A"), (1, "A2")]
    assert run.order_key.revision == 1


async def test_a_fetch_by_the_new_pipeline_joins_the_reextracted_stay() -> None:
    """After re-extraction texts are compared as the new pipeline reads them."""
    replay = Replay()
    await replay.see("A", 1, name="one")
    await replay.see("A2", 1, name="one", pipeline="p2")

    same = await replay.see("A2", 2, name="two", pipeline="p2")
    other = await replay.see("A", 3, name="three", pipeline="p2")

    assert (same.kind, same.planned) == (VerdictKind.UNCHANGED, ())
    assert other.kind is VerdictKind.RESTORED


async def test_the_same_text_by_another_pipeline_is_a_revision_without_news() -> None:
    """Blocks or chunks may differ: the revision has a manifest of its own."""
    replay = Replay()
    await replay.see("A", 1, name="one")

    change = await replay.see("A", 2, name="two", pipeline="p2")

    assert (change.kind, change.pipeline_changed) == (VerdictKind.UNCHANGED, True)
    assert [version.revision for version in change.planned] == [1]


async def test_another_chunker_makes_one_revision_and_then_none() -> None:
    """A pipeline that the run knows makes no further revision."""
    replay = Replay()
    await replay.see("A", 1, name="one")

    first = await replay.see("A", 2, name="two", chunking="c2")
    second = await replay.see("A", 3, name="three", chunking="c2")
    old = await replay.see("A", 4, name="four", chunking="c1")

    assert [len(change.planned) for change in (first, second, old)] == [1, 0, 0]


async def test_a_304_never_makes_a_revision() -> None:
    """Nothing was extracted, so nothing can be chunked anew."""
    replay = await _replayed(("A", 1))

    change = await replay.see("A", 2, chunking="")

    assert (change.kind, change.planned) == (VerdictKind.UNCHANGED, ())


async def test_two_texts_at_one_instant_collide() -> None:
    """Only one text can stand at an instant; an equal one is no collision."""
    replay = await _replayed(("A", 1))
    context = replay.timelines.context(PAGE, at(1), "B")

    other = _incoming("B", 1, "other", "c1").observation
    same = _incoming("A", 1, "same", "c1").observation

    assert (collides(other, context), collides(same, context)) == (True, False)
