"""Research runs, with two replicas, on SQLite and PostgreSQL."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import MetaData, func, select

from scops.common.contract.errors import InvalidInput, QuotaReached
from scops.common.contract.ids import JobId, PageId, ScopeId
from scops.common.contract.messages.types import ScopeRole
from scops.common.db.database import Database
from scops.gateway.adapters.sql.research import SqlResearch
from scops.gateway.adapters.sql.research_tables import research_page
from scops.gateway.adapters.sql.tables import metadata
from scops.gateway.chats.chat import ChatId
from scops.gateway.requests.request_keys import RequestKey
from scops.gateway.research.research import (
    PassedPage,
    Research,
    ResearchId,
    ResearchPage,
    ResearchState,
    ResearchStep,
    StopReason,
)
from scops.gateway.research.store import ResearchFilter
from scops.gateway.watches.watch import WatchBounds

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
CLAIM = timedelta(seconds=90)
OpenPair = Callable[[str, MetaData], Awaitable[tuple[Database, Database]]]
Stores = tuple[SqlResearch, SqlResearch, Database]
ANN = ResearchFilter(organisation_id="main", principal_id="user:ann")
COUNTED: dict[str, Any] = {"jobs": (JobId("i"), JobId("j")), "fetched_bytes": 9_000_000_000}
START, NEXT = "https://a.test/", "https://a.test/next"


@pytest.fixture
async def stores(open_pair: OpenPair) -> Stores:
    """The stores of two replicas on one state."""
    first, second = await open_pair("gateway", metadata)
    return SqlResearch(first), SqlResearch(second), first


def research(name: str = "a", **values: Any) -> Research:
    given = {
        "organisation_id": "main",
        "principal_id": "user:ann",
        "bounds": WatchBounds(limited_to=frozenset({ScopeId("s")}), ceiling=ScopeRole.VIEWER),
        "question": "how much?",
        "start_url": START,
        "hosts": ("b.test",),
        "scope_id": ScopeId("s"),
        "asked": (ScopeId("t"),),
        "chat_id": ChatId("c"),
        "created_time": AT,
        **values,
    }
    return Research(research_id=ResearchId(name), **given)


def gone_on(run: Research, **values: Any) -> Research:
    """A run that has fetched two pages and looked once."""
    pages = (
        ResearchPage(url=START, outcome="indexed", page_id="p1"),
        ResearchPage(url=NEXT, found_on=START, link_text="prices", gain=0.5, outcome="gone"),
    )
    passed = (PassedPage(url=f"{START}x", outcome="dead", reason="timeout", until=AT + DAY),)
    step = ResearchStep(
        number=1,
        fetched=1,
        fetched_bytes=900,
        coverage=0.25,
        probability=0.5,
        words=0.5,
        missing_words=("much",),
        time=AT,
    )
    looked = {"pages": pages, "steps": (step,), "passed": passed, "job_id": JobId("j")}
    return replace(run, **looked, **COUNTED, **values)


async def test_a_run_comes_back_as_it_was_kept(stores: Stores) -> None:
    """With pages, steps and bounds."""
    first, second, _ = stores
    run = await first.create(research(), key=None, open_max=9)
    kept = gone_on(run)

    assert await first.save(kept, until=AT + CLAIM)
    assert kept == await second.get(run.research_id)
    assert (kept,) == await second.newest(ANN, limit=9)
    assert () == await second.newest(replace(ANN, before="a"), limit=9)
    assert () == await second.newest(replace(ANN, principal_id="user:bob"), limit=9)


async def test_one_gateway_works_on_a_run(stores: Stores) -> None:
    """Until its claim has run out, it lets go, or the run has ended."""
    first, second, _ = stores
    for name in ("a", "b", "c"):
        await first.create(research(name), key=None, open_max=9)
    taken = await asyncio.gather(
        *(one.claim(now=AT, until=AT + CLAIM, limit=2) for one in (first, second))
    )
    names = [run.research_id for runs in taken for run in runs]

    assert ["a", "b", "c"] == sorted(names)
    assert () == await second.claim(now=AT, until=AT + CLAIM, limit=9)
    assert 3 == len(await second.claim(now=AT + CLAIM, until=AT + 2 * CLAIM, limit=9))
    await second.release()
    assert 3 == len(await first.claim(now=AT, until=AT + CLAIM, limit=9))
    ended = replace(research("b"), state=ResearchState.ENDED, stopped=StopReason.COVERED)
    assert await first.save(ended, until=None)
    assert 2 == len(await second.claim(now=AT + CLAIM, until=AT + 2 * CLAIM, limit=9))


async def test_a_run_that_was_cancelled_is_not_kept_over(stores: Stores) -> None:
    """Whoever works on it learns so."""
    first, second, _ = stores
    run = await first.create(research(), key=None, open_max=9)
    await second.cancel(run.research_id, now=AT + CLAIM)
    found = await first.get(run.research_id)

    assert not await first.save(gone_on(run), until=AT + CLAIM)
    assert found == await second.get(run.research_id)
    assert found is not None
    assert (ResearchState.CANCELLED, AT + CLAIM) == (found.state, found.ended_time)


async def test_a_request_makes_one_run(stores: Stores) -> None:
    """Asked twice at once, it is the same; of another question it is refused."""
    first, second, _ = stores
    key = RequestKey(
        organisation_id="main", principal_id="user:ann", request_id="r", digest="how much?"
    )
    made = await asyncio.gather(
        first.create(research("a"), key=key, open_max=9),
        second.create(research("b"), key=key, open_max=9),
    )

    assert 1 == len({run.research_id for run in made})
    with pytest.raises(InvalidInput) as raised:
        await first.create(research("c"), key=replace(key, digest="how long?"), open_max=9)
    assert "REQUEST_ID_REUSED" == raised.value.reason


async def test_so_many_go_on_at_once(stores: Stores) -> None:
    """What has ended counts no more."""
    first, _, _ = stores
    for name in ("a", "b"):
        await first.create(research(name), key=None, open_max=2)
    with pytest.raises(QuotaReached):
        await first.create(research("c"), key=None, open_max=2)
    await first.cancel(ResearchId("a"), now=AT)

    assert "c" == (await first.create(research("c"), key=None, open_max=2)).research_id


async def test_what_was_fetched_in_vain_is_remembered_for_a_while(stores: Stores) -> None:
    """With why; of runs of the same scope."""
    first, second, _ = stores
    run = await first.create(research(), key=None, open_max=9)
    await first.save(gone_on(run), until=None)

    async def vain(scope: str, now: datetime) -> object:
        return await second.fruitless(ScopeId(scope), now=now, remembered=DAY)

    gone = PassedPage(url=NEXT, outcome="gone", reason="", until=AT + DAY)
    assert {NEXT: gone} == await vain("s", AT + DAY)
    assert {} == await vain("s", AT + 2 * DAY)
    assert {} == await vain("t", AT)


async def test_a_purge_takes_the_words_of_links(stores: Stores) -> None:
    """That stood on the pages purged, of runs that began before."""
    first, second, _ = stores
    run = await first.create(research(), key=None, open_max=9)
    await first.save(gone_on(run), until=None)

    assert 0 == await second.purge("main", [PageId("p1")], before=AT)
    assert 0 == await second.purge("main", [PageId("p2")], before=AT + DAY)
    assert 1 == await second.purge("main", [PageId("p1")], before=AT + DAY)
    assert 0 == await second.purge("main", [PageId("p1")], before=AT + DAY)
    found = await first.get(run.research_id)
    assert found is not None
    assert ["", ""] == [page.link_text for page in found.pages]


async def test_a_purge_takes_the_title_that_a_search_found(stores: Stores) -> None:
    """It is of the page purged, and stood in the index of its site."""
    first, second, _ = stores
    run = await first.create(research(), key=None, open_max=9)
    index = ResearchPage(
        url=f"{START}searchindex.js", found_on=START, link_text="site search", outcome="searched"
    )
    owls = ResearchPage(
        url=NEXT, found_on=index.url, link_text="Owls", outcome="indexed", page_id="p2"
    )
    await first.save(replace(gone_on(run), pages=(index, owls)), until=None)
    await second.purge("main", [PageId("p2")], before=AT + DAY)
    found = await first.get(run.research_id)

    assert found is not None
    assert ["site search", ""] == [page.link_text for page in found.pages]


async def test_old_runs_are_forgotten(stores: Stores) -> None:
    """Those that go on stay; a deleted one leaves nothing."""
    first, second, database = stores
    for name in ("a", "b", "c"):
        run = await first.create(research(name), key=None, open_max=9)
        await first.save(gone_on(run), until=None)
    await first.cancel(ResearchId("a"), now=AT)
    await first.delete(ResearchId("b"))

    assert 0 == await second.forget(created_before=AT, limit=9)
    assert 1 == await second.forget(created_before=AT + DAY, limit=9)
    assert ["c"] == [run.research_id for run in await first.newest(ANN, limit=9)]
    async with database.reading() as connection:
        counted = await connection.execute(select(func.count()).select_from(research_page))
        assert 1 == counted.scalar_one()
