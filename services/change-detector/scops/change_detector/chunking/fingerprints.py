"""Fingerprints of texts: 64-bit SimHash over 5-gram shingles, by the package `simhash`.

Source: Charikar 2002; Manku et al. 2007; OwlerLite, section 4.
"""

from typing import Literal

from simhash import Simhash

from scops.change_detector.matching.scripts import WORDS

SHINGLE_LENGTH = 5
ShingleUnit = Literal["word", "character"]
# Part of the chunker's version: another unit would compare fingerprints that mean two things.
SHINGLE_UNIT: ShingleUnit = "word"


def shingles(text: str, unit: ShingleUnit = SHINGLE_UNIT) -> list[str]:
    """Returns the 5-grams of the lower-cased words (or of their characters, run together).

    A text with fewer than five units is one shingle; a text without a word has none.
    """
    words = WORDS.findall(text.lower())
    if not words:
        return []
    joiner, units = (" ", words) if unit == "word" else ("", list("".join(words)))
    count = max(len(units) - SHINGLE_LENGTH + 1, 1)
    return [joiner.join(units[i : i + SHINGLE_LENGTH]) for i in range(count)]


def fingerprint(text: str, unit: ShingleUnit = SHINGLE_UNIT) -> int:
    """Returns the SimHash of a text, in [0, 2**64); 0 for a text without a word."""
    features = shingles(text, unit)
    return int(Simhash(features).value) if features else 0
