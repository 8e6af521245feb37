"""The row of a model that is asked without passages."""

from benchmarks.answers.closed_book import QUESTIONS_MAX, closed_book, configured_model
from scops.explainer.settings import ExplainerSettings
from scops.libraries.model.language_model import ModelUnavailable
from tests.fakes.language_model import ScriptedModel


def test_answers_are_scored_against_gold() -> None:
    """One knows, one says that it does not, one is silent."""
    model = ScriptedModel(["It was Ada Lovelace.", "UNKNOWN", ModelUnavailable("down")])
    row = closed_book(model, [("Who?", ["Ada Lovelace"]), ("When?", ["1843"]), ("Why?", ["fun"])])

    assert (3, 0.3333) == (row["questions"], row["containment"])
    assert (0.3333, 0.3333) == (row["unknown"], row["failed"])
    assert 0.0 == row["exact_match"]


def test_sample_is_bounded() -> None:
    """A slow model is not asked hundreds of questions."""
    model = ScriptedModel(["x"] * 1000)

    assert QUESTIONS_MAX == closed_book(model, [("q", ["x"])] * 450)["questions"]


def test_without_an_endpoint_there_is_no_model() -> None:
    """The row is null then."""
    assert configured_model(ExplainerSettings()) is None
