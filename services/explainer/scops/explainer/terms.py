"""Words of questions and sentences, and how much a sentence shares with a question."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

WORD = re.compile(r"\w+(?:[.'’\-]\w+)*", re.UNICODE)
STOP_WORDS = frozenset(
    """
    a about after all also am an and any are as at be because been before being between both but
    by can could did do does doing down during each few for from further had has have having he
    her here hers him his how i if in into is it its itself just me more most my no nor not of
    off on once only or other our out over own same she should so some such than that the their
    them then there these they this those through to too under until up very was we were what
    when where which while who whom why will with would you your
    """.split()  # noqa: SIM905 (a list of words reads best as words)
)


def words(text: str) -> list[str]:
    """Returns the words of a text in order, case folded."""
    return [match.group().casefold() for match in WORD.finditer(text)]


def content_terms(text: str) -> frozenset[str]:
    """Returns the stems of a text's words that carry meaning."""
    return frozenset(stem(word) for word in words(text) if word not in STOP_WORDS)


def stem(word: str) -> str:
    """Strips the commonest English endings, so that `limits` meets `limit` and `limited`."""
    for ending in ("ing", "edly", "ed", "ies", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending) + ("y" if ending == "ies" else "")
    return word


def inverse_frequencies(sentences: Sequence[frozenset[str]]) -> dict[str, float]:
    """Returns ln(1 + n / df) for each term of some sentences."""
    counts = Counter(term for terms in sentences for term in terms)
    return {term: math.log(1 + len(sentences) / count) for term, count in counts.items()}


def overlap(question: frozenset[str], sentence: Iterable[str], weights: dict[str, float]) -> float:
    """Returns the share of the question's weight that a sentence holds, in [0, 1].

    A term that no sentence holds counts with the greatest weight: it is what is missing.
    """
    heaviest = max(weights.values(), default=1.0)
    total = math.fsum(weights.get(term, heaviest) for term in question)
    if total == 0:
        return 0.0
    held = question.intersection(sentence)
    return math.fsum(weights.get(term, heaviest) for term in sorted(held)) / total
