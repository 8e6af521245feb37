"""Words of a text, and the stems that carry its meaning."""

import re

from scops.common.runtime.short_texts import kept_for_short

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
# Sentences share most of their words.
STEMS_KEPT = 20_000
# What is kept is bounded in bytes too: pages hold words without end.
STEM_KEPT_CHARACTERS_MAX = 64


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
    return _stem(word)


@kept_for_short(STEMS_KEPT, characters_max=STEM_KEPT_CHARACTERS_MAX)
def _stem(word: str) -> str:
    for ending in ENDINGS:
        kept = len(word) - len(ending)
        if kept >= STEM_CHARACTERS_MIN and word.endswith(ending) and not word.endswith("ss"):
            return _even(word[:kept] + ("y" if ending == "ies" else ""))
    return _even(word)


def _even(word: str) -> str:
    """Makes `stopp` and `stop`, `expire` and `expir` one."""
    if len(word) > STEM_CHARACTERS_MIN and word[-1] == word[-2] and word[-1] not in "aeiouls":
        return word[:-1]
    return word[:-1] if len(word) > STEM_CHARACTERS_MIN and word[-1] == "e" else word
