"""Atoms: the smallest pieces of a text that chunks are packed from.

An atom is a block; a block that no chunk can hold is split at sentences, a sentence that no
chunk can hold at words, and what has no words at characters.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scops.change_detector.chunking.token_counts import CountTokens
from scops.common.contract.messages.content import Block, BlockKind
from scops.common.text.sentences import Span, sentence_spans

_WORD = re.compile(r"\S+")
HEADING_LEVEL_MAX = 6
INSIDE, BEGINNING = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """A piece of the text.

    Attributes:
        tokens: of the embedder's tokenizer.
        priority: how good a place the beginning of the atom is for a cut: headings before
            beginnings of blocks before the rest, then by a hash of its text.
    """

    start: int
    end: int
    tokens: int
    section_path: tuple[str, ...]
    is_heading: bool
    priority: tuple[int, int]


def atoms_of(
    text: str,
    blocks: Sequence[Block],
    count_tokens: CountTokens,
    *,
    tokens_max: int,
    language: str = "",
) -> list[Atom]:
    """Returns the atoms in reading order; together they hold every block's characters.

    Args:
        blocks: in reading order, not overlapping; none makes the whole text one paragraph.
        tokens_max: no atom has more tokens, except a single character that has.
        language: of the text; nothing where it is not known.
    """
    found: list[Atom] = []
    for block in blocks or (Block(kind=BlockKind.PARAGRAPH, start=0, end=len(text)),):
        pieces = _pieces(text, (block.start, block.end), count_tokens, tokens_max, language)
        for place, (start, end) in enumerate(pieces):
            rank = INSIDE if place else _rank(block)
            found.append(_atom(text, block, start, end, count_tokens, rank=rank))
    return found


def _rank(block: Block) -> int:
    """Headings of a higher level are better places; one of unknown level counts as the lowest."""
    if block.kind is not BlockKind.HEADING:
        return BEGINNING
    return (
        BEGINNING + 1 + HEADING_LEVEL_MAX - min(block.level or HEADING_LEVEL_MAX, HEADING_LEVEL_MAX)
    )


def _atom(
    text: str, block: Block, start: int, end: int, count_tokens: CountTokens, *, rank: int
) -> Atom:
    piece = text[start:end]
    return Atom(
        start=start,
        end=end,
        tokens=count_tokens(piece),
        section_path=block.section_path,
        is_heading=block.kind is BlockKind.HEADING,
        priority=(rank, hash64(piece)),
    )


def hash64(text: str) -> int:
    """Returns the first 64 bits of BLAKE2b over a text; stable across machines and versions."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def _pieces(
    text: str, span: Span, count_tokens: CountTokens, tokens_max: int, language: str
) -> Iterable[Span]:
    trimmed = _trimmed(text, span)
    if trimmed is None:
        return ()
    if count_tokens(text[slice(*trimmed)]) <= tokens_max:
        return (trimmed,)
    return _sentences_and_less(text, trimmed, count_tokens, tokens_max, language)


def _trimmed(text: str, span: Span) -> Span | None:
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None


def _sentences_and_less(
    text: str, span: Span, count_tokens: CountTokens, tokens_max: int, language: str
) -> Iterator[Span]:
    offset = span[0]
    for start, end in sentence_spans(text[slice(*span)], language):
        sentence = (start + offset, end + offset)
        if count_tokens(text[slice(*sentence)]) <= tokens_max:
            yield sentence
        else:
            yield from _words_and_less(text, sentence, count_tokens, tokens_max)


def _words_and_less(
    text: str, span: Span, count_tokens: CountTokens, tokens_max: int
) -> Iterator[Span]:
    words = [match.span() for match in _WORD.finditer(text, *span)]
    starts, ends = [start for start, _ in words], [end for _, end in words]
    for start, end, units in _runs(text, starts, ends, count_tokens, tokens_max):
        if units > 1 or count_tokens(text[start:end]) <= tokens_max:
            yield start, end
            continue
        # As ranges: a word of a million characters is no list of a million spans.
        characters = range(start, end), range(start + 1, end + 1)
        for head, tail, _ in _runs(text, *characters, count_tokens, tokens_max):
            yield head, tail


def _runs(
    text: str,
    starts: Sequence[int],
    ends: Sequence[int],
    count_tokens: CountTokens,
    tokens_max: int,
) -> Iterator[tuple[int, int, int]]:
    """Packs units greedily into runs of at most `tokens_max` tokens, or of one unit.

    Yields start, end and number of units of each.

    A unit has at least one token, so a run starts as `tokens_max` units and shrinks in
    proportion: each text is tokenised about three times, however long it is.
    """
    first = 0
    while first < len(starts):
        taken = min(tokens_max, len(starts) - first)
        while taken > 1:
            tokens = count_tokens(text[starts[first] : ends[first + taken - 1]])
            if tokens <= tokens_max:
                break
            taken = max(1, min(taken - 1, taken * tokens_max // tokens))
        yield starts[first], ends[first + taken - 1], taken
        first += taken
