"""From pieces of text on a page to lines in reading order, and from lines to blocks.

Columns are found by the vertical strip that fewest pieces cross; what crosses it (a title, a wide
figure's caption) parts the columns above it from those below.
"""

import re
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scops.common.contract.messages.content import BlockKind
from scops.extractor.pdf.text_pieces import PdfPage, TextPiece
from scops.extractor.text.clean_text import RawBlock, flow_text

COLUMNS_DEPTH_MAX = 3
COLUMN_SEGMENTS_MIN = 4
COLUMN_CHARACTERS_MIN = 14
CROSSING_SHARE_MAX = 0.15
# A gutter lies in the middle of a page, and each column holds its part of the text.
GUTTER_RANGE = (0.2, 0.8)
SIDE_SHARE_MIN = 0.15

# Lines at the edges of a page that return on so many pages are no text of it.
EDGE_LINES = 2
RUNNING_SHARE = 0.4
RUNNING_PAGES_MIN = 3

HEADING_SIZE_RATIO = 1.12
HEADING_CHARACTERS_MAX = 200
HEADING_LEVELS_MAX = 6
PARAGRAPH_GAP_RATIO = 1.4
SHORT_LINE_SHARE = 0.85
CELL_CHARACTERS_MAX = 30

_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_PAGE_NUMBER = re.compile(
    r"\W*+(?:(?:page|seite|p\.|s\.)\W*+)?(?:\d+|[ivxlc]+)(?:\W++(?:(?:of|von)\W*+)?\d+)?\W*+"
)
_SECTION = re.compile(
    r"(?:\d{1,2}|[A-Z]|[IVX]{1,4})(?P<sub>(?:\.\d{1,2}){1,3})?\.?\s+(?P<title>[A-Z].+)"
)
_BULLET = re.compile(r"\s*+(?:[•‣▪◦●○■□–—*·-]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s++(?=\S)")
# Dots that lead the eye from a title to its page number.
_LEADER = re.compile(r"(?:\s?\.){5,}\s*")
_ENDS = (".", "!", "?", ":", ";", "”", "»", "。")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Pieces of text on one baseline of one column, from left to right."""

    pieces: tuple[TextPiece, ...]
    page: int
    # Edges of the column that the line stands in.
    column: tuple[float, float]

    @property
    def text(self) -> str:
        """The pieces with spaces between them."""
        return " ".join(piece.text for piece in self.pieces)

    @property
    def left(self) -> float:
        """Left edge in points."""
        return self.pieces[0].left

    @property
    def right(self) -> float:
        """Right edge in points."""
        return self.pieces[-1].right

    @property
    def baseline(self) -> float:
        """Distance of the baseline from the page's lower edge in points."""
        return self.pieces[0].baseline

    @property
    def size(self) -> float:
        """Type size of the longest piece in points."""
        return max(self.pieces, key=lambda piece: len(piece.text)).size

    @property
    def bold(self) -> bool:
        """Whether every piece is bold."""
        return all(piece.bold for piece in self.pieces)


def page_lines(page: PdfPage) -> list[Line]:
    """Returns the lines of a page in reading order."""
    return list(_region(page.pieces, page.number, depth=0))


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Returns the pages without what returns at their edges: running heads, page numbers."""
    seen: Counter[str] = Counter()
    for lines in pages:
        seen.update({_running_form(line) for line in _edges(lines)})
    least = max(RUNNING_PAGES_MIN, RUNNING_SHARE * len(pages))
    running = {form for form, count in seen.items() if count >= least}

    def returns(line: Line) -> bool:
        if _running_form(line) in running:
            return True
        return len(pages) > 1 and _PAGE_NUMBER.fullmatch(line.text.lower()) is not None

    kept = []
    for lines in pages:
        edges = {id(line) for line in _edges(lines)}
        kept.append([line for line in lines if id(line) not in edges or not returns(line)])
    return kept


def blocks_of_lines(pages: Sequence[Sequence[Line]]) -> Iterator[RawBlock]:
    """Yields headings by size, paragraphs with their hyphens mended, list items, table rows."""
    lines = [line for page in pages for line in page]
    if not lines:
        return
    body_size, levels = _sizes(lines)
    pitch = _pitch(lines)
    group: list[Line] = []
    for line in lines:
        if group and not _continues(group, line, pitch=pitch, levels=levels):
            yield _block(group, body_size, levels)
            group = []
        group.append(line)
    yield _block(group, body_size, levels)


def _region(pieces: Sequence[TextPiece], page: int, *, depth: int) -> Iterator[Line]:
    gutter = _gutter(pieces) if depth < COLUMNS_DEPTH_MAX else None
    if gutter is None:
        yield from _lines(pieces, page)
        return
    crossing = sorted(
        (entry for entry in pieces if entry.left < gutter < entry.right),
        key=lambda s: -s.baseline,
    )
    rest = [entry for entry in pieces if not entry.left < gutter < entry.right]
    for line in _lines(crossing, page):
        above = [entry for entry in rest if entry.baseline > line.baseline]
        yield from _columns(above, gutter, page, depth)
        rest = [entry for entry in rest if entry not in above]
        yield line
    yield from _columns(rest, gutter, page, depth)


def _columns(pieces: Sequence[TextPiece], gutter: float, page: int, depth: int) -> Iterator[Line]:
    for side in (
        [entry for entry in pieces if entry.right <= gutter],
        [entry for entry in pieces if entry.right > gutter],
    ):
        if side:
            yield from _region(side, page, depth=depth + 1)


def _gutter(pieces: Sequence[TextPiece]) -> float | None:
    """Returns the middle of the strip between two columns, or None for one column."""
    if len(pieces) < 2 * COLUMN_SEGMENTS_MIN:
        return None
    left, right = min(s.left for s in pieces), max(s.right for s in pieces)
    low, high = (round(left + share * (right - left)) for share in GUTTER_RANGE)
    crossings = [
        sum(entry.left < x < entry.right for entry in pieces) for x in range(low, high + 1)
    ]
    if not crossings or min(crossings) > CROSSING_SHARE_MAX * len(pieces):
        return None
    start, end = _widest_run(crossings, min(crossings))
    middle = low + (start + end) / 2
    return middle if _parts_columns(pieces, middle) else None


def _widest_run(values: Sequence[int], value: int) -> tuple[int, int]:
    best, start = (0, -1), None
    for index, entry in enumerate((*values, None)):
        if entry == value and start is None:
            start = index
        elif entry != value and start is not None:
            best = max(best, (start, index - 1), key=lambda run: run[1] - run[0])
            start = None
    return best


def _parts_columns(pieces: Sequence[TextPiece], middle: float) -> bool:
    """Whether both sides are running text: the columns of a table hold short values."""
    total = sum(len(entry.text) for entry in pieces)
    for side in (
        [entry.text for entry in pieces if entry.right <= middle],
        [entry.text for entry in pieces if entry.left >= middle],
    ):
        characters = sum(map(len, side))
        if len(side) < COLUMN_SEGMENTS_MIN or characters < SIDE_SHARE_MIN * total:
            return False
        if characters / len(side) < COLUMN_CHARACTERS_MIN:
            return False
    return True


def _lines(pieces: Sequence[TextPiece], page: int) -> Iterator[Line]:
    """Yields lines from the top; pieces whose heights overlap by half share one."""
    if not pieces:
        return
    column = (min(s.left for s in pieces), max(s.right for s in pieces))
    rows: list[list[TextPiece]] = []
    for entry in sorted(pieces, key=lambda s: (-s.baseline, s.left)):
        last = rows[-1][0] if rows else None
        if last is not None and abs(last.baseline - entry.baseline) <= 0.4 * max(
            last.size, entry.size
        ):
            rows[-1].append(entry)
        else:
            rows.append([entry])
    for row in rows:
        ordered = tuple(sorted(row, key=lambda s: s.left))
        yield Line(pieces=ordered, page=page, column=column)


def _edges(lines: Sequence[Line]) -> list[Line]:
    """Returns the highest and lowest lines of a page."""
    ordered = sorted(lines, key=lambda line: -line.baseline)
    if len(ordered) <= 2 * EDGE_LINES:
        return ordered[:1] + ordered[-1:]
    return ordered[:EDGE_LINES] + ordered[-EDGE_LINES:]


def _running_form(line: Line) -> str:
    return _NUMBER.sub("#", line.text.casefold()).strip()


def _sizes(lines: Sequence[Line]) -> tuple[float, dict[float, int]]:
    """Returns the size most of the text is set in, and the heading level of each larger one."""
    characters: Counter[float] = Counter()
    for line in lines:
        characters[_rounded(line.size)] += len(line.text)
    body = characters.most_common(1)[0][0]
    larger = sorted((s for s in characters if s >= HEADING_SIZE_RATIO * body), reverse=True)
    return body, {size: min(at, HEADING_LEVELS_MAX) for at, size in enumerate(larger, start=1)}


def _rounded(size: float) -> float:
    return round(2 * size) / 2


def _pitch(lines: Sequence[Line]) -> float:
    """Returns the usual distance of two lines of a paragraph."""
    steps = [
        before.baseline - line.baseline
        for before, line in pairwise(lines)
        if before.page == line.page and 0 < before.baseline - line.baseline < 4 * before.size
    ]
    return statistics.median(steps) if steps else 1.2 * lines[0].size


def _continues(
    group: Sequence[Line], line: Line, *, pitch: float, levels: dict[float, int]
) -> bool:
    """Whether a line goes on with the block before it."""
    before = group[-1]
    if _is_row(before) or _is_row(line) or _BULLET.match(line.text):
        return False
    if _is_numbered_heading(before) or _is_numbered_heading(line):
        return False
    # A word in other type may speak for a whole line: only the step to a heading's size counts.
    if levels.get(_rounded(before.size)) != levels.get(_rounded(line.size)):
        return False
    if before.bold != line.bold and (before.bold or line.bold) and not _open_ended(before):
        return False
    if before.page != line.page or before.column != line.column:
        # Over the end of a column only a sentence that has not ended goes on.
        return _open_ended(before) and line.text[:1].islower()
    if before.baseline - line.baseline > PARAGRAPH_GAP_RATIO * max(pitch, 1.15 * line.size):
        return False
    short = before.right < before.column[0] + SHORT_LINE_SHARE * (
        before.column[1] - before.column[0]
    )
    indented = line.left > before.left + 0.8 * line.size
    return not (short and before.text.endswith(_ENDS)) and not (
        indented and before.text.endswith(_ENDS) and len(group) > 1
    )


def _is_numbered_heading(line: Line) -> bool:
    """Whether a short line has a section's number and capitals, or one of a subsection."""
    match = _SECTION.match(line.text)
    if match is None or len(line.text) > HEADING_CHARACTERS_MAX // 2 or _is_row(line):
        return False
    title = match.group("title")
    width = line.column[1] - line.column[0]
    short = line.right < line.column[0] + SHORT_LINE_SHARE * width
    numbered = match.group("sub") is not None or title.isupper()
    return short and numbered and not title.endswith((".", ",", ";"))


def _open_ended(line: Line) -> bool:
    return not line.text.rstrip().endswith(_ENDS)


def _is_row(line: Line) -> bool:
    """Whether a line holds cells: several short pieces with gaps between them."""
    texts = [len(piece.text) for piece in line.pieces]
    return len(texts) > 1 and sum(texts) <= CELL_CHARACTERS_MAX * len(texts)


def _block(group: Sequence[Line], body_size: float, levels: dict[float, int]) -> RawBlock:
    text = flow_text(_LEADER.sub(" … ", _mended(group)))
    first = group[0]
    if _is_row(first):
        cells = " | ".join(flow_text(piece.text) for piece in first.pieces)
        return RawBlock(kind=BlockKind.TABLE_ROW, text=cells, page=first.page)
    level = levels.get(_rounded(first.size), 0)
    if not level and len(group) == 1 and _is_numbered_heading(first):
        level = min(
            len(levels) + 1 + first.text.split()[0].strip(".").count("."), HEADING_LEVELS_MAX
        )
    if not level and first.bold and len(group) <= 2 and not first.text.endswith((".", ",", ";")):
        level = min(len(levels) + 1, HEADING_LEVELS_MAX)
    if level and len(text) <= HEADING_CHARACTERS_MAX:
        return RawBlock(kind=BlockKind.HEADING, text=text, level=level, page=first.page)
    bullet = _BULLET.match(text)
    if bullet:
        return RawBlock(kind=BlockKind.LIST_ITEM, text=text, page=first.page)
    return RawBlock(kind=BlockKind.PARAGRAPH, text=text, page=first.page)


def _mended(group: Sequence[Line]) -> str:
    """Joins lines; a word divided at the end of one becomes whole again."""
    text = group[0].text
    for line in group[1:]:
        if text.endswith("-") and text[-2:-1].isalpha() and line.text[:1].islower():
            text = text[:-1] + line.text
        else:
            text = f"{text} {line.text}"
    return text
