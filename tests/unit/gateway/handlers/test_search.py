"""Search, answers and explanations: what is asked, and what may leave."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from prometheus_client import REGISTRY

from scops.common.contract.errors import InvalidInput, NotFound, NotYetKnown
from scops.common.contract.ids import ChunkId, PageId, ScopeId
from scops.common.contract.messages.explanation import (
    AnswerRequest,
    AnswerResponse,
    Citation,
    ExplainRequest,
    ExplainResponse,
    PassageExplanation,
    Statement,
)
from scops.common.contract.messages.retrieval import (
    Evidence,
    PreferredScope,
    RetrieveRequest,
    RetrieveResponse,
    ScopeMatch,
    Weights,
)
from scops.common.contract.messages.types import Clocks, OrderKey, Scope, ScopeRef
from scops.common.query.ports import ANSWER, EXPLAIN, RETRIEVE
from scops.gateway.handlers import questions, search
from scops.gateway.handlers import scopes as scope_requests
from tests.fakes.clock import START
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, docs_fields, gateway_world, prefix

SEEN = datetime(2026, 3, 1, tzinfo=UTC)
CLOCKS = Clocks(observed_time=SEEN)


def evidence(url: str, *, scopes: tuple[str, ...] = ("docs",)) -> Evidence:
    return Evidence(
        chunk_id=ChunkId(f"c-{url}"),
        page_id=PageId(f"p-{url}"),
        canonical_url=url,
        scopes=tuple(
            ScopeMatch(scope_id=ScopeId(name), rule=prefix("docs.example.org")) for name in scopes
        ),
        clocks=CLOCKS,
        order_key=OrderKey(observed_from=SEEN),
    )


def citation(number: int, url: str) -> Citation:
    return Citation(number=number, canonical_url=url, clocks=CLOCKS)


async def searched(
    world: GatewayWorld, *, scopes: tuple[str, ...] = ("scopes/docs",), **changes: Any
) -> RetrieveResponse:
    question = RetrieveRequest(**{"query": "how often", **changes})
    return await search.search(world.ports, world.call(), question=question, scopes=scopes)


def drops() -> float:
    return REGISTRY.get_sample_value("scops_gateway_acl_postcheck_drops_total") or 0.0


async def test_query_asks_the_scopes_in_their_newest_revision() -> None:
    """The retriever learns which revision the caller saw."""
    async with gateway_world() as world:
        await world.create_scope()
        await scope_requests.update_scope(
            world.ports,
            world.call(),
            scope_id=ScopeId("docs"),
            wanted=Scope(page_limit=9),
            mask=(),
            etag="",
        )
        asked = world.says(RETRIEVE, RetrieveResponse())
        await searched(world, query="  how often  ", scopes=("scopes/docs", "scopes/docs"))

        expected = RetrieveRequest(
            query="how often", scopes=(ScopeRef(scope_id=ScopeId("docs"), revision=2),), limit=10
        )
        assert [expected] == asked


async def test_preferred_scopes_are_passed_on_by_their_ids() -> None:
    """The retriever weighs them; the scopes asked still bound what may leave."""
    async with gateway_world() as world:
        await world.create_scope()
        asked = world.says(RETRIEVE, RetrieveResponse())
        expected = (PreferredScope(scope_id=ScopeId("docs"), priority=0.5),)
        await searched(world, preferred=expected)

        assert expected == asked[0].preferred


async def test_star_asks_every_visible_scope_and_no_other() -> None:
    """`*` stands for what the caller may see."""
    async with gateway_world() as world:
        await world.create_scope("a")
        await world.create_scope("b", owner="ann")
        await world.create_scope("c", owner="ann", public=True)
        asked = world.says(RETRIEVE, RetrieveResponse())
        await searched(world, scopes=("*",))

        assert ["a", "c"] == [ref.scope_id for ref in asked[0].scopes]


async def test_star_without_any_scope_says_why_nothing_is_found() -> None:
    """Nothing to search is an answer, not an error."""
    async with gateway_world() as world:
        found = await searched(world, scopes=("*",))

        assert ((), search.NO_SCOPE) == (found.evidence, found.shortfall_reason)


@pytest.mark.parametrize("name", ["scopes/absent", "scopes/hidden"])
async def test_absent_and_hidden_scopes_look_the_same(name: str) -> None:
    """Whoever may not see a scope does not learn that it exists."""
    async with gateway_world() as world:
        await world.create_scope("hidden", owner="ann")
        with pytest.raises(NotFound) as caught:
            await searched(world, scopes=(name,))

        assert f"Scope {name[7:]} was not found, or you may not see it." in caught.value.message


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"query": ""}, "QUERY_EMPTY"),
        ({"query": " \n\t"}, "QUERY_EMPTY"),
        ({"query": "word " * 2001}, "QUERY_TOO_LONG"),
        ({"query": "x" * 8001}, "QUERY_TOO_LONG"),
        ({"limit": -1}, "PAGE_SIZE_NEGATIVE"),
        ({"scopes": ()}, "SCOPES_EMPTY"),
        ({"scopes": ("docs",)}, "MALFORMED_NAME"),
        ({"scopes": ("*", "scopes/docs")}, "MALFORMED_NAME"),
    ],
)
async def test_unusable_query_is_refused_before_anybody_is_asked(
    changes: dict[str, Any], reason: str
) -> None:
    """Bad input costs no other service anything."""
    async with gateway_world() as world:
        await world.create_scope()
        asked = world.says(RETRIEVE, RetrieveResponse())
        with pytest.raises(InvalidInput) as caught:
            await searched(world, **changes)

        assert (reason, []) == (caught.value.reason, asked)


async def test_longest_query_is_searched() -> None:
    """The limits themselves are inside."""
    async with gateway_world() as world:
        await world.create_scope()
        asked = world.says(RETRIEVE, RetrieveResponse())
        await searched(world, query="x" * 8000)
        await searched(world, query="abc " * 2000)

        assert 2 == len(asked)


async def test_too_large_page_size_is_lowered() -> None:
    """More than the most is the most (AIP-158)."""
    async with gateway_world() as world:
        await world.create_scope()
        asked = world.says(RETRIEVE, RetrieveResponse())
        await searched(world, limit=5000)

        assert 100 == asked[0].limit


@pytest.mark.parametrize(
    ("seconds", "expected"), [(-60, START - timedelta(seconds=60)), (0, None), (3600, None)]
)
async def test_the_future_counts_as_now(seconds: int, expected: datetime | None) -> None:
    """Only an instant before now asks about the past."""
    async with gateway_world() as world:
        await world.create_scope()
        asked = world.says(RETRIEVE, RetrieveResponse())
        await searched(world, as_of_time=START + timedelta(seconds=seconds))

        assert expected == asked[0].as_of_time


async def test_passage_outside_the_scopes_is_dropped_and_counted() -> None:
    """A store that returns too much leaks nothing, and is noticed."""
    async with gateway_world() as world:
        await world.create_scope()
        good, leak = evidence(f"{DOCS}a"), evidence("https://secret.org/")
        world.says(RETRIEVE, RetrieveResponse(evidence=(leak, good)))
        before = drops()
        found = await searched(world)

        assert ((good,), 1.0) == (found.evidence, drops() - before)


async def test_rule_removed_during_the_query_acts_at_once_and_is_no_leak() -> None:
    """The newest rules decide about what leaves; a late removal raises no alarm."""
    async with gateway_world() as world:
        await world.create_scope()

        async def retrieve(request: RetrieveRequest) -> RetrieveResponse:
            await scope_requests.update_scope(
                world.ports,
                world.call(),
                scope_id=ScopeId("docs"),
                wanted=docs_fields(rules=(prefix("docs.example.org/new"),), seeds=()),
                mask=("rules", "seeds"),
                etag="",
            )
            return RetrieveResponse(evidence=(evidence(f"{DOCS}old"), evidence(f"{DOCS}new")))

        world.answer(RETRIEVE, retrieve)
        before = drops()
        found = await searched(world)

        assert [f"{DOCS}new"] == [item.canonical_url for item in found.evidence]
        assert 0 == drops() - before


async def test_only_the_scopes_asked_for_are_named() -> None:
    """A passage does not tell of other scopes that hold it."""
    async with gateway_world() as world:
        await world.create_scope()
        await world.create_scope("hidden", owner="ann")
        both = evidence(f"{DOCS}a", scopes=("hidden", "docs"))
        world.says(RETRIEVE, RetrieveResponse(evidence=(both,)))
        found = await searched(world)

        assert ["docs"] == [match.scope_id for match in found.evidence[0].scopes]


async def test_statement_whose_citation_is_dropped_goes_with_it() -> None:
    """A quote of a page that may not leave does not leave."""
    async with gateway_world() as world:
        await world.create_scope()
        world.says(
            ANSWER,
            AnswerResponse(
                answered=True,
                statements=(
                    Statement(text="kept", citation_numbers=(1,)),
                    Statement(text="leaked", citation_numbers=(1, 2)),
                    Statement(text="unfounded"),
                ),
                citations=(citation(1, f"{DOCS}a"), citation(2, "https://secret.org/")),
            ),
        )
        kept = await search.answer(
            world.ports, world.call(), question=AnswerRequest(query="q"), scopes=("*",)
        )
        answer = kept.answer

        assert ["kept"] == [statement.text for statement in answer.statements]
        assert [1] == [item.number for item in answer.citations]


async def test_answer_without_a_statement_left_is_no_answer() -> None:
    """Nothing that may leave means nothing answered."""
    async with gateway_world() as world:
        await world.create_scope()
        world.says(
            ANSWER,
            AnswerResponse(
                answered=True,
                statements=(Statement(text="leaked", citation_numbers=(1,)),),
                citations=(citation(1, "https://secret.org/"),),
            ),
        )
        kept = await search.answer(
            world.ports, world.call(), question=AnswerRequest(query="q"), scopes=("*",)
        )
        answer = kept.answer

        assert (False, (), ()) == (answer.answered, answer.statements, answer.citations)


async def test_explanations_are_of_the_passages_that_may_leave() -> None:
    """The explainer is asked once; what may not leave goes, and what tells of all with it."""
    async with gateway_world() as world:
        await world.create_scope()
        good, leak = evidence(f"{DOCS}a"), evidence("https://secret.org/")
        searches = world.says(RETRIEVE, RetrieveResponse(evidence=(leak, good)))
        about, about_leak = (
            PassageExplanation(
                chunk_id=one.chunk_id, page_id=one.page_id, canonical_url=one.canonical_url
            )
            for one in (good, leak)
        )
        asked = world.says(
            EXPLAIN,
            ExplainResponse(
                passages=(about_leak, about), evidence=(leak, good), rationale="tells of both"
            ),
        )
        before = drops()
        ranking = await search.explain(
            world.ports, world.call(), question=ExplainRequest(query=" q "), scopes=("*",)
        )

        refs = (ScopeRef(scope_id=ScopeId("docs"), revision=1),)
        assert [ExplainRequest(query="q", scopes=refs, limit=10)] == asked
        assert [(good, about)] == [(item.evidence, item.explanation) for item in ranking.passages]
        assert ("", 1.0, []) == (ranking.rationale, drops() - before, searches)


async def test_weights_of_an_explanation_go_there_and_come_back() -> None:
    """Who turns a weight is told of ranks by it, and by which ones they are."""
    asked_weights, told = Weights(delta=2.0), Weights(alpha=0.8, beta=1.0, gamma=0.003, delta=2.0)
    preferred = (PreferredScope(scope_id=ScopeId("docs"), priority=0.5),)
    async with gateway_world() as world:
        await world.create_scope()
        asked = world.says(EXPLAIN, ExplainResponse(recipe="fresh", weights=told))
        ranking = await search.explain(
            world.ports,
            world.call(),
            question=ExplainRequest(query="q", weights=asked_weights, preferred=preferred),
            scopes=("*",),
        )

        assert (asked_weights, preferred) == (asked[0].weights, asked[0].preferred)
        assert ("fresh", told) == (ranking.recipe, ranking.weights)


async def test_recipe_is_passed_on_with_answers_and_explanations() -> None:
    """Who asks for a walk gets it everywhere."""
    async with gateway_world() as world:
        await world.create_scope()
        answers = world.says(ANSWER, AnswerResponse())
        explanations = world.says(EXPLAIN, ExplainResponse())
        await search.answer(
            world.ports,
            world.call(),
            question=AnswerRequest(query="q", recipe="graph"),
            scopes=("*",),
        )
        await search.explain(
            world.ports,
            world.call(),
            question=ExplainRequest(query="q", recipe="graph"),
            scopes=("*",),
        )

        assert ["graph", "graph"] == [answers[0].recipe, explanations[0].recipe]


async def test_service_without_the_revision_yet_is_asked_again() -> None:
    """Right after a change the projection is under way; the caller does not see it."""
    async with gateway_world() as world:
        await world.create_scope()
        calls = []

        async def retrieve(request: RetrieveRequest) -> RetrieveResponse:
            calls.append(request)
            if len(calls) < 3:
                raise NotYetKnown("Scope docs at revision 1 has not arrived yet.")
            return RetrieveResponse(recipe="hybrid")

        world.answer(RETRIEVE, retrieve)

        assert "hybrid" == (await searched(world)).recipe


async def test_service_that_never_gets_the_revision_is_not_asked_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Repeating is bounded."""
    monkeypatch.setattr(questions, "ATTEMPTS_MAX", 3)
    async with gateway_world() as world:
        await world.create_scope()
        calls = []

        async def retrieve(request: RetrieveRequest) -> RetrieveResponse:
            calls.append(request)
            raise NotYetKnown("Scope docs at revision 1 has not arrived yet.")

        world.answer(RETRIEVE, retrieve)
        with pytest.raises(NotYetKnown):
            await searched(world)

        assert 3 == len(calls)


async def test_questions_carry_the_calls_deadline() -> None:
    """Whoever is asked has as much time as the caller left, and no more."""
    async with gateway_world() as world:
        await world.create_scope()
        deadlines = []

        class Watching:
            async def call(self, method: Any, request: Any, *, deadline: datetime) -> Any:
                deadlines.append(deadline)
                return RetrieveResponse()

        ports = replace(world.ports, query_client=Watching())
        call = world.call()
        await search.search(ports, call, question=RetrieveRequest(query="q"), scopes=("*",))

        assert [call.deadline] == deadlines
