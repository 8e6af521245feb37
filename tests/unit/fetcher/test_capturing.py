"""What a reader captured becomes a fetch of its own context, whose result is known."""

from dataclasses import replace
from datetime import timedelta

import pytest

from scops.common.contract import ids
from scops.common.contract.errors import InvalidInput, NotFound
from scops.common.contract.messages.content import PageKind
from scops.common.contract.messages.crawl import (
    CapturePageRequest,
    ImportState,
    KnownPage,
    PageFetched,
    PageGone,
    PagePlanRequest,
)
from scops.common.contract.messages.index import IndexOutcome
from scops.common.contract.messages.types import BodyRef
from scops.common.contract.service_table import Lane
from scops.common.scope.contexts import PUBLIC
from scops.fetcher import queries
from scops.fetcher.adapters.sql import tables
from scops.fetcher.capturing import capture_page
from tests.fakes.clock import START
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

URL = "https://a.test/inside"
MINE, OTHERS = "captures-1", "captures-2"
CAPTURE = CapturePageRequest(
    canonical_url=URL,
    access_context=MINE,
    observed_time=START,
    body=BodyRef(digest="d" * 64, size=9, media_type="text/html"),
    captured_by="user:ann",
)
LATER = replace(
    CAPTURE,
    observed_time=START + timedelta(hours=1),
    body=BodyRef(digest="e" * 64, size=9, media_type="text/html"),
)


async def state(world: FetcherWorld, capture: CapturePageRequest) -> ImportState:
    return (await capture_page(capture, world.ports)).state


async def plan(world: FetcherWorld, *contexts: str) -> KnownPage | None:
    request = PagePlanRequest(url=URL, access_contexts=contexts)
    return (await queries.page_plan(request, world.ports)).page


async def fetched(world: FetcherWorld) -> PageFetched:
    """Has the URL fetched without a credential, extracted and indexed."""
    world.source.serve(URL, page_answer(URL))
    world.scopes.apply(scope("a.test"))
    await world.fetch(URL)
    await world.step()
    return await world.event(PageFetched)


async def says(world: FetcherWorld, event: PageFetched, digest: str) -> None:
    """Has a fetch extracted to a text, and indexed."""
    text = BodyRef(digest=digest, size=9)
    await world.take(replace(await world.extracted(event), text=text))
    await world.index(event)


async def test_a_capture_is_a_page_of_its_context(world: FetcherWorld) -> None:
    """Its event says who captured it and when it was seen; one is on its way at a time."""
    assert ImportState.ACCEPTED is await state(world, CAPTURE)
    event = await world.event(PageFetched)
    assert [ImportState.KNOWN, ImportState.BUSY] == [
        await state(world, CAPTURE),
        await state(world, LATER),
    ]
    await world.extract(event)
    await world.index(event)

    assert (ids.page_id("main", MINE, URL), MINE, "user:ann", START, CAPTURE.body) == (
        event.page_id,
        event.access_context,
        event.captured_by,
        event.observed_time,
        event.body,
    )
    assert ImportState.ACCEPTED is await state(world, LATER)


async def test_nobody_finds_a_page_of_a_context_that_they_do_not_hold(world: FetcherWorld) -> None:
    """Nor does who names none: that is what is public."""
    await state(world, CAPTURE)
    found = await plan(world, PUBLIC, MINE)

    assert [None, None] == [await plan(world), await plan(world, PUBLIC, OTHERS)]
    assert found is not None
    assert (MINE, "user:ann", START) == (
        found.access_context,
        found.captured_by,
        found.last_fetch_time,
    )


async def test_a_crawl_that_meets_a_login_leaves_the_capture_alone(world: FetcherWorld) -> None:
    """Of two pages of one URL the one that the index has speaks for it."""
    await state(world, CAPTURE)
    captured = await world.event(PageFetched)
    await world.extract(captured)
    await world.index(captured)
    wall = await fetched(world)
    await world.extract(wall, kind=PageKind.LOGIN_WALL)
    found = await plan(world, PUBLIC, MINE)

    assert captured.page_id != wall.page_id
    assert "" == wall.captured_by
    assert found is not None
    assert (captured.page_id, "fetched") == (found.page_id, found.status)


async def test_a_capture_of_what_is_fetched_is_no_version(world: FetcherWorld) -> None:
    """It is joined to that page; an earlier capture of the page is closed."""
    await state(world, CAPTURE)
    first = await world.event(PageFetched)
    await world.extract(first)
    await world.index(first)
    public = await fetched(world)
    await says(world, public, "f" * 64)

    assert ImportState.ACCEPTED is await state(world, LATER)
    again = await world.event(PageFetched)
    assert ("", "f" * 64) == (first.public_text_digest, again.public_text_digest)
    await world.extract(again, kind=PageKind.REPEATED)
    gone = await world.event(PageGone)
    found = await plan(world, MINE)

    assert (again.page_id, MINE, public.page_id) == (
        gone.page_id,
        gone.access_context,
        gone.moved_to,
    )
    assert found is not None
    assert ("joined", "same_content", URL) == (found.status, found.last_reason, found.joined_url)


async def test_a_capture_of_what_is_fetched_alone_closes_nothing(world: FetcherWorld) -> None:
    """No version of it was ever there."""
    public = await fetched(world)
    await says(world, public, "f" * 64)
    await state(world, CAPTURE)
    await world.extract(await world.event(PageFetched), kind=PageKind.REPEATED)
    found = await plan(world, MINE)

    assert [] == await world.events(PageGone)
    assert found is not None
    assert "joined" == found.status


async def test_a_capture_waits_for_nobody(world: FetcherWorld) -> None:
    """A person waits for it."""
    await state(world, CAPTURE)
    rows = await world.rows(tables.outbox)

    assert [Lane.NOW.value] == [row.lane for row in rows]


async def test_what_is_gone_closes_its_page(world: FetcherWorld) -> None:
    """Its digest is told once the index has it, and no more when it is gone; it may come back."""
    gone = replace(LATER, body=None)
    back = replace(CAPTURE, observed_time=LATER.observed_time + timedelta(hours=1))
    with pytest.raises(NotFound, match="never captured"):
        await capture_page(gone, world.ports)
    await state(world, replace(CAPTURE, last_modified_time=START - timedelta(days=1)))
    before = await plan(world, MINE)
    event = await world.event(PageFetched)
    await world.extract(event)
    await world.index(event)
    stands = await plan(world, MINE)
    assert ImportState.ACCEPTED is await state(world, gone)
    closing = await world.event(PageGone)
    await world.index(closing, outcome=IndexOutcome.CLOSED)
    closed = await plan(world, MINE)
    assert before is not None
    assert stands is not None
    assert closed is not None

    assert START - timedelta(days=1) == event.last_modified_time
    assert (event.page_id, MINE) == (closing.page_id, closing.access_context)
    assert ["", "d" * 64, ""] == [one.content_digest for one in (before, stands, closed)]
    assert ("gone", "gone") == (closed.status, closed.last_reason)
    assert [ImportState.KNOWN, ImportState.ACCEPTED] == [
        await state(world, replace(gone, observed_time=back.observed_time)),
        await state(world, back),
    ]


@pytest.mark.parametrize("context", ["", PUBLIC])
async def test_what_is_public_is_fetched(world: FetcherWorld, context: str) -> None:
    """Nobody puts words into the mouth of a public page."""
    with pytest.raises(InvalidInput, match="not public"):
        await capture_page(replace(CAPTURE, access_context=context), world.ports)
