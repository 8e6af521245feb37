"""The contract of the `Timelines` port: optimistic, atomic, and the same answer again."""

import random
from dataclasses import replace

from scops.change_detector.adapters.sql_timelines import SqlTimelines
from scops.change_detector.adapters.tables import metadata
from scops.change_detector.ports import Timelines
from scops.change_detector.timeline.algebra import (
    IncomingObservation,
    apply_observation,
    apply_reextraction,
)
from scops.change_detector.timeline.records import (
    PlacedObservation,
    RecordedVerdict,
    WrittenVersion,
)
from scops.change_detector.timeline.runs import (
    Observation,
    ObservationKind,
    TimelineChange,
    VerdictKind,
)
from scops.common.contract.ids import PageId
from scops.common.contract.messages.types import BodyRef, ChangeClass, ChangeSummary
from scops.common.db.database import Database
from tests.fakes.memory_timelines import MemoryTimelines
from tests.fakes.worlds.change import PAGE, at, fetch

OTHER_PAGE = PageId("00000000-0000-7000-8000-000000000002")


def incoming(
    text: str, minute: int, name: str = "", *, pipeline: str = "p1", page_id: PageId = PAGE
) -> IncomingObservation:
    """Returns a incoming; the empty text is a 404."""
    kind = ObservationKind.TEXT if text else ObservationKind.GONE
    return IncomingObservation(
        page_id=page_id,
        chunking="c1" if text else "",
        observation=Observation(
            fetch_id=fetch(name or f"{page_id} {text}@{minute}"),
            observed_time=at(minute),
            kind=kind,
            text_digest=text,
            pipeline_version=pipeline if text else "",
            reason="" if text else "not_found",
        ),
    )


def placed(coming: IncomingObservation, change: TimelineChange) -> PlacedObservation:
    """Returns a change with new versions as if their manifests were in the archive."""
    versions = tuple(
        WrittenVersion(
            version=version,
            chunking="c1",
            manifest=BodyRef(
                digest=version.version_id, size=7, media_type="application/x-protobuf"
            ),
            summary=ChangeSummary(change_class=ChangeClass.LEXICAL, reasons=("x", "y")),
            title=f"title of {version.text_digest}",
            chunk_count=3,
        )
        for version in change.planned
    )
    return PlacedObservation(incoming=coming, change=change, versions=versions)


async def record(timelines: Timelines, coming: IncomingObservation) -> RecordedVerdict:
    """Records a incoming as the handler does."""
    snapshot = await timelines.read(coming)
    if snapshot.recorded is not None:
        return snapshot.recorded
    known = snapshot.known
    change = (apply_reextraction if known else apply_observation)(coming, snapshot.context)
    (recorded,) = await timelines.commit([placed(coming, change)])
    assert recorded is not None
    return recorded


async def test_nothing_is_known_of_a_new_page(timelines: Timelines) -> None:
    """The sequence of a page without rows is 0."""
    snapshot = await timelines.read(incoming("A", 1))

    assert (snapshot.recorded, snapshot.known, snapshot.context.sequence) == (None, None, 0)


async def test_a_recorded_observation_is_found_by_its_fetch(timelines: Timelines) -> None:
    """Times keep their microseconds, and nothing is lost."""
    coming = incoming("A", 1)
    coming = replace(
        coming, observation=replace(coming.observation, observed_time=at(1).replace(microsecond=7))
    )
    await record(timelines, coming)

    assert await timelines.observation(coming.observation.fetch_id) == coming.observation
    assert await timelines.observation(fetch("never")) is None


async def test_the_target_is_the_newest_version(timelines: Timelines) -> None:
    """The answer carries the page's full target state."""
    recorded = await record(timelines, incoming("A", 1))

    (row,) = recorded.rows
    assert recorded.kind is VerdictKind.ADDED
    assert (row.order_key, row.version_id) == (
        recorded.target.order_key,
        recorded.target.version_id,
    )
    assert (recorded.target.order_key.observed_from, recorded.target.verified_time) == (
        at(1),
        at(1),
    )
    assert recorded.summary is not None
    assert recorded.summary.reasons == ("x", "y")


async def test_a_closed_page_has_no_version(timelines: Timelines) -> None:
    """Closing has the order key of the first observation that found the page gone."""
    await record(timelines, incoming("A", 1))

    closed = await record(timelines, incoming("", 2))

    assert (closed.target.closed, closed.target.version_id) == (True, "")
    assert closed.target.order_key.observed_from == at(2)
    assert closed.reason == "not_found"
    (row,) = closed.rows
    assert row.observed_to == at(2)


async def test_the_same_sighting_is_answered_alike(timelines: Timelines) -> None:
    """A redelivery finds its answer, and writes nothing."""
    coming = incoming("A", 1)
    first = await record(timelines, coming)
    before = await timelines.read(incoming("B", 2))

    second = await record(timelines, coming)

    assert second == first
    assert await timelines.read(incoming("B", 2)) == before


async def test_an_answer_says_how_the_page_stands_now(timelines: Timelines) -> None:
    """The kind stays; the target is today's, so that a late answer never misleads."""
    coming = incoming("A", 1)
    await record(timelines, coming)
    newer = await record(timelines, incoming("B", 2))

    again = await record(timelines, coming)

    assert (again.kind, again.late, again.target) == (VerdictKind.ADDED, False, newer.target)
    assert [row.observed_to for row in again.rows] == [at(2), None]


async def test_a_change_of_a_stale_sequence_is_not_written(timelines: Timelines) -> None:
    """Two workers on one page: the second one computes again."""
    first, second = incoming("A", 1), incoming("B", 2)
    stale = apply_observation(second, (await timelines.read(second)).context)
    await record(timelines, first)

    refused = await timelines.commit([placed(second, stale)])

    assert [None] == refused
    assert await timelines.observation(second.observation.fetch_id) is None
    assert (await record(timelines, second)).target.order_key.observed_from == at(2)


async def test_of_several_pages_only_the_changed_one_is_refused(timelines: Timelines) -> None:
    """Pages in one transaction are recorded as each alone, new and known ones."""
    known, raced = PageId(f"{PAGE[:-1]}8"), PageId(f"{PAGE[:-1]}9")
    await record(timelines, incoming("A", 1, page_id=known))
    coming = [incoming("B", 2, page_id=page) for page in (raced, OTHER_PAGE, known)]
    snapshots = await timelines.read_many(coming)
    await record(timelines, incoming("A", 1, page_id=raced))
    changes = [
        placed(one, apply_observation(one, snapshot.context))
        for one, snapshot in zip(coming, snapshots, strict=True)
    ]
    recorded = await timelines.commit(changes)
    told = [one and [(row.observed_to, row.row_revision) for row in one.rows] for one in recorded]

    assert [None, [(None, 1)], [(at(2), 2), (None, 3)]] == told
    assert await timelines.observation(coming[0].observation.fetch_id) is None
    assert [await timelines.read(one) for one in coming] == await timelines.read_many(coming)
    assert recorded[1:] == [(await timelines.read(one)).recorded for one in coming[1:]]


async def test_row_revisions_rise_with_every_change_of_a_row(timelines: Timelines) -> None:
    """Whoever holds a lower revision of a row knows that it is stale."""
    opened = (await record(timelines, incoming("A", 1))).rows[0]
    closed = (await record(timelines, incoming("B", 5))).rows[0]
    earlier = (await record(timelines, incoming("B", 4))).rows[0]

    assert opened.version_id == closed.version_id == earlier.version_id
    assert [opened.observed_to, closed.observed_to, earlier.observed_to] == [None, at(5), at(4)]
    assert opened.row_revision < closed.row_revision < earlier.row_revision


async def test_a_row_says_when_it_began_before_its_order_key(timelines: Timelines) -> None:
    """The order key is for good; the interval may begin earlier."""
    await record(timelines, incoming("A", 1))
    await record(timelines, incoming("B", 5))

    rows = (await record(timelines, incoming("B", 4))).rows

    assert [row.first_observed_time for row in rows] == [None, at(4)]
    assert rows[1].order_key.observed_from == at(5)


async def test_every_revision_of_a_stay_ends_with_it(timelines: Timelines) -> None:
    """Revisions share the interval of their run."""
    await record(timelines, incoming("A", 1, "one"))
    await record(timelines, incoming("A2", 1, "one", pipeline="p2"))

    rows = (await record(timelines, incoming("B", 2, pipeline="p2"))).rows

    assert [(row.order_key.revision, row.observed_to) for row in rows] == [
        (0, at(2)),
        (1, at(2)),
        (0, None),
    ]


async def test_pages_do_not_see_each_other(timelines: Timelines) -> None:
    """A text of one page restores nothing on another."""
    await record(timelines, incoming("A", 1))

    other = await record(timelines, incoming("A", 2, page_id=OTHER_PAGE))

    assert other.kind is VerdictKind.ADDED
    assert len(other.rows) == 1


async def test_both_adapters_answer_alike() -> None:
    """Eighty random incoming observations of one page: memory and SQLite agree on every answer."""
    chance = random.Random(20260301)
    memory, database = MemoryTimelines(), Database("sqlite://")
    async with database.transaction() as connection:
        await connection.run_sync(metadata.create_all)
    sql = SqlTimelines(database)
    minutes = random.Random(7).sample(range(1000), 80)

    for minute in minutes:
        name = str(chance.choice(minutes[: minutes.index(minute) + 1]))
        known = await memory.observation(fetch(name))
        text = chance.choice(["A", "B", "C", ""])
        if known is not None:
            text = known.text_digest
        at_minute = minute if known is None else int(name)
        coming = incoming(text, at_minute, name, pipeline=chance.choice(["p1", "p1", "p2"]))

        assert await record(sql, coming) == await record(memory, coming)
    await database.close()
