"""Where passages would rank if something were otherwise; pure, and through `Retrieve`."""

from collections.abc import Sequence

import pytest

from scops.common.contract.ids import ChunkId, ObjectId, PageId
from scops.common.contract.messages.change import ManifestChunk
from scops.common.contract.messages.retrieval import (
    Counterfactual,
    RetrieveRequest,
    Weights,
)
from scops.common.contract.messages.types import ScopeRef
from scops.libraries.index.ports import StoreHit
from scops.retriever.candidates.candidate import Candidate
from scops.retriever.question import Question, parse_question
from scops.retriever.scoring.score import PassageScore, Term, total
from scops.retriever.settings import RetrieverSettings
from scops.retriever.shape.counterfactuals import counterfactuals
from scops.retriever.shape.shaping import shape_passages
from tests.fakes.clock import START
from tests.fakes.worlds.retriever import Retrieving, listed_page

FRESH = 1.5


def _question(limit: int = 10) -> Question:
    request = RetrieveRequest(query="owls", scopes=(ScopeRef(revision=1),), limit=limit)
    return parse_question(request, RetrieverSettings(), now=START)


def _candidate(name: str, *terms: Term, page: str = "") -> Candidate:
    chunk = ManifestChunk(chunk_id=ChunkId(name), start=0, end=100)
    hit = StoreHit(
        object_id=ObjectId(name),
        chunk_id=chunk.chunk_id,
        page_id=PageId(page or name),
        text=f"text {name}",
        header="",
        similarity=0.0,
        bm25=None,
    )
    listed = listed_page(chunk, page=page or name, version=name)
    return Candidate(hit, listed.version, listed, score=PassageScore(total(terms), terms))


def _told(ranked: Sequence[Candidate], question: Question) -> dict[tuple[str, str], dict[str, int]]:
    """Returns ranks by change and part, by passage."""
    ranked = sorted(ranked, key=lambda one: -one.score.total)
    shown = shape_passages(ranked, question.bounds).passages
    found: dict[tuple[str, str], dict[str, int]] = {}
    for chunk_id, entries in counterfactuals(ranked, shown, question).items():
        for one in entries:
            found.setdefault((one.change, one.part), {})[chunk_id] = one.rank
    return found


def test_without_a_part_what_it_kept_out_comes_in() -> None:
    """All candidates are ranked again, those that were not shown too."""
    ranked = [
        _candidate("a", ("vector", 5.0, 1.0), ("bm25", 1.0, 1.0)),
        _candidate("b", ("vector", 4.0, 1.0), ("bm25", 0.0, 1.0)),
        _candidate("c", ("vector", 0.0, 1.0), ("bm25", 3.0, 1.0)),
    ]
    told = _told(ranked, _question(limit=2))

    assert {"a": 2, "b": 3} == told["without", "vector"]
    assert {"a": 1, "b": 2} == told["without", "bm25"]


def test_part_that_all_have_alike_moves_nobody() -> None:
    """And one that says nothing of any is not told."""
    ranked = [
        _candidate("a", ("prior", 1.0, -3.0), ("vector", 2.0, 1.0), ("graph", None, 1.0)),
        _candidate("b", ("prior", 1.0, -3.0), ("vector", 1.0, 1.0), ("graph", None, 1.0)),
    ]
    told = _told(ranked, _question())

    assert {"a": 1, "b": 2} == told["without", "prior"]
    assert {("without", "prior"), ("without", "vector")} == set(told)


def test_fresh_page_rises_alone() -> None:
    """Its own passages rise with it, so that the better of them stays ahead."""
    ranked = [
        _candidate("a", ("vector", 3.0, 1.0), ("fresh", 0.2, FRESH)),
        _candidate("b1", ("vector", 2.5, 1.0), ("fresh", 0.1, FRESH), page="b"),
        _candidate("b2", ("vector", 2.0, 1.0), ("fresh", 0.1, FRESH), page="b"),
    ]
    told = _told(ranked, _question())

    assert {"a": 1, "b1": 1, "b2": 2} == told["fresh", "fresh"]


@pytest.mark.parametrize(
    ("change", "part", "raw"), [("preferred", "scope", -2.0), ("timely", "time", -0.9)]
)
def test_misfit_that_were_none_gives_back_what_it_takes(change: str, part: str, raw: float) -> None:
    """What fits already has nothing to gain, and is told nothing."""
    ranked = [
        _candidate("a", ("vector", 1.0, 1.0), (part, 0.0, 5.0)),
        _candidate("b", ("vector", 2.0, 1.0), (part, raw, 5.0)),
    ]

    assert {"b": 1} == _told(ranked, _question())[change, part]


def test_what_falls_out_of_the_ranks_told_has_rank_0() -> None:
    """Thirty are told, or as many as were asked for."""
    others = [
        _candidate(f"o{n:02}", ("vector", 0.0, 1.0), ("bm25", 2.0 + n / 100, 1.0))
        for n in range(40)
    ]
    ranked = [_candidate("a", ("vector", 9.0, 1.0), ("bm25", 0.0, 1.0)), *others]
    question = _question(limit=1)
    shown = shape_passages(ranked, question.bounds).passages
    (entries,) = counterfactuals(ranked, shown, question).values()

    assert Counterfactual(change="without", part="vector", rank=0, among=30) in entries


async def test_only_a_question_that_asks_for_them_gets_them(world: Retrieving) -> None:
    """With ranks of what was left out of the reply."""
    await world.show("a", "Owls eat mice at night.", "Trains leave at noon.")
    plain = await world.ask("when do trains leave")
    told = await world.ask("when do trains leave", counterfactuals=True, limit=1)

    assert () == plain.evidence[0].counterfactuals
    (best,) = told.evidence
    assert {"prior", "vector", "bm25"} <= {one.part for one in best.counterfactuals}
    assert {2} == {one.among for one in best.counterfactuals}


async def test_freshness_that_does_not_count_is_no_change(world: Retrieving) -> None:
    """Were its page fresh, it would rank the same where age has no weight."""
    await world.show("a", "Owls eat mice at night.")
    world.clock.advance(90 * 86_400)
    silent = await world.ask("owls", counterfactuals=True)
    asked = await world.ask("owls", counterfactuals=True, weights=Weights(delta=1.0))

    assert "fresh" not in {one.change for one in silent.evidence[0].counterfactuals}
    assert ("fresh", 1) in {(one.change, one.rank) for one in asked.evidence[0].counterfactuals}
