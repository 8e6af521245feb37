"""Segments: the sentences, headings, items and rows of a text, with a hash of their tokens."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import regex

from scops.change_detector.chunking.atoms import hash64
from scops.change_detector.strategies.salient.tokens import Tokens, tokens_of
from scops.common.contract.messages.content import Block, BlockKind
from scops.common.text.sentences import sentence_spans

# A line break inside running text that begins no item of a list.
_SOFT_BREAK = regex.compile(r"\n(?=[ \t]*[^\s*+•|>#-])(?![ \t]*\d{1,3}[.)][ \t])")
_WHOLE = frozenset({BlockKind.HEADING, BlockKind.TABLE_ROW})


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a text that is compared as one.

    Attributes:
        block: place of its block.
        key: 64-bit hash of the tokens; equal for what differs only in how it is written.
    """

    block: int
    kind: BlockKind
    start: int
    end: int
    tokens: Tokens
    key: int


def blocks_of(text: str, blocks: Sequence[Block]) -> Sequence[Block]:
    """Returns the blocks of a text, or the whole text as one paragraph where it has none."""
    return blocks or (Block(kind=BlockKind.PARAGRAPH, start=0, end=len(text)),)


def segments_of(
    text: str, blocks: Iterable[tuple[int, Block]], *, language: str = ""
) -> list[Segment]:
    """Returns the segments of some numbered blocks, in order; those without a token are none."""
    return [s for place, block in blocks for s in _of_block(text, place, block, language)]


def _of_block(text: str, place: int, block: Block, language: str) -> Iterator[Segment]:
    for start, end in _spans(text, block, language):
        tokens = tokens_of(text, start, end, language=language)
        if tokens.keys:
            key = hash64("\x1f".join(tokens.keys))
            yield Segment(place, block.kind, start, end, tokens, key)


def _spans(text: str, block: Block, language: str) -> Iterator[tuple[int, int]]:
    if block.kind in _WHOLE:
        yield block.start, block.end
        return
    part = text[block.start : block.end]
    if "\n" in part and block.kind is not BlockKind.CODE:
        part = _SOFT_BREAK.sub(" ", part)
    for start, end in sentence_spans(part, language):
        yield block.start + start, block.start + end
