"""The sentences that explain a rank."""

from dataclasses import replace

from scops.common.contract.ids import ScopeId, VersionId
from scops.common.contract.messages.explanation import LineageEntry
from scops.common.contract.messages.retrieval import (
    Counterfactual,
    Evidence,
    Relevance,
    ScorePart,
    TimeMatch,
)
from scops.common.contract.messages.types import ChangeSummary
from scops.common.text.remarks import sentences
from scops.explainer.answer.rationale import rationale
from scops.explainer.answer.reasons import calibration_reasons, reasons
from tests.fakes.clock import START
from tests.fakes.worlds.explainer import MATCH, passage_of
from tests.fakes.worlds.indexed_pages import page_of

PASSAGE = passage_of(page_of("https://docs.example.org/a", "Owls hunt at night."))


def _part(name: str, weighted: float, *, present: bool = True) -> ScorePart:
    return ScorePart(name=name, weighted=weighted, present=present)


def _ranked(*parts: tuple[ScorePart, ...]) -> list[Evidence]:
    return [replace(PASSAGE, parts=each) for each in parts]


def _said(rank: int, evidence: list[Evidence], *otherwise: Counterfactual) -> str:
    return sentences(reasons(rank, evidence, otherwise))


def test_names_what_sets_it_apart_from_its_neighbours() -> None:
    """A part that all have alike, as the prior, explains no rank; a silent one counts 0."""
    ranked = _ranked(
        (_part("prior", 1.0), _part("vector", 2.0), _part("bm25", 0.9)),
        (_part("prior", 1.0), _part("vector", 2.1), _part("bm25", 0.1), _part("graph", 0.2)),
        (_part("prior", 1.0), _part("vector", 1.5), _part("graph", 9.0, present=False)),
    )

    assert "Ranks 1: it is ahead of rank 2 by more of the question's words." == _said(1, ranked)
    assert (
        "Ranks 2: rank 1 is ahead of it by more of the question's words, and it is ahead of rank 3 "
        "by a meaning closer to the question and closer links to what the question names."
    ) == _said(2, ranked)
    assert (
        "Ranks 3, the last here: rank 2 is ahead of it by a meaning closer to the question and "
        "closer links to what the question names."
    ) == _said(3, ranked)


def test_little_beside_the_first_difference_is_not_named() -> None:
    """And where nothing differs, that is said."""
    ranked = _ranked(
        (_part("vector", 2.0), _part("bm25", 0.1)),
        (_part("vector", 1.0), _part("bm25", 0.0)),
        (_part("vector", 1.0), _part("bm25", 0.0)),
    )

    assert "Ranks 1: it is ahead of rank 2 by a meaning closer to the question." == _said(1, ranked)
    assert "it is ahead of rank 3 by next to nothing." in _said(2, ranked)


def test_tells_how_probable_it_is_and_on_what_that_rests() -> None:
    """In per cent, never quite sure; where nobody can tell nothing is said."""
    sure = [replace(PASSAGE, relevance=0.9999)]
    basis = calibration_reasons(Relevance(model="minilm", sets=9, questions=700))

    assert "It is relevant with a probability of 99 %." in _said(1, sure)
    assert "probability" not in _said(1, [PASSAGE])
    assert sentences(basis).startswith(
        "Probabilities are calibrated on 700 judged questions of 9 sets for minilm;"
    )
    assert () == calibration_reasons(None)


def test_names_the_changes_that_would_move_it_furthest() -> None:
    """One that leaves it where it is says nothing."""
    otherwise = (
        Counterfactual(change="without", part="vector", rank=1, among=30),
        Counterfactual(change="without", part="bm25", rank=4, among=30),
        Counterfactual(change="without", part="graph", rank=0, among=30),
        Counterfactual(change="fresh", part="fresh", rank=3, among=30),
    )
    said = _said(1, _ranked((), ()), *otherwise)

    assert said.endswith(
        "Without links it would not be among the first 30. Without the question's words it would "
        "rank 4."
    )
    assert "Were its text of today, it would rank 2." in _said(
        1, _ranked((), ()), replace(otherwise[3], rank=2)
    )


def test_part_that_is_not_known_here_keeps_its_name() -> None:
    """A retriever of a later version may tell of parts that this one has no words for."""
    ranked = _ranked((_part("taste", 1.0),), (_part("taste", 0.0),))

    assert "Ranks 1: it is ahead of rank 2 by taste." == _said(1, ranked)


def test_names_scope_and_rule() -> None:
    """By name, and by id where a scope has none."""
    unnamed = replace(MATCH, scope_id=ScopeId("s1"), scope_name="")
    said = rationale(replace(PASSAGE, scopes=(MATCH, unnamed)), (), ())

    assert "Scope The docs holds it by the prefix rule docs.example.org." in said
    assert "Scope s1 holds it by the prefix rule docs.example.org." in said


def test_says_how_the_version_stands() -> None:
    """When it was first seen, whether it is current, and how often its meaning changed."""
    lineage = [
        LineageEntry(
            version_id=VersionId(str(n)),
            observed_time=START,
            summary=ChangeSummary(semantic=semantic),
        )
        for n, semantic in enumerate((True, False, True))
    ]
    said = rationale(replace(PASSAGE, superseded=True), lineage, ())

    assert said.endswith(
        "The version was first observed 2026-03-01 12:00Z and is superseded, 2 of the listed "
        "versions changed its meaning."
    )


def test_says_which_time_was_asked_for_and_which_was_found() -> None:
    """With how sure it is; open ends in words."""
    match = TimeMatch(
        relation="after",
        asked_from="1990-01-01",
        dated=True,
        named_from="1992-03-01",
        named_to="1992-03-01",
        confidence=0.65,
    )
    said = rationale(replace(PASSAGE, time_match=match), (), ())
    silent = rationale(replace(PASSAGE, time_match=TimeMatch(asked_to="1990-01-01")), (), ())

    assert (
        "The question asks for 1990-01-01 or later; it speaks of 1992-03-01 (confidence 0.65)."
        in said
    )
    assert "The question asks for 1990-01-01 or earlier; it names no time." in silent


def test_says_what_leads_to_the_passage() -> None:
    """From what the question names, step by step."""
    near = rationale(replace(PASSAGE, graph_path=("ada ott",)), (), ())
    far = rationale(replace(PASSAGE, graph_path=("ada ott", "lund")), (), ())

    assert "It mentions ada ott, which the question names." in near
    assert "names ada ott, which is mentioned together with lund, which it mentions." in far
