"""Stored citations, bundles and conversations: what is asked, and what may leave."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from scops.common.contract.errors import InvalidInput, NotFound
from scops.common.contract.ids import ChunkId, PageId, VersionId
from scops.common.contract.messages.crawl import KnownPage, PagePlanRequest, PagePlanResponse
from scops.common.contract.messages.explanation import (
    Anchor,
    AnswerRequest,
    AnswerResponse,
    Citation,
    ExplainRequest,
    ExplainResponse,
    Freshness,
    Gap,
    PassageExplanation,
    ResolvedCitation,
    ResolveResponse,
    Speaker,
    Statement,
    Turn,
)
from scops.common.contract.messages.retrieval import Evidence
from scops.common.contract.messages.types import Clocks, OrderKey
from scops.common.query.ports import ANSWER, EXPLAIN, PAGE_PLAN, RESOLVE, RETRIEVE
from scops.explainer.handlers import resolve
from scops.gateway.handlers import search
from scops.gateway.requests import limits
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world

SEEN = datetime(2026, 3, 1, tzinfo=UTC)
CLOCKS = Clocks(observed_time=SEEN)
SECRET = "https://secret.org/"
CITED = Citation(
    number=1,
    page_id=PageId("p-a"),
    version_id=VersionId("v-a"),
    canonical_url=f"{DOCS}a",
    clocks=CLOCKS,
)


def _knows(world: GatewayWorld, url: str) -> None:
    async def plan(request: PagePlanRequest) -> PagePlanResponse:
        page = KnownPage(page_id=request.page_id, canonical_url=url, access_context="public")
        return PagePlanResponse(page=page)

    world.answer(PAGE_PLAN, plan)


def _evidence(url: str) -> Evidence:
    return Evidence(
        chunk_id=ChunkId(f"c-{url}"),
        page_id=PageId(f"p-{url}"),
        canonical_url=url,
        clocks=CLOCKS,
        order_key=OrderKey(observed_from=SEEN),
    )


def _explanation(url: str) -> PassageExplanation:
    passage = _evidence(url)
    return PassageExplanation(
        chunk_id=passage.chunk_id, page_id=passage.page_id, canonical_url=url, rank=1
    )


async def _answered(world: GatewayWorld, response: AnswerResponse, **asked: Any) -> AnswerResponse:
    world.says(ANSWER, response)
    kept = await search.answer(
        world.ports, world.call(), question=AnswerRequest(query="q", **asked), scopes=("*",)
    )
    return kept.answer


async def test_citations_of_a_visible_page_are_resolved() -> None:
    """The explainer is asked, and its answer passed on in order."""
    async with gateway_world() as world:
        await world.create_scope()
        _knows(world, f"{DOCS}a")
        told = ResolvedCitation(number=1, anchor=Anchor.SAME, verbatim=True)
        asked = world.says(RESOLVE, ResolveResponse(citations=(told,)))
        resolved = await search.resolve_citations(world.ports, world.call(), citations=[CITED])

        assert (told,) == resolved
        assert [(CITED,)] == [request.citations for request in asked]


async def test_url_that_the_caller_claims_opens_no_hidden_page() -> None:
    """Whether a page may be seen is looked up by its id; the claimed URL proves nothing."""
    async with gateway_world() as world:
        await world.create_scope()
        _knows(world, SECRET)
        asked = world.says(RESOLVE, ResolveResponse())
        with pytest.raises(NotFound):
            await search.resolve_citations(world.ports, world.call(), citations=[CITED])

        assert [] == asked


@pytest.mark.parametrize(
    ("citations", "reason"),
    [
        ([], "CITATIONS_EMPTY"),
        # Before any of their pages is looked up.
        ([replace(CITED, page_id=PageId("unknown"))] * 51, "TOO_MANY_CITATIONS"),
        ([replace(CITED, page_id=PageId(""))], "CITATION_INCOMPLETE"),
        ([replace(CITED, version_id=VersionId(""))], "CITATION_INCOMPLETE"),
    ],
)
async def test_unusable_citations_are_refused(citations: list[Citation], reason: str) -> None:
    """The caller learns what is missing."""
    async with gateway_world() as world:
        with pytest.raises(InvalidInput) as caught:
            await search.resolve_citations(world.ports, world.call(), citations=citations)

        assert reason == caught.value.reason


def test_the_bound_is_that_of_the_explainer() -> None:
    """What one lets through, the other resolves."""
    assert resolve.CITATIONS_MAX == limits.CITATIONS_MAX


async def test_bundle_is_explained_without_a_search() -> None:
    """What of it the scopes asked do not hold stays, and its rationale with it."""
    async with gateway_world() as world:
        await world.create_scope()
        searched = world.says(RETRIEVE, None)
        world.says(
            EXPLAIN,
            ExplainResponse(
                passages=(_explanation(f"{DOCS}a"), _explanation(SECRET)),
                evidence=(_evidence(f"{DOCS}a"), _evidence(SECRET)),
                rationale="tells of both",
            ),
        )
        ranking = await search.explain(
            world.ports,
            world.call(),
            question=ExplainRequest(bundle=b"signed"),
            scopes=("*",),
        )

        assert [f"{DOCS}a"] == [item.evidence.canonical_url for item in ranking.passages]
        assert ("", []) == (ranking.rationale, searched)


async def test_what_tells_of_a_dropped_page_goes_with_it() -> None:
    """Bundle and freshness tell of all pages at once; gaps are dropped one by one."""
    async with gateway_world() as world:
        await world.create_scope()
        answer = await _answered(
            world,
            AnswerResponse(
                evidence=(_evidence(f"{DOCS}a"), _evidence(SECRET)),
                gaps=(Gap(canonical_url=f"{DOCS}a"), Gap(canonical_url=SECRET)),
                freshness=Freshness(statement="tells of both"),
                bundle=b"holds both",
            ),
        )

        assert [f"{DOCS}a"] == [gap.canonical_url for gap in answer.gaps]
        assert (None, b"") == (answer.freshness, answer.bundle)


async def test_marked_statement_stays_while_nothing_was_dropped() -> None:
    """It cites nothing, so only a whole answer shows that it tells of no hidden page."""
    marked = Statement(text="marked", unsupported=True)
    cited = Statement(text="cited", citation_numbers=(1,))
    async with gateway_world() as world:
        await world.create_scope()
        whole = AnswerResponse(answered=True, statements=(cited, marked), citations=(CITED,))
        leaking = replace(whole, evidence=(_evidence(SECRET),))

        assert (cited, marked) == (await _answered(world, whole)).statements
        assert (cited,) == (await _answered(world, leaking)).statements


async def test_history_that_is_too_long_is_refused() -> None:
    """A message of the bus is bounded."""
    turn = Turn(speaker=Speaker.USER, text="x" * 50_000)
    async with gateway_world() as world:
        await world.create_scope()
        with pytest.raises(InvalidInput, match="at most 40000"):
            await _answered(world, AnswerResponse(), history=(turn,))
