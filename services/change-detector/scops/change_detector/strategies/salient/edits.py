"""Typed edits: what changed between two texts, of what class, for which reasons, how much."""

import math
from collections.abc import Iterable, Sequence

from scops.change_detector.strategies.port import TypedEdit, as_format, is_within
from scops.change_detector.strategies.salient.alignment import (
    SegmentChange,
    Span,
    correspondence,
    joined_tokens,
)
from scops.change_detector.strategies.salient.navigation import NavigationSide
from scops.change_detector.strategies.salient.reasons import ReasonFinding, findings
from scops.change_detector.strategies.salient.segments import Segment
from scops.change_detector.strategies.salient.stamps import is_passing_time
from scops.change_detector.strategies.salient.tokens import tokens_of
from scops.change_detector.strategies.salient.words import FUNCTION_WORDS
from scops.common.contract.messages.content import Block, BlockKind
from scops.common.contract.messages.types import ChangeClass

FORMAT = "format"
MOVED = "moved"
REPEATED = "repeated"
NAVIGATION = "navigation"
PASSING_TIME = "passing_time"
SENTENCE_ADDED = "sentence_added"
SENTENCE_REMOVED = "sentence_removed"
SENTENCE_WORDS_MIN = 3
WORDS_OF_FULL_SALIENCE = 5.0
SEARCHES_MAX = 2_000


def typed_edits(
    old_text: str,
    old_blocks: Sequence[Block],
    new_text: str,
    new_blocks: Sequence[Block],
    *,
    languages: tuple[str, str] = ("", ""),
) -> list[TypedEdit]:
    """Returns the edits that lead from one text to the other, by their place in the new one.

    A text has no edits against itself. Where no word, number or sign differs, every edit is of
    class format or moved.

    Args:
        languages: of the old text and of the new one; nothing where one is not known.
    """
    found = correspondence(old_text, old_blocks, new_text, new_blocks, languages=languages)
    edits = [_plain(ChangeClass.MOVED, MOVED, *spans) for spans in found.moved]
    edits += [
        _plain(ChangeClass.FORMAT, FORMAT, old, new)
        for old, new in found.rewritten
        if old_text[slice(*old)] != new_text[slice(*new)]
    ]
    standing = _SentenceSearch((old_text, new_text), languages)
    edits += [_edit(change, standing) for change in found.changes]
    edits = _without_navigation(edits, (old_text, old_blocks), (new_text, new_blocks))
    return sorted(edits, key=lambda edit: edit.new or edit.old or (0, 0))


def _without_navigation(
    edits: list[TypedEdit], old: tuple[str, Sequence[Block]], new: tuple[str, Sequence[Block]]
) -> list[TypedEdit]:
    """Returns the edits; those in menus and lists of contents become a matter of format."""
    if not any(edit.salience for edit in edits):
        return edits
    before = NavigationSide(*old, (e.old for e in edits if e.old is not None and e.new is None))
    after = NavigationSide(*new, (e.new for e in edits if e.new is not None and e.old is None))
    # Where names went and others came, a list was rewritten: that is news.
    one_sided = not (before.has_whole_menu() and after.has_whole_menu())
    gone = before.navigation(after.headings(), whole_menus=one_sided)
    come = after.navigation(before.headings(), whole_menus=one_sided)
    if not gone and not come:
        return edits
    return [
        as_format(edit, NAVIGATION)
        if edit.salience
        # A word that was replaced says something wherever it stands.
        and (edit.old is None or edit.new is None)
        and is_within(edit.old, gone)
        and is_within(edit.new, come)
        else edit
        for edit in edits
    ]


def combined_salience(weights: Iterable[float]) -> float:
    """Returns 1 - product of (1 - w): rises with every part, never beyond 1."""
    return 1.0 - math.prod(1.0 - weight for weight in weights)


def _plain(change_class: ChangeClass, reason: str, old: Span | None, new: Span | None) -> TypedEdit:
    return TypedEdit(change_class=change_class, reasons=(reason,), salience=0.0, old=old, new=new)


class _SentenceSearch:
    """Tells whether a sentence stands in the other text too; tokenises a text when first asked."""

    def __init__(self, texts: tuple[str, str], languages: tuple[str, str]) -> None:
        self._texts = texts
        self._languages = languages
        self._joined: dict[int, str] = {}
        self._searches = 0

    def has(self, side: int, segment: Segment) -> bool:
        """Returns whether it stands there; False for what is too short to be the same by intent."""
        if len(segment.tokens.keys) < SENTENCE_WORDS_MIN or self._searches >= SEARCHES_MAX:
            return False
        self._searches += 1
        if side not in self._joined:
            tokens = tokens_of(self._texts[side], language=self._languages[side])
            self._joined[side] = _joined(tokens.keys)
        return _joined(segment.tokens.keys) in self._joined[side]


def _joined(keys: Sequence[str]) -> str:
    return "\x1f" + "\x1f".join(keys) + "\x1f"


def _edit(change: SegmentChange, standing: _SentenceSearch) -> TypedEdit:
    if not change.old or not change.new:
        return _one_sided(change, standing)
    old, new = joined_tokens(change.old), joined_tokens(change.new)
    spans = (_extent(change.old), _extent(change.new))
    if is_passing_time(old, new, change.runs):
        return _plain(ChangeClass.FORMAT, PASSING_TIME, *spans)
    in_code = BlockKind.CODE in {s.kind for s in (*change.old, *change.new)}
    found = findings(old, new, change.runs, in_title=_in_title(change.new[0]), in_code=in_code)
    return _typed(found, *spans)


def _typed(found: Sequence[ReasonFinding], old: Span | None, new: Span | None) -> TypedEdit:
    if not found:
        return _plain(ChangeClass.FORMAT, FORMAT, old, new)
    is_critical = any(finding.critical for finding in found)
    heavy = [f for f in found if f.critical] or found
    return TypedEdit(
        change_class=ChangeClass.CRITICAL if is_critical else ChangeClass.LEXICAL,
        reasons=tuple(dict.fromkeys(str(finding.reason) for finding in heavy)),
        salience=combined_salience(finding.weight for finding in found),
        old=old,
        new=new,
    )


def _one_sided(change: SegmentChange, standing: _SentenceSearch) -> TypedEdit:
    """A sentence that came or went; one that still stands elsewhere in the other text did not."""
    added = bool(change.new)
    segment = (change.new or change.old)[0]
    spans = (None, _extent(change.new)) if added else (_extent(change.old), None)
    if standing.has(0 if added else 1, segment):
        return _plain(ChangeClass.FORMAT, REPEATED, *spans)
    words = sum(key not in FUNCTION_WORDS for key in segment.tokens.keys)
    is_sentence = len(segment.tokens.keys) >= SENTENCE_WORDS_MIN and words > 1
    return TypedEdit(
        change_class=ChangeClass.CRITICAL if is_sentence else ChangeClass.LEXICAL,
        reasons=(SENTENCE_ADDED if added else SENTENCE_REMOVED,),
        salience=1.0 - math.exp(-words / WORDS_OF_FULL_SALIENCE),
        old=spans[0],
        new=spans[1],
    )


def _in_title(segment: Segment) -> bool:
    written = segment.tokens.original[segment.start : segment.end]
    if segment.kind is BlockKind.HEADING or written.isupper():
        return True
    words = [segment.tokens.written(place) for place in range(len(segment.tokens.keys))]
    long = [word for word in words if len(word) > 3 and word[0].isalpha()]
    return bool(long) and all(word[0].isupper() for word in long)


def _extent(segments: Sequence[Segment]) -> Span:
    return segments[0].start, segments[-1].end
