"""The WordPiece tokenizer of the model, shared by every backend."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from tokenizers import Tokenizer

from scops.libraries.embedder.windows import Window, split_tokens


class WordPiece:
    """Counts tokens and cuts texts into windows; safe to use from several threads."""

    def __init__(self, path: Path, *, max_tokens: int) -> None:
        self._path = path
        self._tokenizer = Tokenizer.from_file(str(path))
        # The model's own file cuts at 128 tokens and pads to 128; we do both ourselves.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._first = self._id_of("[CLS]")
        self._last = self._id_of("[SEP]")
        self._max_tokens = max_tokens

    def __reduce__(self) -> "tuple[Callable[[Path, int], WordPiece], tuple[Path, int]]":
        """Another process of the machine reads the same file, once."""
        return _opened, (self._path, self._max_tokens)

    def count(self, text: str) -> int:
        """Returns the number of tokens of `text`, special tokens excluded."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def windows(self, texts: Sequence[str]) -> list[Window]:
        """Cuts every text into windows; those of one text stand together, in order."""
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [
            window
            for index, encoding in enumerate(encodings)
            for window in split_tokens(
                index,
                encoding.ids,
                max_tokens=self._max_tokens,
                first=self._first,
                last=self._last,
            )
        ]

    def _id_of(self, token: str) -> int:
        token_id = self._tokenizer.token_to_id(token)
        if token_id is None:
            raise ValueError(f"loading the tokenizer: it has no {token}; it is not this model's")
        return token_id


@cache
def _opened(path: Path, max_tokens: int) -> WordPiece:
    return WordPiece(path, max_tokens=max_tokens)
