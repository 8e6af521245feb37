"""What can be quoted of a passage: spans of its version's text that a reader understands alone.

A sentence that points back ("It also ...") is quoted with the one before it, the first sentence
after a question with the question, and one that announces a list ("... are:") with the list.
What it is quoted with may stand in the chunk before or after.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scops.common.contract.ids import VersionId
from scops.common.contract.messages.content import Block, BlockKind
from scops.common.contract.messages.retrieval import Evidence
from scops.common.text.sentences import Span, sentence_spans
from scops.explainer.ports import VersionText

CHARACTERS_MIN = 15
CHARACTERS_MAX = 600
LABEL_WORDS_MAX = 6
# Of a list that is quoted with its announcement.
ITEMS_MAX = 40
# What a quote stands under is compared with the question; a heading may be a whole page.
LABEL_CHARACTERS_MAX = 200
# Between a sentence and the next one: a space, or the lines between two blocks.
GAP_MAX = 2
# Kinds that are quoted whole: their parts mean little alone.
WHOLE = (BlockKind.TABLE_ROW, BlockKind.CODE)
LISTED = (BlockKind.LIST_ITEM, *WHOLE)
POINTS_BACK = re.compile(
    r"[\"'“‘(]?(?:it|its|this|that|these|those|they|them|their|he|she|his|her|however|therefore|"
    r"thus|otherwise|instead|but|and|so|also|then|hence|moreover|furthermore|both|neither|such|"
    r"yes|no|hardly|likewise|similarly|in this case|in that case)\b(?!-)",
    re.IGNORECASE,
)
ANNOUNCES = (":", "：")
ENDS_SENTENCE = re.compile(r"[.!?:;…。！？][\"'”’»)\]]*$")
CAPTION = re.compile(r"(?:table|figure|example|listing)\s+[\dA-Z]", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A span of a version: `version.text[start:end]` is the text.

    Attributes:
        passage: place of the passage in the evidence, from 0.
        title: of its page.
        is_row: whether it is a row of a table, which says little to who does not see the table.
        label: the heading or term that it stands under; empty without one.
        context: what a reader of the page knows here: title, headings, label, sentence before; each
            bounded.
    """

    passage: int
    version_id: VersionId
    start: int
    end: int
    text: str
    title: str
    section_path: tuple[str, ...]
    label: str = ""
    context: tuple[str, ...] = ()
    is_row: bool = False

    @property
    def embedded_text(self) -> str:
        """The quote under title and label: "He left in 1990." is about whom the page is about."""
        labelled = f"{self.label}: {self.text}" if self.label else self.text
        return f"{self.title} > {labelled}" if self.title else labelled

    def holds(self, other: "Quote") -> bool:
        """Returns whether another quote is part of this one."""
        same = self.version_id == other.version_id
        return same and self.start <= other.start and other.end <= self.end

    def follows(self, other: "Quote") -> bool:
        """Returns whether this goes on where another quote ends, or holds it and goes on."""
        same = self.version_id == other.version_id
        next_one = other.end <= self.start <= other.end + GAP_MAX
        return same and (next_one or (self.holds(other) and self.end > other.end))


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence, or a block that is quoted whole."""

    start: int
    end: int
    block: Block
    text: str

    @property
    def asks(self) -> bool:
        return self.text.endswith("?")

    @property
    def announces(self) -> bool:
        """Whether it says nothing without what follows."""
        return self.text.endswith(ANNOUNCES) and self.block.kind not in WHOLE

    @property
    def is_label(self) -> bool:
        """Whether it names what follows rather than say something, like a heading."""
        if self.block.kind is BlockKind.HEADING:
            return True
        if self.block.kind in WHOLE or ENDS_SENTENCE.search(self.text):
            return False
        if CAPTION.match(self.text):
            return True
        if len(self.text.split()) > LABEL_WORDS_MAX:
            return False
        # A list may hold bare values ("868 MHz"); prose without a full stop is a by-line.
        listed = self.block.kind is BlockKind.LIST_ITEM
        return not (listed and any(letter.isdigit() for letter in self.text))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What may be quoted of a version for one passage: its text and some around it.

    Attributes:
        start: where the text begins in the version's.
        blocks: those that reach into it, with offsets of the version.
        language: of the page; nothing where it is not known.
    """

    start: int
    text: str
    blocks: tuple[Block, ...]
    language: str = ""


def quotes_of(passage: int, evidence: Evidence, version: VersionText) -> list[Quote]:
    """Returns what could be quoted of a passage, in reading order.

    A passage whose text is not what its offsets say yields nothing.
    """
    return quotes_in(passage, evidence, excerpt_of(evidence, version))


def excerpt_of(evidence: Evidence, version: VersionText) -> Excerpt:
    """Returns a passage's part of its version, with what a sentence of it may need."""
    first = max(evidence.start - CHARACTERS_MAX, 0)
    last = evidence.end + CHARACTERS_MAX
    blocks = version.blocks
    low = bisect_right(blocks, first, key=lambda block: block.end)
    high = bisect_left(blocks, last, key=lambda block: block.start)
    return Excerpt(first, version.text[first:last], blocks[low:high], version.language)


def quotes_in(passage: int, evidence: Evidence, excerpt: Excerpt) -> list[Quote]:
    """Returns what could be quoted of a passage; linear in the excerpt."""
    place = evidence.start - excerpt.start
    if excerpt.text[place : place + len(evidence.text)] != evidence.text:
        return []
    return list(_quotes(passage, evidence, excerpt))


def _quotes(passage: int, evidence: Evidence, excerpt: Excerpt) -> Iterator[Quote]:
    sentences = list(_sentences(excerpt))
    label, start = "", 0
    for place, sentence in enumerate(sentences):
        # A quote begins where a reader understands it without what stands before.
        if not place or not _leans(sentence, sentences[place - 1]):
            start = sentence.start
        if sentence.is_label:
            label = sentence.text[:LABEL_CHARACTERS_MAX]
        if sentence.is_label or sentence.asks or not _stands_in(sentence, evidence):
            continue
        end = _end(sentences, place)
        if end == sentence.end and sentence.announces:
            # What it announces does not fit beside it.
            continue
        if CHARACTERS_MIN <= end - start <= CHARACTERS_MAX:
            before = sentences[place - 1].text[-CHARACTERS_MAX:] if place else ""
            yield Quote(
                passage=passage,
                version_id=evidence.version_id,
                start=start,
                end=end,
                text=excerpt.text[start - excerpt.start : end - excerpt.start],
                title=evidence.title,
                is_row=sentence.block.kind is BlockKind.TABLE_ROW,
                section_path=sentence.block.section_path,
                label=_label(label, sentence.block.section_path),
                context=(evidence.title, *sentence.block.section_path, label, before),
            )


def join_quotes(quotes: Sequence[Quote], versions: Sequence[VersionText]) -> list[Quote]:
    """Returns quotes in reading order, those joined that overlap or stand next to each other.

    Neighbours in the text are joined across chunks too.

    Args:
        quotes: best first; the version of the best is read first.
        versions: by the quotes' `passage`.
    """
    result: list[Quote] = []
    read = list(dict.fromkeys(quote.version_id for quote in quotes))
    order = {version_id: place for place, version_id in enumerate(read)}
    for quote in sorted(
        quotes, key=lambda entry: (order[entry.version_id], entry.start, -entry.end)
    ):
        last = result[-1] if result else None
        text = versions[quote.passage].text
        if last is not None and _touches(last, quote, text):
            end = max(last.end, quote.end)
            result[-1] = replace(last, end=end, text=text[last.start : end])
        else:
            result.append(quote)
    return result


def _label(label: str, section_path: Sequence[str]) -> str:
    """Returns what a quote stands under; the page's own heading says nothing of a quote."""
    label = label or "".join(section_path[-1:])
    return "" if label in section_path[:1] else label


def _stands_in(sentence: _Sentence, evidence: Evidence) -> bool:
    return evidence.start <= sentence.start < evidence.end


def _sentences(excerpt: Excerpt) -> Iterator[_Sentence]:
    """Yields the sentences of a passage, and those near it that one of them may need."""
    first, last = excerpt.start, excerpt.start + len(excerpt.text)
    for block in excerpt.blocks:
        start, end = max(block.start, first), min(block.end, last)
        if start >= end:
            continue
        text = excerpt.text[start - first : end - first]
        spans = _spans(block, text, excerpt.language)
        # What begins or ends in the middle of a sentence is no sentence.
        for low, high in spans[start > block.start : len(spans) - (end < block.end)]:
            yield _Sentence(start + low, start + high, block, text[low:high])


def _spans(block: Block, text: str, language: str) -> list[Span]:
    whole = block.kind is BlockKind.HEADING or (block.kind in WHOLE and len(text) <= CHARACTERS_MAX)
    return [(0, len(text))] if whole else sentence_spans(text, language)


def _leans(sentence: _Sentence, before: _Sentence) -> bool:
    if before.asks:
        return True
    if before.is_label or WHOLE_KINDS.intersection((sentence.block.kind, before.block.kind)):
        return False
    return POINTS_BACK.match(sentence.text) is not None


def _end(sentences: Sequence[_Sentence], place: int) -> int:
    """Returns where a quote ends: after the list that its sentence announces, if that fits."""
    sentence = sentences[place]
    end = sentence.end
    if not sentence.announces:
        return end
    for following in sentences[place + 1 : place + 1 + ITEMS_MAX]:
        if following.block.kind not in LISTED or following.block is sentence.block:
            break
        if following.end - sentence.start > CHARACTERS_MAX:
            break
        end = following.end
    return end


def _touches(last: Quote, quote: Quote, text: str) -> bool:
    if last.version_id != quote.version_id:
        return False
    between = text[last.end : quote.start]
    return quote.start <= last.end or (not between.strip() and "\n" not in between)


WHOLE_KINDS = frozenset(WHOLE)
