"""The scores of a question, on answers and rankings that can be counted by hand."""

import math
from collections.abc import Collection

import pytest

from scops.client import Answer, Citation, Highlight, Passage, ScopeMatch, Statement
from scops.standalone.evaluation import matching
from scops.standalone.evaluation.citing import citation_scores
from scops.standalone.evaluation.questions import EvaluationQuestion, ExpectedPassage
from scops.standalone.evaluation.ranking import found_gains, ndcg, reciprocal_rank, says
from scops.standalone.evaluation.scoring import scores_of

QUOTE = "The River plan costs 17 euros a month."
SECOND = "It has four seats."


def answer(*statements: Statement, quotes: Collection[str] = (QUOTE,)) -> Answer:
    citations = tuple(
        Citation(number=number, uri="https://tarn.test/prices", quote=quote)
        for number, quote in enumerate(quotes, 1)
    )
    return Answer(answered=bool(statements), statements=statements, citations=citations)


def quoted(text: str = QUOTE, *numbers: int, short: str = "") -> Statement:
    at = text.find(short)
    mark = Highlight(start=at, end=at + len(short), probability=0.9) if short else None
    return Statement(text=text, citation_numbers=numbers or (1,), highlight=mark)


def passage(uri: str, text: str = "", scope: str = "tarn") -> Passage:
    return Passage(uri=uri, text=text, scopes=(ScopeMatch(scope=f"scopes/{scope}"),))


def scored(
    question: EvaluationQuestion,
    given: Answer | None,
    *passages: Passage,
    verbatim: Collection[int] = (1,),
) -> dict[str, float]:
    return scores_of(question, passages, given, verbatim=verbatim, scopes=("tarn",), cut=10)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("The  Answer, is: 42!", "answer is 42"),
        ("U.S. $10,000", "us 10000"),
        ("東京 は", "東 京 は"),
        ("Ärger", "ärger"),
    ],
)
def test_texts_are_compared_as_squad_does(said: str, expected: str) -> None:
    """Case, punctuation and articles are nothing; a sign of Chinese is a word."""
    assert expected == matching.normalised(said)


def test_matches_count_against_the_best_answer() -> None:
    """Four words of which two are right, of three: 2·2/(4+3)."""
    assert 1.0 == matching.exact_match("the 17 euros", ["16 euros", "17 euros."])
    assert 4 / 7 == pytest.approx(matching.token_f1("it costs 17 euros", ["17 euros monthly"]))
    assert 1.0 == matching.contains(QUOTE, ["17 euros"])
    assert 0.0 == matching.contains("It costs 170 euros.", ["17"])
    assert 1.0 == matching.likeness(QUOTE, ["17 Euros"])
    assert 0.5 < matching.likeness("17 euro", ["17 euros a month"]) < 1.0


def test_better_than_distractors_needs_a_lead() -> None:
    """An answer that says both is no better, and without wrong answers nothing can be told."""
    assert 1.0 == matching.beats_distractors(QUOTE, ["17 euros"], ["19 dollars"])
    assert 0.0 == matching.beats_distractors(f"{QUOTE} Or 19 dollars.", ["17"], ["19 dollars"])
    assert matching.beats_distractors(QUOTE, ["17 euros"], []) is None


def test_a_ranking_counts_each_thing_once() -> None:
    """Gains 2 at rank 2 and 1 at rank 3, of the best 2 and 1; the page that comes again is none."""
    expected = (
        ExpectedPassage(page="https://tarn.test/a", gain=2),
        ExpectedPassage(page="b", gain=1),
    )
    gains = found_gains(
        [
            passage("https://tarn.test/x"),
            passage("https://tarn.test/a/"),
            passage("file://tarn/records.jsonl/b"),
            passage("https://tarn.test/a"),
        ],
        expected,
    )
    best = 2 + 1 / math.log2(3)

    assert [(), (2,), (1,), ()] == gains
    assert (2 / math.log2(3) + 1 / 2) / best == pytest.approx(ndcg(gains, expected, cut=10))
    assert 0.5 == reciprocal_rank(gains, cut=10)
    assert 0.0 == reciprocal_rank(gains, cut=1)


@pytest.mark.parametrize(
    ("text", "expected", "shown"),
    [
        (f"Plans. {QUOTE} It has four seats.", QUOTE, True),
        ("the river plan\ncosts 17 euros a month", QUOTE, True),
        (SECOND, f"{QUOTE} {SECOND}", False),
        ("Prices", QUOTE, False),
        ("The Lake plan costs 90 euros for ten users a year.", QUOTE, False),
        ("", QUOTE, False),
        ("歌川河計画は月額十七ユーロです。", "月額十七ユーロ", True),
    ],
)
def test_a_passage_shows_words_that_it_has(text: str, expected: str, shown: bool) -> None:
    """All of them, or half of a text that a chunk ends in; a heading alone is too short."""
    assert shown is says(text, expected)


def test_an_answer_is_held_against_what_is_known() -> None:
    """The marked words count for EM and F1, all that is said for what it contains."""
    asked = EvaluationQuestion(
        id="1",
        text="How much?",
        answers=("17 euros",),
        expected=(ExpectedPassage(text=QUOTE),),
        distractors=("19 dollars",),
    )
    given = answer(quoted(short="17 euros"))
    other = passage("https://tarn.test/x", "Seats are free.", scope="releases")
    scores = scored(asked, given, other, passage("https://tarn.test/prices", QUOTE))
    right = dict.fromkeys(
        ("em", "f1", "contains", "fuzzy", "better_than_distractors", "citation_recall"), 1.0
    )

    assert right == {name: scores[name] for name in right}
    assert (0.5, 0.5) == (scores["sf@10"], scores["sl@10"])
    assert (0.0, 1.0, 0.5) == (scores["hit@1"], scores["hit@10"], scores["mrr@10"])


def test_saying_nothing_is_right_where_there_is_no_answer() -> None:
    """As SQuAD 2 counts it; whatever is said there is wrong."""
    asked = EvaluationQuestion(id="1", text="How tall?", answerable=False)

    assert {"em": 1.0, "f1": 1.0} == scored(asked, answer(quotes=()))
    assert 0.0 == scored(asked, answer(quoted()))["f1"]


def test_a_question_without_an_answer_given_is_wrong() -> None:
    """Nothing is said, so nothing matches; no citation can be judged."""
    asked = EvaluationQuestion(id="1", text="How much?", answers=("17 euros",))

    assert {"em": 0.0, "f1": 0.0, "contains": 0.0, "fuzzy": 0.0} == scored(asked, answer(quotes=()))


def test_citations_are_judged_as_alce_judges_them() -> None:
    """Of two statements one is supported; of its two citations one adds nothing."""
    given = answer(
        quoted("The River plan costs 17 euros.", 1, 2),
        quoted("The Lake plan costs 90 euros.", 1),
        quotes=(QUOTE, SECOND),
    )
    scores = citation_scores(given, {1, 2})

    assert scores is not None
    assert (0.5, 1 / 3) == (scores.recall, pytest.approx(scores.precision))


def test_a_quote_that_its_version_does_not_show_supports_nothing() -> None:
    """However well it would."""
    asked = EvaluationQuestion(id="1", text="How much?", answers=("17 euros",))
    scores = scored(asked, answer(quoted()), verbatim=())

    assert (0.0, 0.0, 0.0) == (
        scores["citation_recall"],
        scores["citation_precision"],
        scores["citation_verbatim"],
    )
