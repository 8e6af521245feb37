"""How probable it is that a passage is relevant, as scores were calibrated on judged questions.

A score orders the passages of one question; what it says of relevance depends on the model and on
whether the question names a time, and is fitted by `python -m benchmarks.reference.fit_relevance`.
"""

from scops.common.contract.messages.retrieval import Relevance
from scops.libraries.embedder.calibration import Calibration, Odds
from scops.libraries.embedder.port import Embedder
from scops.retriever.question import Question
from scops.retriever.scoring.recipes import Scale
from scops.retriever.scoring.score import probability

# Of an `embedder_id`, where the name of its model ends.
MODEL_END = "/"


def relevance_of(score: float, question: Question, calibration: Calibration) -> float | None:
    """Returns the probability that a passage of a score is relevant; None where nobody can tell."""
    odds = _odds(question, calibration)
    return None if odds is None else probability(odds.slope * score + odds.offset)


def calibrated_on(question: Question, embedder: Embedder) -> Relevance | None:
    """Returns what the probabilities of a reply were fitted on; None where it has none."""
    known = embedder.calibration.relevance
    if known is None or _odds(question, embedder.calibration) is None:
        return None
    model, _, _ = embedder.embedder_id.partition(MODEL_END)
    return Relevance(model=model, sets=known.sets, questions=known.questions)


def _odds(question: Question, calibration: Calibration) -> Odds | None:
    known = calibration.relevance
    if known is None or question.recipe.scale is not Scale.LOG_ODDS:
        return None
    return known.plain if question.time.constraint is None else known.timed
