"""What a question that cannot be asked does to the rest."""

import pytest

from scops.client.errors import InvalidRequest, NotFound, ScopsError, Unavailable
from scops.client.values.answers import Answer, ModelUse
from scops.standalone.evaluation.asking import ask_all, check_model
from scops.standalone.evaluation.outcomes import AskedQuestion
from scops.standalone.evaluation.questions import EvaluationQuestion

QUESTIONS = [EvaluationQuestion(id=str(n), text=f"{n}?", answers=("7",)) for n in range(1, 8)]


def asked(errors: dict[str, ScopsError]) -> tuple[list[AskedQuestion], list[int], list[float]]:
    """Returns the outcomes, what was told, and how long was waited."""

    def ask(question: EvaluationQuestion) -> AskedQuestion:
        if question.id in errors:
            raise errors[question.id]
        return AskedQuestion.of(question, answered=True)

    told: list[int] = []
    waits: list[float] = []
    return ask_all(QUESTIONS, ask, told=told.append, sleep=waits.append), told, waits


def test_a_question_that_fails_is_told_and_the_rest_is_asked() -> None:
    """Also one whose words are refused, once others were taken; a busy gateway is left alone."""
    busy = Unavailable("busy", retry_after=7.0)
    outcomes, told, waits = asked({"2": busy, "3": InvalidRequest("too long")})

    assert ["", "busy", "too long", "", "", "", ""] == [one.error for one in outcomes]
    assert [True, None] == [one.answered for one in outcomes[:2]]
    assert [1, 2, 3, 4, 5, 6, 7] == told
    assert [7.0, 0.0] == waits


def test_the_first_question_may_be_the_one_that_is_refused() -> None:
    """Its words are too long, and those of the next are not."""
    outcomes, _, _ = asked({"1": InvalidRequest("too long", reason="QUERY_TOO_LONG")})

    assert [True, False] == [bool(one.error) for one in outcomes[:2]]


@pytest.mark.parametrize(
    "error", [NotFound("no such scope"), InvalidRequest("no such recipe"), Unavailable("down")]
)
def test_what_fails_each_question_ends_the_run(error: ScopsError) -> None:
    """A missing scope and an unknown recipe at once, a gateway that is down soon."""
    with pytest.raises(type(error)):
        asked({question.id: error for question in QUESTIONS})


@pytest.mark.parametrize(
    ("wanted", "used"), [("", "small"), ("large", "large"), ("large", ""), ("large", None)]
)
def test_model_that_was_named_has_answered(wanted: str, used: str | None) -> None:
    """Where it was asked at all: what is not found needs none."""
    check_model(wanted, _worded(used))


def test_another_model_than_the_one_named_ends_the_run() -> None:
    """A gateway of an earlier version does not know the field, and its model is no other."""
    with pytest.raises(InvalidRequest, match="'large' was to be asked, and 'small' was"):
        check_model("large", _worded("small"))


def _worded(model: str | None) -> Answer:
    return Answer(model=None if model is None else ModelUse(model=model))
