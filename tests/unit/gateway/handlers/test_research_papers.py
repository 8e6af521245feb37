"""Papers as candidates of a research run, with scripted services."""

import zlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from scops.common.contract.errors import TransientError
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.crawl import (
    CapturePageRequest,
    CapturePageResponse,
    FoundPaper,
    ImportState,
    PageLinksResponse,
    PagePlanResponse,
    PaperSearchRequest,
    PaperSearchResponse,
    SiteSearchResponse,
)
from scops.common.contract.messages.retrieval import EmbedRequest, EmbedResponse
from scops.common.contract.messages.types import Grant, RuleKind, ScopeRole
from scops.common.query.ports import (
    CAPTURE_PAGE,
    EMBED,
    PAGE_LINKS,
    PAGE_PLAN,
    PAPER_SEARCH,
    SITE_SEARCH,
)
from scops.gateway.handlers import sharing
from scops.gateway.handlers.research import asking
from scops.gateway.handlers.research.asking import WantedResearch
from scops.gateway.research.research import Research, StopReason
from scops.libraries.papers.merging import merged_papers
from scops.libraries.papers.packing import BYTES_MAX, packed
from scops.libraries.papers.record import PDF, PaperLocation
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world
from tests.unit.gateway.handlers.test_research import (
    ANN,
    BOB,
    answers,
    covered,
    fetches,
    links,
    worked,
)
from tests.unit.gateway.handlers.test_research_site_search import weighed
from tests.unit.standalone.commands.papers.builders import record

HOST = "https://papers.test"
QUESTION = "How deep is the basin of the Tarn gauge?"
RECORDS = "file://paper-records/doi/10.1000"


@pytest.fixture
async def world() -> AsyncIterator[GatewayWorld]:
    """A gateway with the scope `docs` of Ann, which names a service; pages have no links."""
    async with gateway_world() as opened:
        await opened.create_scope(owner=ANN, paper_services=("openalex",))
        opened.says(PAGE_PLAN, PagePlanResponse())
        opened.says(SITE_SEARCH, SiteSearchResponse())
        opened.says(PAGE_LINKS, PageLinksResponse())
        fetches(opened)
        links(opened)
        weighed(opened)
        opened.answer(EMBED, _embedded)
        yield opened


async def _embedded(request: EmbedRequest) -> EmbedResponse:
    vectors = np.eye(len(request.texts), 64, dtype="<f4")
    vectors[:, 63] = 0.1
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return EmbedResponse(vectors=vectors.tobytes(), dimensions=64)


def paper(name: str, *paths: str, known: bool = False) -> FoundPaper:
    """A paper with places at the host of papers, or at those that are whole URLs.

    Services name others, too, which are none.
    """
    urls = tuple(path if "://" in path else f"{HOST}/{path}" for path in paths)
    said_urls = ("ftp://papers.test/p", "http://[bad/x", *urls)
    places = tuple(PaperLocation(url=url, kind=PDF, licence="cc-by") for url in said_urls)
    said = record(ids={"doi": f"10.1000/{name}"}, title=f"About {name}", locations=places)
    return FoundPaper(
        title=f"About {name}",
        abstract="The basin of the Tarn gauge is deep.",
        record_url=f"{RECORDS}/{name}",
        urls=urls,
        known=known,
        paper=packed(merged_papers([said])[0]),
    )


def searches(
    world: GatewayWorld, *found: Sequence[FoundPaper] | TransientError
) -> list[PaperSearchRequest]:
    """Has services searched, in turn and the last for ever; returns what is asked."""
    asked: list[PaperSearchRequest] = []
    left = list(found)

    async def search(request: PaperSearchRequest) -> PaperSearchResponse:
        asked.append(request)
        said = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(said, TransientError):
            raise said
        return PaperSearchResponse(papers=tuple(said))

    world.answer(PAPER_SEARCH, search)
    return asked


def captures(world: GatewayWorld) -> list[CapturePageRequest]:
    """Has records taken in; returns them."""
    taken: list[CapturePageRequest] = []

    async def capture(request: CapturePageRequest) -> CapturePageResponse:
        taken.append(request)
        return CapturePageResponse(page_id=PageId("r"), state=ImportState.TAKEN)

    world.answer(CAPTURE_PAGE, capture)
    return taken


async def run_of(
    world: GatewayWorld, *, pages: int = 0, scope: str = "docs", caller: str = ANN
) -> Research:
    """Asks in a scope, and works until the end."""
    wanted = WantedResearch(question=QUESTION, scope=f"scopes/{scope}", pages=pages)
    call = world.call(caller)
    made = await asking.create_research(world.ports, call, wanted=wanted, request_id="")
    return await worked(world, made.run)


def shown(run: Research) -> list[tuple[str, str, str]]:
    return [
        (page.url.removeprefix(f"{HOST}/"), page.found_on.removeprefix(f"{RECORDS}/"), page.outcome)
        for page in run.pages
    ]


async def picked(world: GatewayWorld) -> set[str]:
    """Returns the pages that were let into the scope alone."""
    (stored,) = await world.ports.scopes.all("main")
    return {one.pattern for one in stored.scope.rules if one.kind is RuleKind.PAGE}


async def test_paper_is_let_in_fetched_and_recorded(world: GatewayWorld) -> None:
    """It is weighed by title and abstract; its record says where its text was read."""
    answers(world, covered(0.1), covered(0.9, page="x"))
    asked, taken, seen = searches(world, [paper("a", "a.pdf")]), captures(world), weighed(world)
    run = await run_of(world)

    assert [("a.pdf", "a", "indexed")] == shown(run)
    assert {f"{HOST}/a.pdf"} == await picked(world)
    assert [("About a", "The basin of the Tarn gauge is deep.")] == [
        (link.anchor_text, link.context) for link in seen
    ]
    assert [f"{RECORDS}/a"] == [one.canonical_url for one in taken]
    assert taken[0].body is not None
    stated = (await world.ports.archive.get(taken[0].body)).decode()
    assert f"Full text: {HOST}/a.pdf" in stated
    assert 1 == len(asked)
    assert QUESTION != asked[0].query


async def test_fewer_keyphrases_are_searched_by_where_nothing_is_found(
    world: GatewayWorld,
) -> None:
    """Each search is by words of the one before, and the last one ends it."""
    answers(world, covered(0.1))
    asked = searches(world, [])
    run = await run_of(world)
    queries = [one.query for one in asked]

    assert StopReason.NOTHING_LEFT is run.stopped
    assert len(queries) > 1
    assert all(one.startswith(two) and one != two for one, two in pairwise(queries))


async def test_next_place_is_asked_where_one_gives_nothing(world: GatewayWorld) -> None:
    """And no further one after a place that gave it; without any the record says so."""
    answers(world, covered(0.1))
    taken = captures(world)
    fetches(world, lambda url: "blocked" if "barred" in url else "indexed")
    searches(world, [paper("a", "barred", "a.pdf", "more.pdf"), paper("b", "barred2")])
    run = await run_of(world)

    assert [
        ("barred", "a", "blocked"),
        ("barred2", "b", "blocked"),
        ("a.pdf", "a", "indexed"),
    ] == sorted(shown(run), key=lambda one: (one[0] == "a.pdf", one))
    texts = {
        one.canonical_url: (await world.ports.archive.get(one.body)).decode()
        for one in taken
        if one.body is not None
    }
    assert f"Full text: {HOST}/a.pdf" in texts[f"{RECORDS}/a"]
    assert "Full text: none is here" in texts[f"{RECORDS}/b"]


async def test_known_papers_and_budget(world: GatewayWorld) -> None:
    """What is here is not fetched again; no more is than the budget has pages."""
    answers(world, covered(0.1))
    captures(world)
    found = [paper(f"p{number}", f"{number}.pdf") for number in range(9)]
    searches(world, [paper("here", "here.pdf", known=True), *found])
    run = await run_of(world, pages=3)

    assert StopReason.PAGES is run.stopped
    assert 3 == len(run.pages)
    assert "here.pdf" not in [one[0] for one in shown(run)]
    assert 3 == len(await picked(world))


@pytest.mark.parametrize("services", [(), ("openalex",)])
async def test_order_and_number_of_papers_change_only_what_is_first(
    world: GatewayWorld, services: tuple[str, ...]
) -> None:
    """A further paper takes nothing away; a scope without services has nobody asked."""
    answers(world, covered(0.1))
    captures(world)
    await world.create_scope("other", owner=ANN, paper_services=services)
    papers = [paper("a", "a.pdf"), paper("b", "b.pdf")]
    asked = searches(world, papers)
    whole = await run_of(world, scope="other")

    found = {url for url, _, _ in shown(whole)}
    assert (set() if not services else {"a.pdf", "b.pdf"}) == found
    assert bool(services) == bool(asked)


async def test_who_may_add_no_pages_gets_those_of_the_scope_alone(world: GatewayWorld) -> None:
    """A paper at a place inside its rules is a page like any."""
    answers(world, covered(0.1))
    captures(world)
    await sharing.share_scope(
        world.ports,
        world.call(ANN),
        scope_id=ScopeId("docs"),
        grant=Grant(subject=BOB, role=ScopeRole.VIEWER, rights=("revalidate",)),
        etag="",
    )
    searches(world, [paper("a", "a.pdf"), paper("b", f"{DOCS}b.pdf")])
    run = await run_of(world, caller=BOB)

    assert [f"{DOCS}b.pdf"] == [page.url for page in run.pages]
    assert set() == await picked(world)


@pytest.mark.parametrize("data", [b"", zlib.compress(b"9" * (BYTES_MAX + 1))])
async def test_paper_that_cannot_be_read_has_no_record(world: GatewayWorld, data: bytes) -> None:
    """Its text was fetched, and the run goes on."""
    answers(world, covered(0.1), covered(0.9))
    taken = captures(world)
    searches(world, [replace(paper("a", "a.pdf"), paper=data)])
    run = await run_of(world)

    assert [("a.pdf", "a", "indexed")] == shown(run)
    assert StopReason.FAILED is not run.stopped
    assert [] == taken


async def test_services_that_take_long_are_waited_for(world: GatewayWorld) -> None:
    """The run is taken up again, and goes on with what they said."""
    answers(world, covered(0.1), covered(0.1), covered(0.9))
    captures(world)
    late = TransientError("Services take longer.", reason="PAPERS_LATE")
    asked = searches(world, late, [paper("a", "a.pdf")])
    run = await run_of(world)
    again = run if not run.is_open else await worked(world, run)

    assert ["a.pdf"] == [one[0] for one in shown(again)]
    assert asked[0].query == asked[1].query
