"""Words of questions and sentences, and how much a sentence shares with a question."""

import math
import re
from collections import Counter
from collections.abc import Sequence, Set

# Scripts without spaces between words are counted by the character.
_IDEOGRAPH = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
WORD = re.compile(rf"{_IDEOGRAPH}|(?:(?!{_IDEOGRAPH})\w)+(?:[.'’\-](?:(?!{_IDEOGRAPH})\w)+)*")
STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are as ask at be because been before being between
    both but by can could did do does doing down during each ever every few for from further get
    give given had has have having he her here hers him his how i if in into is it its itself just
    let like long many may me might more most much must my no nor not of off often on once one only
    or other our out over own please same shall she should since so some soon such take tell than
    that the their them then there these they this those through to too under until up upon us use
    used very via was we were what when where whether which while who whom whose why will with
    within without would you your
    """.split()  # noqa: SIM905 (a list of words reads best as words)
)
ENDINGS = ("ing", "edly", "ed", "ies", "es", "s", "ly")
STEM_CHARACTERS_MIN = 3


def words(text: str) -> list[str]:
    """Returns the words of a text in order, case folded."""
    return [match.group().casefold() for match in WORD.finditer(text)]


def word_count(text: str) -> int:
    """Returns how many words a reader counts: those between spaces, or more in other scripts."""
    return max(len(text.split()), len(words(text)))


def content_terms(text: str) -> frozenset[str]:
    """Returns the stems of a text's words that carry meaning."""
    return frozenset(stem(word) for word in words(text) if word not in STOP_WORDS)


def stem(word: str) -> str:
    """Strips the commonest English endings, so that `expires` meets `expire` and `expired`."""
    for ending in ENDINGS:
        kept = len(word) - len(ending)
        if kept >= STEM_CHARACTERS_MIN and word.endswith(ending) and not word.endswith("ss"):
            return _even(word[:kept] + ("y" if ending == "ies" else ""))
    return _even(word)


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


def _even(word: str) -> str:
    """Makes `stopp` and `stop`, `expire` and `expir` one."""
    if len(word) > STEM_CHARACTERS_MIN and word[-1] == word[-2] and word[-1] not in "aeiouls":
        return word[:-1]
    return word[:-1] if len(word) > STEM_CHARACTERS_MIN and word[-1] == "e" else word
