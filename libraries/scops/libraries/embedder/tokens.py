"""The tokenizer of a model, shared by every backend."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from scops.libraries.embedder.models import EmbeddingModel
from scops.libraries.embedder.vocabularies import open_vocabulary
from scops.libraries.embedder.windows import Window, split_tokens

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
        before = self._before_queries if as_queries else self._before_passages
        return [
            window
            for index, ids in enumerate(self._vocabulary.ids_of_all(texts))
            for window in split_tokens(
                index, ids, max_tokens=POSITIONS, before=before, last=self._last
            )
        ]

    def _id_of(self, token: str) -> int:
        token_id = self._vocabulary.id_of(token)
        if token_id is None:
            raise ValueError(f"loading the tokenizer: it has no {token}; it is not this model's")
        return token_id


@cache
def _opened(path: Path, model: EmbeddingModel) -> ModelTokens:
    return ModelTokens(path, model)
