"""Says which passages say the same as another: mirrors, copies, and copies with other commas.

Two texts are the same when their words are, or when their SimHashes nearly agree and their numbers
and negations are the same ones in the same order: "the fee is 10" is no copy of "the fee is 12".
Source: Manku et al. 2007 (3 of 64 bits for near-duplicates of web pages).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scops.common.index.query_terms import folded

BITS_MAX = 3
# The SimHash of a few shingles is a coin: one other word turns many bits, or none.
WORDS_MIN = 40
WORD = re.compile(r"\w+")
NEGATIONS = frozenset({"no", "not", "never", "none", "nor", "neither", "without", "cannot"})


@dataclass(frozen=True, slots=True)
class Wording:
    """A text with the 64-bit SimHash that its manifest tells; 0 where it tells none."""

    text: str
    simhash: int


def same(one: Wording, other: Wording) -> bool:
    """Says whether two texts say the same."""
    if one.text == other.text:
        return True
    if not (one.simhash and other.simhash):
        return False
    if (one.simhash ^ other.simhash).bit_count() > BITS_MAX:
        return False
    words, others = _words(one.text), _words(other.text)
    if words == others:
        return True
    is_long = min(len(words), len(others)) >= WORDS_MIN
    return is_long and _decisive(words) == _decisive(others)


def place_of_same(known: Sequence[Wording], one: Wording) -> int | None:
    """Returns the first place in `known` that says the same; None without one."""
    return next((place for place, other in enumerate(known) if same(one, other)), None)


def _words(text: str) -> list[str]:
    return WORD.findall(folded(text).casefold())


def _decisive(words: Sequence[str]) -> list[str]:
    """Returns the words that must not differ between copies, in order."""
    return [word for word in words if word in NEGATIONS or any(map(str.isdigit, word))]
