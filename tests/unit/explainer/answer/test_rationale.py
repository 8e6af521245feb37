"""The sentences that explain a rank."""

from dataclasses import replace

from scops.common.contract.ids import ScopeId, VersionId
from scops.common.contract.messages.explanation import LineageEntry, RankWithout
from scops.common.contract.messages.retrieval import ScorePart, TimeMatch
from scops.common.contract.messages.types import ChangeSummary
from scops.explainer.answer.rationale import rationale
from tests.fakes.clock import START
from tests.fakes.worlds.explainer import MATCH, passage_of
from tests.fakes.worlds.indexed_pages import page_of

PASSAGE = passage_of(page_of("https://docs.example.org/a", "Owls hunt at night."))


def _part(name: str, weighted: float, *, present: bool = True) -> ScorePart:
    return ScorePart(name=name, weighted=weighted, present=present)


def test_names_the_two_strongest_parts_and_the_absent() -> None:
    """The reader learns what helped most and what had no say."""
    parts = (
        _part("vector", 0.2),
        _part("bm25", 0.3),
        _part("graph", 0.0, present=False),
        _part("fresh", 0.1),
    )
    said = rationale(2, replace(PASSAGE, parts=parts), ())

    assert said.startswith(
        "Ranks 2 because it uses the question's words (0.30) and its meaning is close to the "
        "question (0.20); graph had nothing to say. "
    )


def test_names_what_sets_it_apart_from_the_others() -> None:
    """A part that all have alike, as the prior, explains no rank."""
    parts = (_part("prior", 1.0), _part("vector", 2.0), _part("bm25", 0.9))
    others = [
        replace(PASSAGE, parts=(_part("prior", 1.0), _part("vector", vector), _part("bm25", 0.1)))
        for vector in (1.9, 2.1)
    ]
    said = rationale(1, replace(PASSAGE, parts=parts), (), others=others)
    alike = rationale(2, others[0], (), others=[others[0], others[0]])

    assert said.startswith(
        "Ranks 1 because it uses the question's words (+0.80) against the median of the others. "
    )
    assert alike.startswith("Ranks 2 because nothing else matched better. ")


def test_names_the_part_that_decides() -> None:
    """Among the passages that are shown, which is said."""
    said = rationale(1, PASSAGE, (), [RankWithout(part="bm25", rank=2)], others=[PASSAGE])

    assert "Of the 2 passages here it would rank 2 without bm25." in said


def test_names_scope_and_rule() -> None:
    """By name, and by id where a scope has none."""
    unnamed = replace(MATCH, scope_id=ScopeId("s1"), scope_name="")
    said = rationale(1, replace(PASSAGE, scopes=(MATCH, unnamed)), ())

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
    said = rationale(1, replace(PASSAGE, superseded=True), lineage)

    assert said.endswith(
        "The version was first observed 2026-03-01 12:00Z and is superseded, 2 of the listed "
        "versions changed its meaning."
    )


def test_passage_without_helpful_parts_is_still_explained() -> None:
    """No score above zero means that nothing else matched better."""
    said = rationale(1, replace(PASSAGE, parts=()), ())

    assert said.startswith("Ranks 1 because nothing else matched better.")


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
    said = rationale(1, replace(PASSAGE, time_match=match), ())
    silent = rationale(1, replace(PASSAGE, time_match=TimeMatch(asked_to="1990-01-01")), ())

    assert (
        "The question asks for 1990-01-01 or later; it speaks of 1992-03-01 (confidence 0.65)."
        in said
    )
    assert "The question asks for 1990-01-01 or earlier; it names no time." in silent


def test_says_what_leads_to_the_passage() -> None:
    """From what the question names, step by step."""
    near = rationale(1, replace(PASSAGE, graph_path=("ada ott",)), ())
    far = rationale(1, replace(PASSAGE, graph_path=("ada ott", "lund")), ())

    assert "It mentions ada ott, which the question names." in near
    assert "names ada ott, which is mentioned together with lund, which it mentions." in far
