"""What a score says of relevance, by the embedder's record."""

from dataclasses import dataclass, replace

import pytest

from scops.common.config.settings import EMBEDDER_DEFAULT
from scops.common.contract.messages.retrieval import Relevance, RetrieveRequest
from scops.common.contract.messages.types import ScopeRef
from scops.libraries.embedder.calibration import Calibration, Odds, RelevanceOdds, calibration_of
from scops.libraries.embedder.port import model_of
from scops.retriever.question import Question, parse_question
from scops.retriever.scoring.calibrated import calibrated_on, relevance_of
from scops.retriever.settings import RetrieverSettings
from tests.fakes.clock import START

ODDS = RelevanceOdds(plain=Odds(slope=0.5, offset=-1.0), timed=None, sets=7, questions=500)
KNOWN = replace(calibration_of("minilm-l6-v2"), relevance=ODDS)


@dataclass
class _Model:
    """What of an embedder is asked here."""

    calibration: Calibration
    embedder_id: str = "minilm-l6-v2/int8/title-section"


def _question(query: str = "owls", recipe: str = "") -> Question:
    request = RetrieveRequest(query=query, scopes=(ScopeRef(revision=1),), recipe=recipe)
    return parse_question(request, RetrieverSettings(), now=START)


def test_probability_follows_the_record() -> None:
    """Even chances where slope times score and offset cancel; more above."""
    assert 0.5 == relevance_of(2.0, _question(), KNOWN)
    assert relevance_of(4.0, _question(), KNOWN) == pytest.approx(0.7311, abs=1e-4)


@pytest.mark.parametrize(
    "question", [_question(recipe="owlerlite"), _question("Who led the club in 1990?")]
)
def test_nothing_is_told_of_what_was_not_calibrated(question: Question) -> None:
    """Neither of scores that are no log-odds, nor of a kind of question that few judged."""
    assert relevance_of(2.0, question, KNOWN) is None
    assert calibrated_on(question, _Model(KNOWN)) is None  # type: ignore[arg-type]


def test_model_without_a_record_tells_nothing() -> None:
    """As one that nobody fitted."""
    unknown = replace(KNOWN, relevance=None)

    assert relevance_of(2.0, _question(), unknown) is None
    assert calibrated_on(_question(), _Model(unknown)) is None  # type: ignore[arg-type]


def test_basis_names_model_sets_and_questions() -> None:
    """So that a reader can judge how far it holds for pages of another kind."""
    assert Relevance(model="minilm-l6-v2", sets=7, questions=500) == calibrated_on(
        _question(),
        _Model(KNOWN),  # type: ignore[arg-type]
    )


def test_default_embedder_has_a_record_that_rises_with_the_score() -> None:
    """A better score is never told as less probable."""
    known = calibration_of(model_of(EMBEDDER_DEFAULT).name).relevance

    assert known is not None
    assert known.plain is not None
    assert known.plain.slope > 0
