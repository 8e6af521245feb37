"""Windows of a text that is longer than the model's positions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scops.libraries.embedder.port import FloatArray, TokenVectors

TokenArray = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Window:
    """A run of tokens that fits the model, with the place of the text it came from."""

    text_index: int
    tokens: TokenArray

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True, slots=True)
class PlacedTokens:
    """The tokens of a text without special ones, and where they stand in it.

    Attributes:
        spans: shape (n, 2), in code points.
    """

    ids: TokenArray
    spans: TokenArray


def split_tokens(
    text_index: int, tokens: Sequence[int], *, max_tokens: int, before: Sequence[int], last: int
) -> list[Window]:
    """Cuts the tokens of one text into as few windows as possible, as equal as possible.

    Args:
        text_index: place of the text in its request.
        tokens: the text's tokens without special tokens; may be empty.
        max_tokens: longest window, `before` and `last` included, and a token at least.
        before: tokens put before every window ([CLS], and a prefix where the model has one).
        last: token put after every window ([SEP]).

    Returns:
        At least one window; without their special tokens they concatenate to `tokens`.
        Windows differ by at most one token, so that weighting them equally is fair.
    """
    room = max_tokens - len(before) - 1
    count = max(1, -(-len(tokens) // room))
    parts = np.array_split(np.asarray(tokens, dtype=np.int32), count)
    return [
        Window(text_index, np.concatenate((before, part, [last])).astype(np.int32))
        for part in parts
    ]


def pool_windows(windows: Sequence[Window], vectors: FloatArray, *, texts: int) -> FloatArray:
    """Averages the vectors of each text's windows and scales the result to unit length.

    Args:
        windows: every text has at least one.
        vectors: shape (len(windows), d), row by row the vectors of `windows`, of unit length.
        texts: number of texts.

    Returns:
        Shape (texts, d). The vector of a text with one window is passed through unchanged.
    """
    owners = np.fromiter((window.text_index for window in windows), dtype=np.intp)
    if len(windows) == texts:
        pooled = np.empty_like(vectors)
        pooled[owners] = vectors
        return pooled
    pooled = np.zeros((texts, vectors.shape[1]), dtype=np.float32)
    np.add.at(pooled, owners, vectors)
    several = np.bincount(owners, minlength=texts) > 1
    norms = np.linalg.norm(pooled[several], axis=1, keepdims=True)
    pooled[several] /= np.maximum(norms, np.finfo(np.float32).tiny)
    return pooled


def pool_tokens(
    windows: Sequence[Window],
    vectors: FloatArray,
    states: Sequence[FloatArray],
    placed: Sequence[PlacedTokens],
) -> list[TokenVectors]:
    """Puts the tokens of each text's windows together, scaled to unit length.

    Args:
        windows, vectors: as of `pool_windows`.
        states: window by window, shape (n, d), those of the text alone.
        placed: text by text, its tokens.
    """
    pooled = pool_windows(windows, vectors, texts=len(placed))
    parts: list[list[FloatArray]] = [[] for _ in placed]
    for window, rows in zip(windows, states, strict=True):
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        parts[window.text_index].append(rows / np.maximum(norms, np.finfo(np.float32).tiny))
    return [
        TokenVectors(vector, tokens.ids, np.concatenate(rows), tokens.spans)
        for vector, rows, tokens in zip(pooled, parts, placed, strict=True)
    ]
