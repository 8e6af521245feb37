"""The tokenizer of a model, shared by every backend."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from scops.libraries.embedder.models import EmbeddingModel
from scops.libraries.embedder.port import FloatArray
from scops.libraries.embedder.vocabularies import open_vocabulary
from scops.libraries.embedder.windows import PlacedTokens, Window, split_tokens

POSITIONS = 512
"""The longest window that the models take, special tokens and prefix included."""


class ModelTokens:
    """Counts tokens and cuts texts into windows; safe to use from several threads."""

    def __init__(self, path: Path, model: EmbeddingModel) -> None:
        self._path = path
        self._model = model
        self._vocabulary = open_vocabulary(path)
        first, self._last = self._id_of(model.first), self._id_of(model.last)
        self._before_passages = [first, *self._vocabulary.ids(model.passage)]
        self._before_queries = [first, *self._vocabulary.ids(model.query)]

    def __reduce__(self) -> "tuple[Callable[..., ModelTokens], tuple[Path, EmbeddingModel]]":
        """Another process of the machine reads the same file, once."""
        return _opened, (self._path, self._model)

    @property
    def max_tokens(self) -> int:
        """The longest window that a caller may count on: what a prefix takes is left out."""
        longest = max(len(self._before_passages), len(self._before_queries))
        return POSITIONS - (longest - 1)

    def count(self, text: str) -> int:
        """Returns the number of tokens of `text`, special tokens excluded."""
        return len(self._vocabulary.ids(text))

    def windows(self, texts: Sequence[str], *, as_queries: bool = False) -> list[Window]:
        """Cuts every text into windows; those of one text stand together, in order."""
        return self._windows(self._vocabulary.ids_of_all(texts), as_queries=as_queries)

    def placed_windows(
        self, texts: Sequence[str], *, as_queries: bool = False
    ) -> tuple[list[Window], list[PlacedTokens]]:
        """Returns the windows, and the tokens of each text with their places."""
        found = [self._vocabulary.placed(text) for text in texts]
        placed = [
            PlacedTokens(
                np.array(ids, dtype=np.int32), np.array(spans, dtype=np.int32).reshape(-1, 2)
            )
            for ids, spans in found
        ]
        return self._windows([ids for ids, _ in found], as_queries=as_queries), placed

    def own_tokens(self, states: FloatArray, *, as_queries: bool = False) -> FloatArray:
        """Returns the rows of a window that are tokens of its text, of all its rows."""
        return states[len(self._before(as_queries=as_queries)) : -1]

    def _windows(self, ids: Sequence[Sequence[int]], *, as_queries: bool) -> list[Window]:
        before = self._before(as_queries=as_queries)
        return [
            window
            for index, tokens in enumerate(ids)
            for window in split_tokens(
                index, tokens, max_tokens=POSITIONS, before=before, last=self._last
            )
        ]

    def _before(self, *, as_queries: bool) -> list[int]:
        return self._before_queries if as_queries else self._before_passages

    def _id_of(self, token: str) -> int:
        token_id = self._vocabulary.id_of(token)
        if token_id is None:
            raise ValueError(f"loading the tokenizer: it has no {token}; it is not this model's")
        return token_id


@cache
def _opened(path: Path, model: EmbeddingModel) -> ModelTokens:
    return ModelTokens(path, model)
