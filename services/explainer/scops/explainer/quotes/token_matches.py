"""How well the tokens of a sentence match those of a question: late interaction.

Each token of the question looks for the one of the sentence that is closest in meaning. Cosines
are taken from what all sentences of a question have in common, so that they are on one scale
whatever the model; nothing here knows a word or a language.

Source: Khattab and Zaharia 2020 (ColBERT). Differs: the vectors are those of the embedder, not
trained for this, and rare tokens weigh more.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scops.libraries.embedder.port import TokenVectors

Floats = NDArray[np.float64]
# A token that every sentence holds still says a little.
RARITY_MIN = 0.05


def token_matches(
    question: TokenVectors, texts: Sequence[TokenVectors], own_starts: Sequence[int]
) -> Floats:
    """Returns how well each text matches, shape (n, 2).

    First the mean over the question's tokens of the best cosine in the quote; then of the best in
    the whole text, each token weighing by how few texts hold it. 0 where there are no tokens.

    Args:
        own_starts: where in each text the quote begins; before it stands what it is about.
    """
    matches = np.zeros((len(texts), 2))
    common = _mean_token(texts)
    if common is None or not len(question.tokens):
        return matches
    asked = apart(question.tokens, common)
    rarity = _rarity(question, texts)
    for place, (text, start) in enumerate(zip(texts, own_starts, strict=True)):
        cosines = asked @ apart(text.tokens, common).T
        own = cosines[:, text.spans[:, 1] > start]
        if own.size:
            matches[place] = own.max(axis=1).mean(), cosines.max(axis=1) @ rarity
    return matches


def _mean_token(texts: Sequence[TokenVectors]) -> NDArray[np.float32] | None:
    rows = [text.tokens for text in texts if len(text.tokens)]
    return np.concatenate(rows).mean(axis=0) if rows else None


def apart(tokens: NDArray[np.float32], common: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns what tokens say besides what is common, as rows of unit length."""
    rest = tokens - common
    norms = np.linalg.norm(rest, axis=1, keepdims=True)
    apart: NDArray[np.float32] = rest / np.maximum(norms, np.finfo(np.float32).tiny)
    return apart


def _rarity(question: TokenVectors, texts: Sequence[TokenVectors]) -> Floats:
    """Returns how much each token of the question weighs; the weights sum to 1."""
    held = np.array([np.isin(question.ids, text.ids) for text in texts]).sum(axis=0)
    weights = np.maximum(np.log((len(texts) + 1) / (held + 0.5)), RARITY_MIN)
    scaled: Floats = weights / weights.sum()
    return scaled
