"""Likeness in meaning of answers, by the embedder that Scops has."""

import pytest

from scops.common.config.settings import CommonSettings
from scops.libraries.embedder.opening import open_embedder
from scops.libraries.embedder.port import Embedder
from scops.standalone.evaluation.outcomes import AskedQuestion
from scops.standalone.evaluation.questions import EvaluationQuestion, ExpectedPassage
from scops.standalone.evaluation.similarity import with_similarity

QUESTION = EvaluationQuestion(
    id="1",
    text="What does the River plan cost?",
    answers=("17 euros a month", "Seventeen euros monthly"),
    expected=(ExpectedPassage(text="The River plan costs 17 euros a month."),),
)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return open_embedder(CommonSettings())


async def scores(
    embedder: Embedder, said: str, question: EvaluationQuestion = QUESTION
) -> dict[str, float]:
    outcome = AskedQuestion.of(question, answered=bool(said), said=said, scores={"em": 1.0})
    (found,) = await with_similarity([question], [outcome], embedder)
    return dict(found.scores)


async def test_what_says_the_same_is_more_alike(embedder: Embedder) -> None:
    same = await scores(embedder, "17 euros a month")
    other = await scores(embedder, "The kitchen closes at noon because of the flood.")

    assert {"em", "similarity", "support_similarity"} == set(same)
    assert same["similarity"] == pytest.approx(1.0, abs=1e-3)
    assert same["support_similarity"] > other["support_similarity"]
    assert 0.0 <= other["similarity"] < 0.5 < same["similarity"]


async def test_no_answer_is_like_none(embedder: Embedder) -> None:
    found = await scores(embedder, "")

    assert (0.0, 0.0) == (found["similarity"], found["support_similarity"])


async def test_what_cannot_be_told_is_left_out(embedder: Embedder) -> None:
    without = EvaluationQuestion(id="2", text="Why?", answerable=False, answers=("x",))
    unknown = EvaluationQuestion(id="3", text="Why?")
    passages = AskedQuestion.of(QUESTION)
    (unasked,) = await with_similarity([QUESTION], [passages], embedder)

    assert {"em": 1.0} == await scores(embedder, "So.", without)
    assert {"em": 1.0} == await scores(embedder, "So.", unknown)
    assert {} == unasked.scores
