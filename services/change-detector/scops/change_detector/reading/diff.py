"""Word-level differences of two texts, one hunk a changed block.

Pure. Outside of the hunks the two texts are equal, so applying the hunks to the old text gives
the new one; the difference of a text with itself has no hunk.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import regex

from scops.change_detector.chunking.chunker import Body
from scops.change_detector.matching.scripts import LETTERS, WIDE_LETTER
from scops.change_detector.matching.sequences import longest_increasing, match
from scops.change_detector.matching.similar import pair_similar, tokens_of
from scops.change_detector.strategies.port import ChangeStrategy, TypedEdit, overlapping
from scops.common.contract.messages.change import DiffHunk, DiffKind, DiffPart
from scops.common.contract.messages.content import Block, BlockKind
from scops.common.text.sentences import Span

# Of an answer, however few characters each has.
PARTS_MAX = 5_000
# Every character lies in one of them: white space, a word, or a sign.
_WORDS = regex.compile(rf"\s+|{WIDE_LETTER}|{LETTERS}|.", regex.DOTALL)


@dataclass(frozen=True, slots=True)
class _Region:
    """A range of the old text that stands against a range of the new one."""

    old: Span
    new: Span
    section_path: tuple[str, ...]


def diff(old: Body, new: Body) -> list[DiffHunk]:
    """Returns the hunks in reading order, not overlapping in either text."""
    return [
        _hunk(old.text, new.text, region)
        for region in _regions(old, new)
        if old.text[slice(*region.old)] != new.text[slice(*region.new)]
    ]


def apply(old_text: str, hunks: Iterable[DiffHunk]) -> str:
    """Returns the new text of a difference.

    Raises:
        ValueError: a hunk does not fit the text.
    """
    parts: list[str] = []
    position = 0
    for hunk in hunks:
        removed = "".join(p.text for p in hunk.parts if p.kind is not DiffKind.INSERT)
        end = hunk.from_start + len(removed)
        if hunk.from_start < position or old_text[hunk.from_start : end] != removed:
            raise ValueError(f"the hunk at {hunk.from_start} does not fit the text")
        parts.append(old_text[position : hunk.from_start])
        parts += [p.text for p in hunk.parts if p.kind is not DiffKind.DELETE]
        position = end
    return "".join([*parts, old_text[position:]])


def shortened(hunks: Sequence[DiffHunk], *, characters_max: int) -> tuple[list[DiffHunk], bool]:
    """Returns as much of the hunks as fits, and whether anything was left out.

    Long equal parts inside a hunk count like any other text; there are `PARTS_MAX` at most.
    """
    kept: list[DiffHunk] = []
    room, count = characters_max, 0
    for hunk in hunks:
        parts: list[DiffPart] = []
        for part in hunk.parts:
            if room <= 0 or count == PARTS_MAX:
                break
            parts.append(replace(part, text=part.text[:room]))
            room -= len(part.text)
            count += 1
        if parts:
            kept.append(replace(hunk, parts=tuple(parts)))
        if room < 0 or len(parts) < len(hunk.parts):
            return kept, True
    return kept, False


def typed_hunks(
    hunks: Iterable[DiffHunk], edits: Sequence[TypedEdit], strategy: ChangeStrategy
) -> list[DiffHunk]:
    """Returns the hunks with the summary of the edits that touch them."""
    hunks = list(hunks)
    touching = _touching(hunks, edits)
    return [
        replace(hunk, change=strategy.summary(edits[place] for place in sorted(places)))
        for hunk, places in zip(hunks, touching, strict=True)
    ]


def _regions(old: Body, new: Body) -> Iterator[_Region]:
    """Yields what lies between equal blocks: pairs of edited blocks, and what is around them."""
    old_blocks, new_blocks = _blocks(old), _blocks(new)
    pairs = _block_pairs(old, new, old_blocks, new_blocks)
    old_end, new_end = 0, 0
    for i, j in pairs:
        before, after = old_blocks[i], new_blocks[j]
        yield _between(old, new, (old_end, before.start), (new_end, after.start), new_blocks)
        yield _Region((before.start, before.end), (after.start, after.end), after.section_path)
        old_end, new_end = before.end, after.end
    yield _between(old, new, (old_end, len(old.text)), (new_end, len(new.text)), new_blocks)


def _blocks(body: Body) -> Sequence[Block]:
    whole = Block(kind=BlockKind.PARAGRAPH, start=0, end=len(body.text))
    return body.document.blocks or (whole,)


def _block_pairs(
    old: Body,
    new: Body,
    old_blocks: Sequence[Block],
    new_blocks: Sequence[Block],
) -> list[tuple[int, int]]:
    """Equal blocks, and inside the gaps between them similar ones; rising in both texts."""
    old_texts = [old.text[block.start : block.end] for block in old_blocks]
    new_texts = [new.text[block.start : block.end] for block in new_blocks]
    equal = match(old_texts, new_texts)
    edges = [(-1, -1), *equal, (len(old_texts), len(new_texts))]
    pairs = list(equal)
    for (i, j), (next_i, next_j) in pairwise(edges):
        if i + 1 == next_i or j + 1 == next_j:
            continue
        similar = pair_similar(
            [tokens_of(text) for text in old_texts[i + 1 : next_i]],
            [tokens_of(text) for text in new_texts[j + 1 : next_j]],
        )
        in_order = longest_increasing([a for a, _ in similar])
        pairs += [(i + 1 + similar[k][0], j + 1 + similar[k][1]) for k in in_order]
    return sorted(pairs)


def _between(
    old: Body, new: Body, old_span: Span, new_span: Span, new_blocks: Sequence[Block]
) -> _Region:
    """Leaves out the white space that both sides begin and end with."""
    (a, b), (c, d) = old_span, new_span
    while a < b and c < d and old.text[a] == new.text[c] and old.text[a].isspace():
        a, c = a + 1, c + 1
    while a < b and c < d and old.text[b - 1] == new.text[d - 1] and old.text[b - 1].isspace():
        b, d = b - 1, d - 1
    return _Region((a, b), (c, d), _section_at(new_blocks, c))


def _section_at(blocks: Sequence[Block], position: int) -> tuple[str, ...]:
    """The section of the first block that ends after a position."""
    low, high = 0, len(blocks)
    while low < high:
        middle = (low + high) // 2
        if blocks[middle].end > position:
            high = middle
        else:
            low = middle + 1
    return blocks[low].section_path if low < len(blocks) else ()


def _hunk(old_text: str, new_text: str, region: _Region) -> DiffHunk:
    return DiffHunk(
        section_path=region.section_path,
        parts=tuple(
            _merged(_word_parts(old_text[slice(*region.old)], new_text[slice(*region.new)]))
        ),
        from_start=region.old[0],
        to_start=region.new[0],
    )


def _word_parts(old: str, new: str) -> Iterator[DiffPart]:
    old_words, new_words = _WORDS.findall(old), _WORDS.findall(new)
    ends = (len(old_words), len(new_words))
    i = j = 0
    for next_i, next_j in [*match(old_words, new_words), ends]:
        yield DiffPart(kind=DiffKind.DELETE, text="".join(old_words[i:next_i]))
        yield DiffPart(kind=DiffKind.INSERT, text="".join(new_words[j:next_j]))
        if next_i < ends[0]:
            yield DiffPart(kind=DiffKind.EQUAL, text=old_words[next_i])
        i, j = next_i + 1, next_j + 1


def _merged(parts: Iterable[DiffPart]) -> Iterator[DiffPart]:
    """Joins neighbours of one kind; a deletion and an insertion that stand together keep order."""
    written = (part for part in parts if part.text)
    for kind, run in groupby(written, key=lambda part: part.kind):
        yield DiffPart(kind=kind, text="".join(part.text for part in run))


def _touching(hunks: Sequence[DiffHunk], edits: Sequence[TypedEdit]) -> list[set[int]]:
    """Returns, for each hunk, the places of the edits that share a character with it."""
    olds = [_span(hunk, hunk.from_start, DiffKind.INSERT) for hunk in hunks]
    news = [_span(hunk, hunk.to_start, DiffKind.DELETE) for hunk in hunks]
    found: list[set[int]] = [set() for _ in hunks]
    for spans, side in ((olds, "old"), (news, "new")):
        starts, ends = [start for start, _ in spans], [end for _, end in spans]
        for place, edit in enumerate(edits):
            for hunk in overlapping(starts, ends, getattr(edit, side)):
                found[hunk].add(place)
    return found


def _span(hunk: DiffHunk, start: int, other_side: DiffKind) -> Span:
    length = sum(len(part.text) for part in hunk.parts if part.kind is not other_side)
    return start, start + length
