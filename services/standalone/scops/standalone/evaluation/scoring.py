"""The scores of one question: of its passages, its answer and its citations."""

from collections.abc import Collection, Sequence

from scops.client.values.answers import Answer
from scops.client.values.passages import Passage
from scops.standalone.evaluation.citing import citation_scores
from scops.standalone.evaluation.matching import (
    beats_distractors,
    contains,
    exact_match,
    likeness,
    token_f1,
)
from scops.standalone.evaluation.questions import EvaluationQuestion
from scops.standalone.evaluation.ranking import (
    found_gains,
    hit,
    ndcg,
    reciprocal_rank,
    scope_fidelity,
)


def scores_of(
    question: EvaluationQuestion,
    passages: Sequence[Passage],
    answer: Answer | None,
    *,
    verbatim: Collection[int],
    scopes: Collection[str],
    cut: int,
) -> dict[str, float]:
    """Returns the scores by measure; what cannot be told of this question is left out.

    Args:
        answer: None where none was asked for.
        verbatim: numbers of the citations whose quote the cited version shows.
        scopes: that passages should come from; `*` leaves scope fidelity out.
        cut: of the measures on passages.
    """
    scores: dict[str, float | None] = _ranked(question, passages, cut)
    if "*" not in scopes:
        ids = {scope.removeprefix("scopes/") for scope in scopes}
        fidelity = scope_fidelity(passages, ids, cut=cut)
        scores[f"sf@{cut}"] = fidelity
        scores[f"sl@{cut}"] = 1 - fidelity if fidelity is not None else None
    if answer is not None:
        scores |= _said(question, answer)
        scores |= _cited(answer, verbatim)
    return {name: round(score, 4) for name, score in scores.items() if score is not None}


def spoken(answer: Answer) -> str:
    """Returns the statements, one after the other, without the numbers of citations."""
    return " ".join(statement.text for statement in answer.statements)


def short_answer(answer: Answer) -> str:
    """Returns the words that an answer marks as the short answer; empty where it marks none."""
    return next((one.short_answer for one in answer.statements if one.short_answer), "")


def _ranked(
    question: EvaluationQuestion, passages: Sequence[Passage], cut: int
) -> dict[str, float | None]:
    expected = question.expected
    if not expected:
        return {}
    gains = found_gains(passages, expected)
    return {
        f"ndcg@{cut}": ndcg(gains, expected, cut=cut),
        f"mrr@{cut}": reciprocal_rank(gains, cut=cut),
        "hit@1": hit(gains, cut=1),
        f"hit@{cut}": hit(gains, cut=cut),
    }


def _said(question: EvaluationQuestion, answer: Answer) -> dict[str, float | None]:
    """Returns the scores of what is said; of a question without an answer, whether none is given.

    Source: SQuAD 2, section 5: to say nothing is then right, and anything said is wrong.
    """
    if not question.answerable:
        right = float(not answer.answered)
        return {"em": right, "f1": right}
    if not question.answers:
        return {}
    said = spoken(answer) if answer.answered else ""
    short = short_answer(answer) or said if answer.answered else ""
    return {
        "em": exact_match(short, question.answers),
        "f1": token_f1(short, question.answers),
        "contains": contains(said, question.answers),
        "fuzzy": likeness(said, question.answers),
        "better_than_distractors": beats_distractors(said, question.answers, question.distractors),
    }


def _cited(answer: Answer, verbatim: Collection[int]) -> dict[str, float | None]:
    scores = citation_scores(answer, verbatim) if answer.answered else None
    if scores is None:
        return {}
    shown = [one.number in verbatim for one in answer.citations]
    return {
        "citation_recall": scores.recall,
        "citation_precision": scores.precision,
        "citation_verbatim": sum(shown) / len(shown) if shown else None,
    }
