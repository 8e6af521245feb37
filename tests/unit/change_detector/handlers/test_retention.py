"""Retention: what goes, what a pin keeps, and that nothing else is lost."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scops.change_detector.handlers.queries import answer_diff, answer_history
from scops.change_detector.handlers.retention import (
    answer_pin,
    handle_page_cited,
    retain,
    retention_days,
)
from scops.change_detector.handlers.what_changed import answer_what_changed
from scops.change_detector.manifests.bodies import load_manifest
from scops.change_detector.timeline.records import PageAddress
from scops.common.contract.errors import BlobMissing, InvalidInput, NotFound
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.change import (
    DiffRequest,
    HistoryRequest,
    PinRequest,
    VersionsDropped,
    WhatChangedRequest,
)
from scops.common.contract.messages.explanation import CitedPage, PageCited
from scops.common.contract.messages.types import Scope, ScopeRef
from tests.fakes.clock import ManualClock
from tests.fakes.worlds.change import PAGE, START, ChangeWorld, at, cause, scope_of, sql_world

DAY = 24 * 60
FIRST = "# Fees\nThe fee is 5 euros."
SECOND = "# Fees\nThe fee is 6 euros."
THIRD = "# Fees\nThe fee is 7 euros."
SCOPE = ScopeRef(scope_id=ScopeId("docs"), revision=1)


def scope(days: int, **fields: str) -> Scope:
    """Returns a scope that keeps versions for some days."""
    return scope_of(retention_days=days, **fields)


@pytest.fixture
async def clock() -> ManualClock:
    """A clock 40 days after the first version, in the time of the archive."""
    return ManualClock(at(40 * DAY))


@pytest.fixture
async def world(clock: ManualClock) -> AsyncIterator[ChangeWorld]:
    """Yields a page with three versions: two days old texts, then one that stands."""
    made = await sql_world(clock=clock)
    await made.see("one", FIRST, 0)
    await made.see("two", SECOND, 1 * DAY)
    await made.see("three", THIRD, 35 * DAY)
    yield made
    await made.close()


class PutMeanwhile:
    """An archive where a writer puts a text right before the collector takes it away."""

    def __init__(self, archive: Any, digest: str, data: bytes) -> None:
        self._archive, self._digest, self._data = archive, digest, data
        self.was_put = False

    async def set_aside(self, digest: str) -> datetime | None:
        await self._meet(digest)
        set_aside: datetime | None = await self._archive.set_aside(digest)
        return set_aside

    async def _meet(self, digest: str) -> None:
        if digest == self._digest and not self.was_put:
            self.was_put = True
            await self._archive.put(self._data, media_type="text/plain")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._archive, name)


async def retained(world: ChangeWorld) -> list[VersionsDropped]:
    """Goes over the pages once, with every scope here; returns what was told."""
    world.ports.scopes.complete = True
    world.ports.scopes.vouched_time = world.ports.clock.now()
    return await gone_over(world)


async def gone_over(world: ChangeWorld) -> list[VersionsDropped]:
    """Goes over the pages once; returns what was told."""
    told: list[VersionsDropped] = []

    async def tell(news: VersionsDropped, organisation_id: str) -> None:
        told.append(news)

    await retain(world.ports, tell)
    return told


async def reasons(world: ChangeWorld) -> list[str]:
    """Returns why each version is not kept, newest first."""
    history = await answer_history(HistoryRequest(page_id=PAGE), world.ports)
    return [entry.dropped_reason for entry in history.versions]


async def test_ended_versions_go_after_the_days_of_their_scope(world: ChangeWorld) -> None:
    """The second ended five days ago and stays; what stands stays whatever its age."""
    world.ports.scopes.apply(scope(30))
    (news,) = await retained(world)
    history = await answer_history(HistoryRequest(page_id=PAGE), world.ports)

    assert ["", "", "expired"] == [entry.dropped_reason for entry in history.versions]
    assert [history.versions[2].version_id] == [version.version_id for version in news.versions]
    assert (PAGE, "expired") == (news.page_id, news.reason)
    assert [] == await retained(world)


async def test_nothing_goes_while_a_scope_may_be_missing(world: ChangeWorld) -> None:
    """A book that nobody vouches for, or long ago, may lack the scope that keeps longest."""
    book = world.ports.scopes
    book.apply(scope(30))
    book.complete = True
    unvouched = await gone_over(world)
    book.vouched_time = world.ports.clock.now() - timedelta(hours=1)
    long_ago = await gone_over(world)
    book.apply(scope(90, name="long"))
    whole = await retained(world)

    assert ([], [], []) == (unvouched, long_ago, whole)


async def test_the_scope_that_keeps_longest_wins(world: ChangeWorld) -> None:
    """A scope without a number keeps for good; a page that no scope holds is kept."""
    address = PageAddress(
        page_id=PAGE,
        organisation_id="main",
        access_context="public",
        canonical_url="https://example.org/page",
    )

    assert 90 == retention_days(address, [scope(30), scope(90, name="long")])
    assert 0 == retention_days(address, [scope(30), scope(0, name="for-good")])
    assert 0 == retention_days(address, [scope(30, pattern="else.org/")])
    assert 30 == retention_days(
        address,
        [
            scope(30),
            scope(90, pattern="else.org/", name="else"),
        ],
    )


async def test_a_pin_keeps_a_version(world: ChangeWorld, clock: ManualClock) -> None:
    """Until it ends or is taken away."""
    world.ports.scopes.apply(scope(2))
    first = (await answer_history(HistoryRequest(page_id=PAGE), world.ports)).versions[2]
    pin = PinRequest(page_id=PAGE, version=first.version_id, days=10, note="cited in a report")
    pinned = await answer_pin(pin, world.ports)
    await retained(world)
    during = await answer_history(HistoryRequest(page_id=PAGE), world.ports)
    clock.advance(11 * DAY * 60)
    await retained(world)

    assert pinned.until_time == at(50 * DAY)
    assert ["", "expired", ""] == [entry.dropped_reason for entry in during.versions]
    assert "until 2026-04-20: cited in a report" == during.versions[2].pin
    assert ["", "expired", "expired"] == await reasons(world)


async def test_a_pin_can_be_taken_away(world: ChangeWorld) -> None:
    """And one that makes no sense is refused."""
    world.ports.scopes.apply(scope(2))
    pin = PinRequest(page_id=PAGE, version="previous")
    await answer_pin(pin, world.ports)
    await answer_pin(replace(pin, unpin=True), world.ports)
    await retained(world)

    assert ["", "expired", "expired"] == await reasons(world)
    with pytest.raises(NotFound):
        await answer_pin(pin, world.ports)
    with pytest.raises(InvalidInput):
        await answer_pin(replace(pin, days=-1), world.ports)


async def test_questions_about_a_dropped_version_say_so(world: ChangeWorld) -> None:
    """No other text takes its place; a page is told of without the edits since then."""
    world.ports.scopes.apply(scope(2))
    await retained(world)
    news = await answer_what_changed(WhatChangedRequest(scope=SCOPE, since=at(10)), world.ports)
    (change,) = news.changes

    with pytest.raises(NotFound, match="not kept any more"):
        await answer_diff(DiffRequest(page_id=PAGE), world.ports)
    assert () == change.edits


async def test_a_text_that_returns_after_it_went_is_new(world: ChangeWorld) -> None:
    """And the page goes on as if nothing had been: a late observation of that time as well."""
    world.ports.scopes.apply(scope(2))
    await retained(world)
    again = await world.see("again", FIRST, 41 * DAY)
    late = await world.see("late", "# Fees\nNo fee yet.", 0.5 * DAY)
    same = await world.see("same", SECOND, 2 * DAY)

    assert "VersionAdded" == type(again).__name__
    assert (await world.manifest(again)).compared_with
    assert late.verdict.late
    assert same.verdict.late
    assert all(row.manifest for row in late.verdict.versions)


async def test_a_text_that_is_put_while_it_is_collected_stays(
    world: ChangeWorld, clock: ManualClock
) -> None:
    """Whoever puts it between the collector's last look and its deed finds it ever after."""
    world.ports.scopes.apply(scope(2))
    history = await answer_history(HistoryRequest(page_id=PAGE), world.ports)
    second = (await load_manifest(world.archive, history.versions[1].manifest)).text
    archive = PutMeanwhile(world.archive, second.digest, SECOND.encode())
    world.ports = replace(world.ports, archive=archive)
    await retained(world)
    clock.advance((datetime.now(UTC) - START + timedelta(days=400)).total_seconds())
    await retained(world)
    await world.see("again", SECOND, 36 * DAY)
    for _ in range(3):
        clock.advance(timedelta(days=9).total_seconds())
        await retained(world)

    assert archive.was_put
    assert SECOND.encode() == await world.archive.get(second)


async def test_blobs_go_once_no_kept_version_refers_to_them(
    world: ChangeWorld, clock: ManualClock
) -> None:
    """A day later; a text that another version shows again runs."""
    world.ports.scopes.apply(scope(2))
    await world.see("again", FIRST, 39 * DAY)
    history = await answer_history(HistoryRequest(page_id=PAGE), world.ports)
    manifests = [await load_manifest(world.archive, entry.manifest) for entry in history.versions]
    await retained(world)
    # Blobs of this test were put in real time: a clock far ahead makes them old.
    clock.advance((datetime.now(UTC) - START + timedelta(days=400)).total_seconds())
    await retained(world)
    # Set aside, and long enough for everybody who put one before.
    clock.advance(timedelta(days=9).total_seconds())
    await retained(world)

    kept, third, second, first = manifests
    assert kept.text == first.text
    assert (await world.archive.get(kept.text)).decode() == FIRST
    assert (await world.archive.get(third.text)).decode() == THIRD
    with pytest.raises(BlobMissing):
        await world.archive.get(second.text)
    with pytest.raises(BlobMissing):
        await world.archive.get(history.versions[3].manifest)


async def test_what_an_answer_cited_is_kept(world: ChangeWorld, clock: ManualClock) -> None:
    """For as long as a pin lasts by default, and the history says why."""
    world.ports.scopes.apply(scope(3))
    cited = world.published[0].verdict.version_id
    pages = (CitedPage(page_id=PAGE, version_id=cited, count=0), CitedPage(page_id=PAGE, count=1))
    event = PageCited(pages=pages, from_time=at(2 * DAY), to_time=at(2 * DAY + 1))

    assert () == await handle_page_cited(event, cause("cited"), world.ports)
    await retained(world)
    history = await answer_history(HistoryRequest(page_id=PAGE), world.ports)
    clock.advance(timedelta(days=world.ports.settings.pin_days).total_seconds())
    told = await retained(world)

    assert ["", "expired", ""] == [entry.dropped_reason for entry in history.versions]
    assert history.versions[-1].pin.endswith(": cited")
    assert [cited] == [version.version_id for news in told for version in news.versions]


async def test_raw_bodies_follow_their_versions(world: ChangeWorld, clock: ManualClock) -> None:
    """A body goes with the last version that it opened; of what stands it is kept."""
    bodies = {}
    for name, text, days in (("four", FIRST, 36), ("five", SECOND, 37), ("six", THIRD, 38)):
        body = await world.archive.put(f"<p>{text}</p>".encode(), media_type="text/html")
        event = await world.extracted(name, text, days * DAY)
        await world.handle(replace(event, body=body))
        bodies[name] = body
    world.ports.scopes.apply(scope(30))
    # The archive keeps the time of the machine: far ahead, every blob is older than a day.
    clock.advance(timedelta(days=20 * 365).total_seconds())

    await retained(world)
    clock.advance(timedelta(days=2).total_seconds())
    await retained(world)
    # Set aside first, and deleted when nobody can refer to it any more.
    clock.advance(timedelta(days=9).total_seconds())
    await retained(world)

    for name in ("four", "five"):
        with pytest.raises(BlobMissing):
            await world.archive.get(bodies[name])
    assert b"7 euros" in await world.archive.get(bodies["six"])
