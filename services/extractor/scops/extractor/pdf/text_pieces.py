"""Pieces of text on the pages of a PDF, with place, size and weight, from PDFium.

A piece is a run of words on one baseline without a gap that could part two columns.
"""

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from scops.extractor.pdf.visibility import PdfVisibility

# About 600 pages; reading them takes some seconds.
CHARACTERS_MAX = 1_500_000
PAGES_MAX = 5_000
LINKS_MAX = 5_000
URI_BYTES_MAX = 4_096
# In ems: wider than the widest space of justified text, narrower than a gutter.
GAP_EMS_MAX = 1.4
BASELINE_EMS_MAX = 0.35
BOLD_WEIGHT_MIN = 600
_UNMAPPED = frozenset({0, 0xFFFF})
# PDFium writes these where a word is divided, and then goes on with the next line at once.
_HYPHENS = frozenset({0x02, 0xFFFE})


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPiece:
    """Words on one baseline; lengths in points, the origin at the lower left of the page."""

    text: str
    left: float
    right: float
    baseline: float
    size: float
    bold: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfPage:
    """A page: its pieces in the order in which the file writes them."""

    number: int
    pieces: tuple[TextPiece, ...]
    has_image: bool
    uris: tuple[str, ...]
    # The pieces are what OCR read in the picture of the page.
    read_by_ocr: bool = False


def pdf_pages(document: pdfium.PdfDocument) -> Iterator[PdfPage]:
    """Yields the pages with their text until the bounds of a document are reached."""
    characters = 0
    for number in range(1, min(len(document), PAGES_MAX) + 1):
        page = _page(document, number)
        yield page
        characters += sum(len(piece.text) for piece in page.pieces)
        if characters >= CHARACTERS_MAX:
            return


def _page(document: pdfium.PdfDocument, number: int) -> PdfPage:
    page = document[number - 1]
    try:
        textpage = page.get_textpage()
        try:
            visibility = PdfVisibility(page, textpage)
            pieces = tuple(_segments(textpage, visibility))
        finally:
            textpage.close()
        return PdfPage(
            number=number,
            pieces=pieces,
            has_image=visibility.has_image,
            uris=tuple(_uris(document, page)),
        )
    finally:
        page.close()


@dataclass(frozen=True, slots=True)
class _Word:
    """A word with the index of its first character."""

    first: int
    text: str
    left: float
    right: float
    baseline: float
    size: float


def _segments(textpage: pdfium.PdfTextPage, visibility: PdfVisibility) -> Iterator[TextPiece]:
    """Joins the words that a reader sees until the baseline moves or a gap is wide."""
    words: list[_Word] = []
    for word in _words(textpage):
        if not visibility.shows(
            word.first, left=word.left, right=word.right, baseline=word.baseline, size=word.size
        ):
            continue
        if words and not _follows(words[-1], word, words[0].size):
            yield _segment(textpage, words)
            words = []
        words.append(word)
    if words:
        yield _segment(textpage, words)


def _follows(before: _Word, word: _Word, size: float) -> bool:
    gap = word.left - before.right
    return (
        abs(word.baseline - before.baseline) <= BASELINE_EMS_MAX * size
        and -0.5 * size <= gap <= GAP_EMS_MAX * size
    )


def _segment(textpage: pdfium.PdfTextPage, words: list[_Word]) -> TextPiece:
    # A superscript or an initial must not speak for its line.
    longest = max(words, key=lambda word: len(word.text))
    return TextPiece(
        text=" ".join(word.text for word in words),
        left=words[0].left,
        right=words[-1].right,
        baseline=words[0].baseline,
        size=longest.size,
        bold=raw.FPDFText_GetFontWeight(textpage.raw, longest.first) >= BOLD_WEIGHT_MIN,
    )


def _words(textpage: pdfium.PdfTextPage) -> Iterator[_Word]:
    """Yields the words of a page; only their ends are measured, each question takes its time."""
    handle, ruler = textpage.raw, _Ruler(textpage)
    characters: list[str] = []
    first = last = 0
    for index in range(textpage.count_chars()):
        code = raw.FPDFText_GetUnicode(handle, index)
        divided = code in _HYPHENS
        character = "-" if divided else _character(code)
        if not character:
            continue
        if not character.isspace():
            first = first if characters else index
            last = index
            characters.append(character)
        if characters and (divided or character.isspace()):
            yield ruler.word("".join(characters), first, last)
            characters = []
    if characters:
        yield ruler.word("".join(characters), first, last)


def _character(code: int) -> str:
    # Halves of surrogate pairs stand apart in what PDFium returns; NFC drops what stays alone.
    return "" if code in _UNMAPPED or code > 0x10FFFF else chr(code)


class _Ruler:
    """Measures characters; the places that PDFium writes to are made once a page."""

    def __init__(self, textpage: pdfium.PdfTextPage) -> None:
        self._handle = textpage.raw
        self._box = tuple(ctypes.c_double() for _ in range(4))
        self._origin = tuple(ctypes.c_double() for _ in range(2))
        self._box_places = tuple(map(ctypes.byref, self._box))
        self._origin_places = tuple(map(ctypes.byref, self._origin))
        self._matrix = raw.FS_MATRIX()
        self._matrix_place = ctypes.byref(self._matrix)

    def word(self, text: str, first: int, last: int) -> _Word:
        left, _ = self._extent(first)
        _, right = self._extent(last)
        raw.FPDFText_GetCharOrigin(self._handle, first, *self._origin_places)
        return _Word(first, text, left, max(right, left), self._origin[1].value, self._size(first))

    def _size(self, index: int) -> float:
        """Returns the size on paper: many files set type at one point and scale it."""
        size = float(raw.FPDFText_GetFontSize(self._handle, index))
        scale = 0.0
        if raw.FPDFText_GetMatrix(self._handle, index, self._matrix_place):
            scale = math.hypot(self._matrix.c, self._matrix.d)
        return (size or 1.0) * (scale or 1.0)

    def _extent(self, index: int) -> tuple[float, float]:
        raw.FPDFText_GetCharBox(self._handle, index, *self._box_places)
        return self._box[0].value, self._box[1].value


def _uris(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> Iterator[str]:
    """Yields the addresses that the annotations of a page lead to."""
    position, link = ctypes.c_int(0), raw.FPDF_LINK()
    for _ in range(LINKS_MAX):
        if not raw.FPDFLink_Enumerate(page.raw, ctypes.byref(position), ctypes.byref(link)):
            return
        action = raw.FPDFLink_GetAction(link)
        if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
            continue
        length = raw.FPDFAction_GetURIPath(document.raw, action, None, 0)
        if 1 < length <= URI_BYTES_MAX:
            buffer = ctypes.create_string_buffer(length)
            raw.FPDFAction_GetURIPath(document.raw, action, buffer, length)
            yield buffer.value.decode("utf-8", "replace")
