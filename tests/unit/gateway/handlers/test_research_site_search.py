"""The own search of a site as a source of links for a research run, with scripted services."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from scops.common.contract.errors import InvalidInput, TransientError
from scops.common.contract.messages.crawl import (
    PagePlanResponse,
    SearchedPage,
    SiteSearchRequest,
    SiteSearchResponse,
)
from scops.common.contract.messages.explanation import (
    LinkGain,
    LinkSeen,
    RankLinksRequest,
    RankLinksResponse,
)
from scops.common.query.ports import PAGE_PLAN, RANK_LINKS, SITE_SEARCH
from scops.gateway.handlers.research.site_search import FAILURES_MAX
from scops.gateway.research.research import Research, ResearchState, StopReason
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world
from tests.unit.gateway.handlers.test_research import (
    ANN,
    QUESTION,
    answers,
    begun,
    covered,
    fetches,
    links,
    worked,
)

INDEX = f"{DOCS}searchindex.js"


@pytest.fixture
async def world() -> AsyncIterator[GatewayWorld]:
    """A gateway with the scope `docs` of Ann, whose pages are fetched at once and link to `a`."""
    async with gateway_world() as opened:
        await opened.create_scope(owner=ANN)
        opened.says(PAGE_PLAN, PagePlanResponse())
        fetches(opened)
        links(opened, "a")
        yield opened


def searches(
    world: GatewayWorld, *found: SiteSearchResponse | Exception
) -> list[SiteSearchRequest]:
    """Has the site searched, in turn and the last for ever; returns what is asked."""
    asked: list[SiteSearchRequest] = []
    left = list(found)

    async def search(request: SiteSearchRequest) -> SiteSearchResponse:
        asked.append(request)
        said = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(said, Exception):
            raise said
        return said

    world.answer(SITE_SEARCH, search)
    return asked


def found(*paths: str, requested: bool = True, known: tuple[str, ...] = ()) -> SiteSearchResponse:
    """An index that finds pages, the first one best."""
    pages = tuple(
        SearchedPage(
            url=f"{DOCS}{path}", title=f"About {path}", score=1.0 / (1 + place), known=path in known
        )
        for place, path in enumerate(paths)
    )
    return SiteSearchResponse(
        outcome="searched", index_url=INDEX, named_by=DOCS, requested=requested, pages=pages
    )


def weighed(world: GatewayWorld) -> list[LinkSeen]:
    """Has links weighed by how well the search finds them; returns what is weighed."""
    seen: list[LinkSeen] = []

    async def ranked(request: RankLinksRequest) -> RankLinksResponse:
        seen.extend(request.links)
        gains = (LinkGain(gain=0.2 + 0.7 * link.searched) for link in request.links)
        return RankLinksResponse(links=tuple(gains))

    world.answer(RANK_LINKS, ranked)
    return seen


def shown(run: Research) -> list[tuple[str, str, str, str]]:
    return [
        (
            page.url.removeprefix(DOCS),
            page.found_on.removeprefix(DOCS),
            page.link_text,
            page.outcome,
        )
        for page in run.pages
    ]


async def test_what_the_site_finds_is_weighed_with_its_links(world: GatewayWorld) -> None:
    """The way to such a page leads by the index, which is a page of the budget; asked once."""
    answers(world, covered(0.1), covered(0.1), covered(0.9, page="b"))
    asked, seen = searches(world, found("b", "a", "k", known=("k",))), weighed(world)
    run = await worked(world, await begun(world, uri=DOCS))

    assert [
        ("", "", "", "indexed"),
        ("searchindex.js", "", "site search", "searched"),
        ("b", "searchindex.js", "About b", "indexed"),
        ("a", "", "a", "indexed"),
    ] == shown(run)
    assert [(f"{DOCS}b", "About b", 1.0), (f"{DOCS}a", "a", 0.5)] == [
        (link.url, link.anchor_text, link.searched) for link in seen[:2]
    ]
    assert [(QUESTION, (DOCS,))] == [(one.query, one.urls) for one in asked]
    assert [1, 1, 1] == [page.step for page in run.pages[1:]]
    assert [False, False, True, False] == [page.cited for page in run.pages]
    assert 4 == run.steps[1].fetched


async def test_an_index_that_is_held_costs_no_fetch(world: GatewayWorld) -> None:
    """It is known, as a start is that the index of Scops holds."""
    answers(world, covered(0.1))
    searches(world, found("b", requested=False))
    run = await worked(world, await begun(world, uri=DOCS))

    assert ("searchindex.js", "", "site search", "known") == shown(run)[1]


@pytest.mark.parametrize(
    ("outcome", "reason", "shown_as"),
    [
        ("blocked", "robots", "blocked"),
        ("gone", "http_404", "gone"),
        ("failed", "unreadable", "dead"),
    ],
)
async def test_why_nothing_was_searched_is_told(
    world: GatewayWorld, outcome: str, reason: str, shown_as: str
) -> None:
    """The run goes on by links, and asks no more."""
    answers(world, covered(0.1))
    refused = SiteSearchResponse(
        outcome=outcome, reason=reason, index_url=INDEX, named_by=DOCS, requested=True
    )
    asked = searches(world, refused)
    run = await worked(world, await begun(world, uri=DOCS))

    assert (INDEX, shown_as, reason) == (
        run.pages[1].url,
        run.pages[1].outcome,
        run.pages[1].reason,
    )
    assert ["", "searchindex.js", "a"] == [page[0] for page in shown(run)]
    assert StopReason.NOTHING_LEFT is run.stopped
    assert 1 == len(asked)


async def test_pages_are_looked_at_until_one_names_an_index(world: GatewayWorld) -> None:
    """Each page once."""
    answers(world, covered(0.1))
    asked = searches(world, SiteSearchResponse(), found("b"))
    run = await worked(world, await begun(world, uri=DOCS))

    assert [(DOCS,), (f"{DOCS}a",)] == [one.urls for one in asked]
    assert ["", "a", "searchindex.js", "b"] == [page[0] for page in shown(run)]


async def test_a_site_without_a_search_changes_nothing(world: GatewayWorld) -> None:
    """No page is added to the run."""
    answers(world, covered(0.1))
    searches(world, SiteSearchResponse())
    run = await worked(world, await begun(world, uri=DOCS))

    assert ["", "a"] == [page[0] for page in shown(run)]


async def test_a_search_that_takes_too_long_is_gone_on_without(world: GatewayWorld) -> None:
    """It is asked again at the next look, and not for ever."""
    answers(world, *(covered(0.1 + 0.1 * look) for look in range(6)))
    busy = TransientError("The host is asked by somebody else.", reason="HOST_BUSY")
    asked = searches(world, busy)
    links(world, *(f"p{number}" for number in range(20)))
    run = await worked(world, await begun(world, uri=DOCS))

    assert ResearchState.ENDED is run.state
    assert len(run.pages) > 9
    assert FAILURES_MAX == len(asked)
    later = searches(world, busy, found("b"))
    again = await worked(world, await begun(world, uri=DOCS))
    assert 2 == len(later)
    assert "searchindex.js" in [page[0] for page in shown(again)]


async def test_a_run_that_goes_on_elsewhere_counts_its_index_once(world: GatewayWorld) -> None:
    """Whoever takes it up asks again, of what the fetcher holds."""
    answers(world, covered(0.1))
    searches(world, found("b"))
    links(world)
    run = await begun(world, uri=DOCS)
    save = world.ports.research.save

    async def killed(one: Research, **values: Any) -> bool:
        if any(page.url == INDEX and one.job_id for page in one.pages):
            raise RuntimeError("killed while its pages are fetched")
        return await save(one, **values)

    world.ports.research.save = killed  # type: ignore[method-assign]
    with pytest.raises(RuntimeError):
        await worked(world, run)
    world.ports.research.save = save  # type: ignore[method-assign]
    kept = await world.ports.research.get(run.research_id)
    assert kept is not None
    searches(world, found("b", "c", requested=False))
    after = await worked(world, kept)

    assert ["", "searchindex.js", "b", "c"] == [page[0] for page in shown(after)]
    assert "searched" == after.pages[1].outcome


async def test_the_budget_has_room_for_a_page_that_it_finds(world: GatewayWorld) -> None:
    """Or nothing is searched."""
    answers(world, covered(0.1))
    asked = searches(world, found("b"))
    run = await worked(world, await begun(world, uri=DOCS, pages=2))

    assert [] == asked
    assert ["", "a"] == [page[0] for page in shown(run)]


async def test_a_question_that_cannot_be_asked_fails_the_run(world: GatewayWorld) -> None:
    """An error that no waiting mends is told."""
    answers(world, covered(0.1))
    searches(world, InvalidInput("No.", reason="QUERY_OUT_OF_RANGE"))
    run = await worked(world, await begun(world, uri=DOCS))

    assert ResearchState.FAILED is run.state
