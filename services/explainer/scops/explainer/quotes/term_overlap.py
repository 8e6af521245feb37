"""How much a sentence shares with a question, rare terms weighing more."""

import math
from collections import Counter
from collections.abc import Sequence, Set


def inverse_frequencies(sentences: Sequence[Set[str]]) -> dict[str, float]:
    """Returns ln(1 + n / df) for each term of some sentences."""
    counts = Counter(term for terms in sentences for term in terms)
    return {term: math.log(1 + len(sentences) / count) for term, count in counts.items()}


def coverage(question: Set[str], known: Set[str]) -> float:
    """Returns the share of a question's terms that are known, in [0, 1]; 1 without any."""
    return len(question & known) / len(question) if question else 1.0


def overlap(
    question: Set[str],
    sentence: Set[str],
    context: Set[str],
    weights: dict[str, float],
    *,
    context_share: float,
) -> float:
    """Returns the share of the question's weight that a sentence holds, in [0, 1].

    A term that only the context holds counts by `context_share`. A term that no sentence holds
    weighs as much as the heaviest: it is what is missing.
    """
    heaviest = max(weights.values(), default=1.0)
    total = math.fsum(weights.get(term, heaviest) for term in question)
    if total == 0:
        return 0.0
    held = (
        weights.get(term, heaviest) * (1.0 if term in sentence else context_share)
        for term in sorted(question)
        if term in sentence or term in context
    )
    return math.fsum(held) / total
