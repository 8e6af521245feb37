"""How like in meaning what is said is to the right answers and to what supports them.

The embedder of this machine's settings compares, on the scale that its models share: about 0 for
texts that have nothing to do with each other, 1 for such that say the same.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scops.libraries.embedder.port import Embedder
from scops.standalone.evaluation.outcomes import AskedQuestion
from scops.standalone.evaluation.questions import EvaluationQuestion

SIMILARITY, SUPPORT_SIMILARITY = "similarity", "support_similarity"
# Texts that are embedded at once.
TOGETHER = 64


async def with_similarity(
    questions: Sequence[EvaluationQuestion], outcomes: Sequence[AskedQuestion], embedder: Embedder
) -> list[AskedQuestion]:
    """Returns outcomes with `similarity` and `support_similarity`; 0 where nothing is answered.

    A question without right answers, or without words that support one, lacks the measure.

    Args:
        outcomes: of each question.
    """
    found: list[AskedQuestion] = []
    for question, outcome in zip(questions, outcomes, strict=True):
        rights = {
            SIMILARITY: question.answers,
            SUPPORT_SIMILARITY: tuple(one.text for one in question.expected if one.text),
        }
        scores = {
            name: await _nearest(outcome.said, texts, embedder)
            for name, texts in rights.items()
            if texts and question.answerable and outcome.answered is not None
        }
        found.append(replace(outcome, scores={**outcome.scores, **scores}))
    return found


async def _nearest(said: str, rights: Sequence[str], embedder: Embedder) -> float:
    """Returns the greatest likeness of what is said to one of some texts, in [0, 1]."""
    if not said:
        return 0.0
    vectors = np.asarray(await embedder.embed([said, *rights[: TOGETHER - 1]]), dtype=np.float64)
    likenesses = embedder.calibration.likenesses(vectors[1:] @ vectors[0])
    return round(float(np.clip(likenesses, 0.0, 1.0).max()), 4)
