"""What a reading is worth."""

from dataclasses import replace

import pytest

from benchmarks.languages.folders import Paragraph
from benchmarks.reader.outcomes import BOUNDS, Outcome, Reading, abstention, figures, judge
from benchmarks.reader.sets import Place, ReadingQuestion, ReadingSet

TEXT = "Owls hunt mice. They sleep by day."
FIRST, SECOND = Place("p", 0, 15), Place("p", 16, 34)
AMONG = ReadingSet({"p": Paragraph("p", "Owl", TEXT)}, {"p": (FIRST, SECOND)}, ())
ASKED = ReadingQuestion(
    text="What do owls hunt?",
    paragraph_id="p",
    page="Owl",
    answerable=True,
    answers=("the mice", "mice"),
    spans=(Place("p", 10, 14),),
    facts=(),
)
UNANSWERABLE = replace(ASKED, answerable=False, answers=(), spans=())


def _quoted(*places: Place) -> tuple[tuple[Place, str], ...]:
    return tuple((place, TEXT[place.start : place.end]) for place in places)


def test_sentence_beside_the_answer_costs_precision() -> None:
    """Recall asks whether the answer is quoted, precision what else is."""
    both = judge(ASKED, Reading(quotes=_quoted(FIRST, SECOND)), AMONG)
    wrong = judge(ASKED, Reading(quotes=_quoted(SECOND)), AMONG)

    assert (0.5, 1.0, 1.0, 1.0) == (both.precision, both.recall, both.holds, both.right)
    assert (0.0, 0.0, 0.0, 0.0) == (wrong.precision, wrong.recall, wrong.holds, wrong.right)


def test_facts_are_needed_together() -> None:
    """Recall of supporting facts is a share."""
    asked = replace(ASKED, facts=(FIRST, SECOND))

    assert 0.5 == judge(asked, Reading(quotes=_quoted(FIRST)), AMONG).recall


def test_highlight_is_the_answer_that_is_matched() -> None:
    """Articles and case are no difference; a whole sentence shares what it shares."""
    marked = judge(ASKED, Reading(quotes=_quoted(FIRST), highlight="Mice"), AMONG)
    sentence = judge(ASKED, Reading(quotes=_quoted(FIRST)), AMONG)

    assert (1.0, 1.0) == (marked.exact, marked.f1)
    assert (0.0, pytest.approx(0.5)) == (sentence.exact, sentence.f1)


def test_abstention_is_right_where_there_is_no_answer() -> None:
    """Elsewhere it is wrong, and its quotes count for nothing but confidence."""
    reading = Reading(quotes=_quoted(FIRST), confidence=0.2, probability=0.2, abstains=True)
    right, wrong = judge(UNANSWERABLE, reading, AMONG), judge(ASKED, reading, AMONG)

    assert (1.0, 0.0) == (right.exact, wrong.exact)
    assert (0.0, 1.0) == (wrong.recall, wrong.right)
    assert right.right == 0.0


def _outcomes() -> list[Outcome]:
    sure = Reading(quotes=_quoted(FIRST), confidence=0.9, probability=0.9, abstains=False)
    unsure = Reading(quotes=_quoted(SECOND), confidence=0.1, probability=0.1, abstains=True)
    return [judge(ASKED, sure, AMONG), judge(UNANSWERABLE, unsure, AMONG)]


def test_risk_and_calibration_follow_confidence() -> None:
    """The sure one is right: no risk at half coverage, a half at all; ten per cent off in both."""
    found = figures(_outcomes(), may_abstain=True)

    assert (0.25, 0.1, 1.0) == (found["aurc"], found["ece"], found["no_answer_f1"])
    assert 0.0 == found["abstained_answerable"]


def test_what_cannot_be_said_is_null() -> None:
    """Without confidence there is no risk curve, without unanswerable questions no abstention."""
    found = figures([judge(ASKED, Reading(quotes=_quoted(FIRST)), AMONG)], may_abstain=True)

    assert [None] * 6 == [
        found[key] for name in ("aurc", "ece", "no_answer_f1") for key in (name, f"{name}_interval")
    ]
    assert (3, [3.0, 3.0]) == (found["words_p50"], found["words_p50_interval"])


def test_interval_is_over_pages() -> None:
    """Two pages that differ are a wide interval, however many questions they have."""
    hit, miss = (judge(ASKED, Reading(quotes=_quoted(place)), AMONG) for place in (FIRST, SECOND))
    found = figures([hit] * 50 + [replace(miss, page="Bat")] * 50, may_abstain=False)

    assert (0.5, [0.0, 1.0]) == (found["sentence_recall"], found["sentence_recall_interval"])


def test_each_bound_says_what_abstaining_below_it_would_give() -> None:
    """One of two questions without an answer looks answered: it is refused with a good one."""
    sure, looks, unsure = (
        Reading(quotes=_quoted(FIRST), answered=answered) for answered in (0.95, 0.75, 0.1)
    )
    asked = [(ASKED, sure), (ASKED, looks), (UNANSWERABLE, looks), (UNANSWERABLE, unsure)]
    outcomes = [judge(question, reading, AMONG) for question, reading in asked]
    found = abstention(outcomes)

    assert set(map(str, BOUNDS)) == set(found)
    assert {"no_answer_f1": 0.6667, "abstained_answerable": 0.0} == found["0.35"]
    assert {"no_answer_f1": 0.8, "abstained_answerable": 0.5} == found["0.8"]
    assert 0.875 == figures(outcomes, may_abstain=True)["no_answer_auc"]


def test_selection_that_is_never_unsure_has_no_bounds() -> None:
    asked = [judge(one, Reading(quotes=_quoted(FIRST)), AMONG) for one in (ASKED, UNANSWERABLE)]

    assert {} == abstention(asked)
    assert None is figures(asked, may_abstain=False)["no_answer_auc"]
