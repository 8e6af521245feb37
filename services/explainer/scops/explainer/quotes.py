"""Sentences of passages as spans of their version's text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scops.common.messages.content import Block, BlockKind
from scops.common.messages.retrieval import Evidence
from scops.common.sentences import sentence_spans
from scops.explainer.ports import VersionText

CHARACTERS_MIN = 15
CHARACTERS_MAX = 600
# Kinds that are quoted whole: their parts mean little alone.
WHOLE = (BlockKind.TABLE_ROW, BlockKind.CODE)
DANGLING = re.compile(
    r"(?:it|its|this|that|these|those|they|them|their|he|she|his|her|however|therefore|thus|"
    r"otherwise|instead|but|and|so|also|then|hence|moreover|furthermore|both|neither|such)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A span of a version: `text[start:end]` is the quote.

    Attributes:
        passage: place of the passage in the evidence, from 0.
        block_start: where the block begins that holds the quote.
    """

    passage: int
    start: int
    end: int
    block_start: int
    text: str

    @property
    def dangling(self) -> bool:
        """Whether the opening points back to a sentence before."""
        return DANGLING.match(self.text) is not None


def quotes_of(passage: int, evidence: Evidence, version: VersionText) -> Iterator[Quote]:
    """Yields the sentences of a passage that could be quoted, in reading order.

    Headings are left out; so is a passage whose text is not what its offsets say.
    """
    if version.text[evidence.start : evidence.end] != evidence.text:
        return
    for block in version.blocks:
        if block.end <= evidence.start or block.start >= evidence.end:
            continue
        if block.kind is not BlockKind.HEADING:
            yield from _of_block(passage, block, evidence, version.text)


def joined(quotes: list[Quote], texts: dict[int, str]) -> list[Quote]:
    """Returns quotes with those joined that stand next to each other in one block.

    Args:
        quotes: in reading order.
        texts: the clean text of each passage's version.
    """
    result: list[Quote] = []
    for quote in quotes:
        last = result[-1] if result else None
        if last and _adjacent(last, quote, texts[quote.passage]):
            text = texts[quote.passage][last.start : quote.end]
            result[-1] = Quote(
                passage=last.passage,
                start=last.start,
                end=quote.end,
                block_start=last.block_start,
                text=text,
            )
        else:
            result.append(quote)
    return result


def _of_block(passage: int, block: Block, evidence: Evidence, text: str) -> Iterator[Quote]:
    start, end = max(block.start, evidence.start), min(block.end, evidence.end)
    whole = block.kind in WHOLE
    spans = [(0, end - start)] if whole else sentence_spans(text[start:end])
    for low, high in spans:
        quoted = text[start + low : start + high]
        if CHARACTERS_MIN <= len(quoted) <= CHARACTERS_MAX:
            yield Quote(
                passage=passage,
                start=start + low,
                end=start + high,
                block_start=block.start,
                text=quoted,
            )


def _adjacent(last: Quote, quote: Quote, text: str) -> bool:
    return (
        last.passage == quote.passage
        and last.block_start == quote.block_start
        and last.end <= quote.start
        and not text[last.end : quote.start].strip()
    )
