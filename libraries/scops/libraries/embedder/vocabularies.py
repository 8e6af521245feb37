"""What cuts texts into the tokens of a model: a library for each kind of vocabulary.

A quarter of a million pieces take 45 MB in sentencepiece and 275 MB in tokenizers, and every child
process that cuts pages holds them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from scops.libraries.embedder.mapped_text import Span, mapped, places

PIECES_ENDING = ".model"


class Vocabulary(Protocol):
    """Cuts texts into tokens; safe to use from several threads."""

    def ids(self, text: str) -> list[int]:
        """Returns the tokens of a text without special tokens."""

    def ids_of_all(self, texts: Sequence[str]) -> list[list[int]]:
        """Returns the tokens of each text, as `ids` does."""

    def placed(self, text: str) -> tuple[list[int], list[Span]]:
        """Returns the tokens of a text, and where each stands in it, without spaces around it."""

    def id_of(self, token: str) -> int | None:
        """Returns the number of a special token; None where the vocabulary has none such."""


def open_vocabulary(path: Path) -> Vocabulary:
    """Returns the vocabulary in a file, by the library that its ending stands for."""
    return SentencePieces(path) if path.suffix == PIECES_ENDING else WordPieces(path)


class WordPieces:
    """A vocabulary in a file of tokenizers."""

    def __init__(self, path: Path) -> None:
        # Imported here, as below: a process holds the library of its own model alone.
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        # A model's own file may cut and pad, at 128 tokens, say; we do both ourselves.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def ids_of_all(self, texts: Sequence[str]) -> list[list[int]]:
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def placed(self, text: str) -> tuple[list[int], list[Span]]:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return encoding.ids, encoding.offsets

    def id_of(self, token: str) -> int | None:
        found = self._tokenizer.token_to_id(token)
        return None if found is None else int(found)


class SentencePieces:
    """A vocabulary in a file of sentencepiece that maps no characters (`unigram_file`).

    They are mapped before: the library's own maps differ from version to version.
    """

    def __init__(self, path: Path) -> None:
        from sentencepiece import SentencePieceProcessor

        # From memory: by its name the library keeps 10 MB more.
        self._processor = SentencePieceProcessor(model_proto=path.read_bytes())

    def ids(self, text: str) -> list[int]:
        return list(self._processor.EncodeAsIds(mapped(text)))

    def ids_of_all(self, texts: Sequence[str]) -> list[list[int]]:
        return list(self._processor.EncodeAsIds([mapped(text) for text in texts], num_threads=1))

    def placed(self, text: str) -> tuple[list[int], list[Span]]:
        whole, stand = mapped(text), places(text)
        found = self._processor.EncodeAsOffsetMapping(whole)
        stand.append((len(text), len(text)))
        spans = [
            (stand[start][0], stand[end - 1][1] if start < end else stand[start][0])
            for start, end in (_trimmed(whole, span) for span in found["offsets"])
        ]
        return list(found["ids"]), spans

    def id_of(self, token: str) -> int | None:
        found = int(self._processor.PieceToId(token))
        return found if self._processor.IdToPiece(found) == token else None


def _trimmed(text: str, span: Span) -> Span:
    """Returns a span without the spaces that it begins with."""
    start, end = span
    while start < end and text[start] == " ":
        start += 1
    return start, end
