"""Says which passages say the same as another: mirrors, copies, and copies with other commas.

Two texts are the same when their words are, or when both are long, their SimHashes nearly agree
and their numbers and negations are the same ones in the same order: "the fee is 10" is no copy
of "the fee is 12". Signs that mean something (`<`, `%`, `-5`) are words.

Source: Manku et al. 2007 (3 of 64 bits for near-duplicates of web pages, found by four bands).
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from scops.common.contract.ids import WordingId
from scops.libraries.index.words.analysis import folded

BITS_MAX = 3
BANDS = 4
BAND_BITS = 64 // BANDS
# The SimHash of a few shingles is a coin: one other word turns many bits, or none.
WORDS_MIN = 40
WORD = re.compile(r"\w+|(?<!\w)[-−](?=\d)|[^\w\s.,;:!?…·•'\"‘’‚“”„«»()\[\]{}\-‐‑‒–—−*_#|]")
NEGATIONS = frozenset({"no", "not", "never", "none", "nor", "neither", "without", "cannot"})
WORDING_BYTES = 16


@dataclass(frozen=True, slots=True)
class Wording:
    """What of a text is compared with others.

    Attributes:
        wording_id: of its words in order; equal for exact copies.
        simhash: 64 bits; 0 where its manifest tells none.
        bands: signed 64-bit keys, of which near copies share at least one; none where only an
            exact copy counts.
    """

    wording_id: WordingId
    simhash: int
    bands: tuple[int, ...]


def wording(text: str, simhash: int) -> Wording:
    """Returns the wording of a text; its SimHash is over its words, as its manifest tells it."""
    said = words(text)
    # Without any word there are signs alone, and every sign counts.
    wording_id = WordingId(_digest(" ".join(said) if said else text, WORDING_BYTES).hex())
    if not simhash or len(said) < WORDS_MIN:
        return Wording(wording_id, simhash, ())
    apart = " ".join(decisive(said))
    bands = tuple(
        int.from_bytes(_digest(f"{place} {bits} {apart}", 8), "big", signed=True)
        for place, bits in enumerate(_slices(simhash))
    )
    return Wording(wording_id, simhash, bands)


def wordings_of(texts: list[tuple[str, int]]) -> list[Wording]:
    """Returns the wordings of texts with their SimHashes, in their order."""
    return [wording(text, simhash) for text, simhash in texts]


def words(text: str) -> list[str]:
    """Returns the words of a text, however they are written and separated."""
    return WORD.findall(folded(text).casefold())


def decisive(said: Sequence[str]) -> list[str]:
    """Returns the words that must not differ between copies, in order."""
    return [
        word
        for word in said
        if word in NEGATIONS or any(map(str.isdigit, word)) or not word[0].isalpha()
    ]


def distance(one: int, other: int) -> int:
    """Returns in how many bits two SimHashes differ, signed or not."""
    return ((one ^ other) & (2**64 - 1)).bit_count()


def _slices(simhash: int) -> list[int]:
    mask = (1 << BAND_BITS) - 1
    return [simhash >> BAND_BITS * place & mask for place in range(BANDS)]


def _digest(text: str, size: int) -> bytes:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=size).digest()
