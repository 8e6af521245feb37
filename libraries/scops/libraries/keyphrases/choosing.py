"""Which phrases of a text say best what it is about, and not the same thing twice.

Source: KeyBERT (Grootendorst 2020): phrases are compared with the whole text by an embedder, and
chosen by maximal marginal relevance (Carbonell and Goldstein 1998). Differs: candidates are phrases
between stop words (`phrases`) instead of every run of up to three words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from scops.libraries.embedder.port import FloatArray
from scops.libraries.index.words.language import detected_language
from scops.libraries.keyphrases.phrases import phrases_of

LIMIT, DIVERSITY = 10, 0.2
# Phrases that are embedded, those first that come first; and of the text, as much as has them.
PHRASES_MAX, CHARACTERS_MAX = 300, 20_000


@dataclass(frozen=True, slots=True)
class Keyphrase:
    """A phrase as the text writes it.

    Attributes:
        score: cosine of its vector and that of the whole text.
    """

    text: str
    score: float


class TextEmbedder(Protocol):
    """What an embedder is needed for here."""

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        """Returns unit vectors, of shape (texts, dimensions)."""
        ...


async def keyphrases(
    text: str, embedder: TextEmbedder, *, limit: int = LIMIT, diversity: float = DIVERSITY
) -> list[Keyphrase]:
    """Returns the keyphrases of a text, best first; none of a text without phrases.

    Args:
        limit: of phrases.
        diversity: from 0, nearness to the text alone, to 1, difference from those chosen alone.
    """
    read = text[:CHARACTERS_MAX]
    phrases = phrases_of(read, language=detected_language(read))[:PHRASES_MAX]
    if not phrases:
        return []
    vectors = np.asarray(await embedder.embed([read, *phrases]))
    near = vectors[1:] @ vectors[0]
    order = _diverse(near, vectors[1:] @ vectors[1:].T, limit=limit, diversity=diversity)
    return [Keyphrase(phrases[place], float(near[place])) for place in order]


def _diverse(near: FloatArray, alike: FloatArray, *, limit: int, diversity: float) -> list[int]:
    """Returns places by maximal marginal relevance.

    Args:
        near: cosines with the text, of shape (phrases,).
        alike: cosines with each other, of shape (phrases, phrases).
    """
    chosen: list[int] = []
    nearest = np.zeros_like(near)
    open_places = np.ones(len(near), dtype=bool)
    while len(chosen) < min(limit, len(near)):
        worth = (1.0 - diversity) * near - diversity * nearest
        place = int(np.argmax(np.where(open_places, worth, -np.inf)))
        chosen.append(place)
        open_places[place] = False
        nearest = alike[:, place] if len(chosen) == 1 else np.maximum(nearest, alike[:, place])
    return chosen
