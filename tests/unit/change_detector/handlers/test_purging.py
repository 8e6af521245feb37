"""Purges: what goes of a page, what stays, and that nothing of before comes back."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from sqlalchemy import func, select

from scops.change_detector.adapters.tables import observation, verdict, version
from scops.change_detector.handlers.purging import (
    answer_purge_counts,
    collect_purged,
    handle_pages_purged,
)
from scops.change_detector.handlers.queries import answer_diff, answer_history
from scops.common.contract.errors import BlobMissing, NotFound
from scops.common.contract.ids import PageId, PurgeId, sha256_hex
from scops.common.contract.messages.change import DiffRequest, HistoryRequest, VersionAdded
from scops.common.contract.messages.content import PageKind
from scops.common.contract.messages.crawl import PageUnmodified
from scops.common.contract.messages.purge import (
    PagesPurged,
    PurgeApplied,
    PurgeCountsRequest,
    VersionsPurged,
)
from scops.common.contract.messages.types import BodyRef
from tests.fakes.clock import ManualClock
from tests.fakes.worlds.change import (
    PAGE,
    START,
    URL,
    ChangeWorld,
    at,
    cause,
    fetch,
    sql_world,
)

FIRST, SECOND = "# Fees\nThe fee is 5 euros.", "# Fees\nThe fee is 6 euros."
# The archive keeps the time of the machine: a purge noted far ahead finds every blob older.
LATER = 60.0 * 24 * 365 * 20
OTHER = PageId("other")


@pytest.fixture
async def world() -> AsyncIterator[ChangeWorld]:
    """Yields a page that showed one text from minute 0, and another from minute 10 to 20."""
    made = await sql_world(clock=ManualClock(at(LATER)))
    await made.see("one", FIRST, 0, title="Quillfeather")
    await made.see("two", SECOND, 10)
    await made.unmodified("three", "two", 20)
    yield made
    await made.close()


def purge(before: float, *, page_id: PageId = PAGE, bodies: tuple[str, ...] = ()) -> PagesPurged:
    """Returns the purge of a page before a minute."""
    return PagesPurged(
        purge_id=PurgeId("purge"),
        attempt=1,
        batch=1,
        page_ids=(page_id,),
        before_time=at(before),
        body_digests=bodies,
    )


async def purged(world: ChangeWorld, event: PagesPurged) -> tuple[VersionsPurged, PurgeApplied]:
    """Handles a purge, and lets the blobs go."""
    told, applied = await handle_pages_purged(event, cause(), world.ports)
    assert isinstance(told, VersionsPurged)
    assert isinstance(applied, PurgeApplied)
    return told, applied


async def collected(world: ChangeWorld) -> list[PurgeApplied]:
    """Lets the blobs go; returns what was reported."""
    reports: list[PurgeApplied] = []

    async def report(applied: PurgeApplied, organisation_id: str) -> None:
        reports.append(applied)

    await collect_purged(world.ports, report)
    return reports


async def count(world: ChangeWorld, table: object) -> int:
    """Returns how many rows a table has."""
    assert world.database is not None
    async with world.database.reading() as connection:
        found = await connection.execute(select(func.count()).select_from(table))  # type: ignore[arg-type]
        return int(found.scalar_one())


async def reasons(world: ChangeWorld) -> list[str]:
    """Returns why each version of the page is not kept, newest first."""
    history = await answer_history(HistoryRequest(page_id=PAGE), world.ports)
    return [one.dropped_reason for one in history.versions]


async def test_a_whole_page_becomes_tombstones_without_words(world: ChangeWorld) -> None:
    """History tells that versions were, when they stood, and that the page is purged."""
    told, _ = await purged(world, purge(30))
    history = await answer_history(HistoryRequest(page_id=PAGE), world.ports)

    assert ["purged", "purged"] == [one.dropped_reason for one in history.versions]
    assert (True, "purged") == (history.closed, history.closed_reason)
    assert {("", "", "")} == {(v.title, v.text_digest, v.manifest.digest) for v in history.versions}
    assert [(PAGE, at(10))] == [(page.page_id, page.purged_through_time) for page in told.pages]
    assert (0, 0) == (await count(world, observation), await count(world, verdict))
    with pytest.raises(NotFound):
        await answer_diff(DiffRequest(page_id=PAGE), world.ports)


async def test_a_text_that_was_seen_since_the_date_stays(world: ChangeWorld) -> None:
    """Before minute 15 both texts were observed; the second one was seen again at minute 20."""
    told, _ = await purged(world, purge(15))

    assert ["", "purged"] == await reasons(world)
    assert [at(0)] == [page.purged_through_time for page in told.pages]
    again = await world.unmodified("four", "two", 40)
    assert not again.verdict.closed


async def test_a_date_before_everything_drops_nothing(world: ChangeWorld) -> None:
    """A text that ended later is later."""
    told, _ = await purged(world, purge(0))

    assert ((), ["", ""]) == (told.pages, await reasons(world))


async def test_doing_it_again_changes_nothing_and_says_the_same(world: ChangeWorld) -> None:
    """A redelivery finds the page dropped, and tells the index just the same."""
    first, counted = await purged(world, purge(30))
    second, again = await purged(world, purge(30))

    assert (first, counted.counts) == (second, again.counts)
    assert {"versions": 2, "observations": 3} == {one.kind: one.count for one in counted.counts}


@pytest.mark.parametrize("minutes", [5.0, 29.0])
async def test_a_late_event_of_before_has_no_effect(world: ChangeWorld, minutes: float) -> None:
    """Neither a new text nor one that the purge has dropped comes back, and no blob stays."""
    late = await world.extracted("late", "# Fees\nThe fee was 4 euros.", minutes)
    await purged(world, purge(30))
    await collected(world)

    assert () == await world.handle_all(late)
    assert ["purged", "purged"] == await reasons(world)
    assert 0 == await count(world, observation)


async def test_a_redelivery_of_what_was_recorded_has_no_effect(world: ChangeWorld) -> None:
    """The answer of then is forgotten with the observation."""
    first = await world.extracted("one", FIRST, 0)
    await purged(world, purge(30))

    assert () == await world.handle_all(first)


async def test_a_late_304_of_before_has_no_effect(world: ChangeWorld) -> None:
    """It is neither tried again nor given up, though what it confirms is gone."""
    late = PageUnmodified(
        page_id=PAGE,
        fetch_id=fetch("late"),
        confirmed_fetch_id=fetch("two"),
        observed_time=at(25),
        access_context="public",
        canonical_url=URL,
    )
    await purged(world, purge(30))

    assert () == await world.handle_all(late)


async def test_a_page_that_is_only_on_its_way_is_marked_too(world: ChangeWorld) -> None:
    """Nothing of it was recorded when the purge came."""
    late = await world.extracted("late", FIRST, 5, page_id=OTHER)
    await purged(world, purge(30, page_id=OTHER))

    assert () == await world.handle_all(late)


async def test_what_is_observed_after_the_mark_begins_anew(world: ChangeWorld) -> None:
    """The same text is a version like any first one, later in the order of the page."""
    old = await answer_history(HistoryRequest(page_id=PAGE), world.ports)
    await purged(world, purge(30))
    fresh = await world.see("new", SECOND, 40)

    assert isinstance(fresh, VersionAdded)
    assert fresh.verdict.order_key.observed_from > old.versions[0].order_key.observed_from
    assert ["", "purged", "purged"] == await reasons(world)


async def test_every_blob_goes_that_nobody_else_refers_to(world: ChangeWorld) -> None:
    """Texts, documents and manifests, and bodies that nothing was extracted from."""
    unread = await world.archive.put(b"quillfeather", media_type="text/html")
    history = await answer_history(HistoryRequest(page_id=PAGE), world.ports)
    await purged(world, purge(30, bodies=(unread.digest,)))
    (report,) = await collected(world)

    blobs = [unread, *(v.manifest for v in history.versions)]
    blobs += [BodyRef(digest=sha256_hex(text.encode())) for text in (FIRST, SECOND)]
    for blob in blobs:
        with pytest.raises(BlobMissing):
            await world.archive.get(blob)
    assert ("archive", 1) == (report.owner, report.batch)
    assert [] == await collected(world)


async def test_a_blob_of_another_page_stays(world: ChangeWorld) -> None:
    """A mirror shows the same text; it is not purged."""
    await world.see("mirror", SECOND, 12, page_id=OTHER)
    await purged(world, purge(30))
    await collected(world)

    assert SECOND.encode() == await world.archive.get(BodyRef(digest=sha256_hex(SECOND.encode())))


async def test_blobs_of_a_page_that_is_no_article_go_too(world: ChangeWorld) -> None:
    """A wall has no version, and yet a text, a document and a body."""
    body = await world.archive.put(b"<form>quillfeather</form>", media_type="text/html")
    wall = await world.extracted("wall", "Sign in, quillfeather.", 12, kind=PageKind.LOGIN_WALL)
    assert () == await world.handle_all(replace(wall, body=body))
    await purged(world, purge(30))
    await collected(world)

    for blob in (body, wall.text, wall.document):
        with pytest.raises(BlobMissing):
            await world.archive.get(blob)


async def test_a_blob_that_was_put_again_is_waited_for(world: ChangeWorld) -> None:
    """It may be on its way into a version; the purge is not done before that is known."""
    world.ports = replace(world.ports, clock=ManualClock(START))
    await purged(world, purge(30))

    assert [] == await collected(world)
    assert FIRST.encode() == await world.archive.get(BodyRef(digest=sha256_hex(FIRST.encode())))


async def test_a_dry_run_counts_what_would_go(world: ChangeWorld) -> None:
    """Counting changes nothing."""
    request = PurgeCountsRequest(page_ids=(PAGE, OTHER), before_time=at(15))
    answer = await answer_purge_counts(request, world.ports)

    counts = {one.kind: one.count for one in answer.counts}
    assert {"versions": 1, "pins": 0}.items() <= counts.items()
    assert ["", ""] == await reasons(world)
    assert 2 == await count(world, version)
