"""What answers are worth by the measures of the paper, with intervals of a bootstrap over pages.

Source: scholar-chatbot, Evaluation and figure 4. Differs: its fuzzy score of 0 to 100 is here
rapidfuzz's partial ratio in [0, 1], which is 0 where nothing is said.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

from benchmarks.scholar.sciq_sets import SciqQuestion
from scops.libraries.embedder.port import FloatArray
from scops.standalone.evaluation.matching import contains, likeness
from scops.standalone.evaluation.paired import paired

MEASURES = (
    "em",
    "fuzzy",
    "similarity",
    "support_similarity",
    "better_than_distractors",
    "answered_share",
)
DRAWS = 2000
# Of 20 questions, online; offline its means over three runs are .40, .687, .391 and .683.
PAPER: Mapping[str, object] = {
    "em": 0.35,
    "fuzzy": 0.738,
    "questions": 20,
    "off": {"em": 0.4, "fuzzy": 0.6867, "similarity": 0.3903, "better_than_distractors": 0.6833},
    "top2": {"em": 0.2, "fuzzy": 0.6335, "similarity": 0.3841, "better_than_distractors": 0.6},
    "top3": {"em": 0.25, "fuzzy": 0.693, "similarity": 0.384, "better_than_distractors": 0.65},
    "top5": {"em": 0.35, "fuzzy": 0.738, "similarity": 0.4152, "better_than_distractors": 0.7},
}
Vectors = Mapping[str, FloatArray]
Scores = Mapping[str, float]


def texts_of(question: SciqQuestion) -> list[str]:
    """Returns the texts whose vectors an answer is compared with."""
    return [*question.answers, *question.distractors, question.support]


def scores_of(question: SciqQuestion, said: str, vectors: Vectors) -> Scores:
    """Returns each measure of what is said; 0 of all where that is nothing.

    Args:
        vectors: of unit length, of what is said and of `texts_of`.
    """
    if not said:
        return dict.fromkeys(MEASURES, 0.0)
    right = max(_cosine(said, one, vectors) for one in question.answers)
    wrong = max(_cosine(said, one, vectors) for one in question.distractors)
    return {
        "em": contains(said, question.answers),
        "fuzzy": likeness(said, question.answers),
        "similarity": right,
        "support_similarity": _cosine(said, question.support, vectors),
        "better_than_distractors": float(right > wrong),
        "answered_share": 1.0,
    }


def figures(scores: Sequence[Scores], *, pages: Sequence[str]) -> dict[str, object]:
    """Returns the mean of each measure with `…_interval`; nothing of no question.

    Args:
        pages: of each question, by which the bootstrap draws.
    """
    if not scores:
        return {}
    nothing = [0.0] * len(scores)
    found: dict[str, object] = {}
    for name in MEASURES:
        values = [one[name] for one in scores]
        told = paired(name, values, nothing, units=pages, draws=DRAWS)
        found |= {key: told[key] for key in (name, f"{name}_interval")}
    return found


def against(sides: Mapping[str, Sequence[Scores]], *, pages: Sequence[str]) -> dict[str, object]:
    """Returns `LATER.EARLIER.em` of every two sides, with `…_interval` and `…_p`."""
    found: dict[str, object] = {}
    for earlier, later in combinations(sides if pages else (), 2):
        ours, theirs = ([one["em"] for one in sides[side]] for side in (later, earlier))
        found |= paired(f"{later}.{earlier}.em", ours, theirs, units=pages, draws=DRAWS)
    return found


def _cosine(left: str, right: str, vectors: Vectors) -> float:
    return float(vectors[left] @ vectors[right])
