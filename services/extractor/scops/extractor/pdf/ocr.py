"""Reads scanned pages of a PDF by OCR: the program tesseract, on pages as PDFium draws them.

It gives words with their places, so that what it reads takes the same way to lines and blocks as
text that a file has.
"""

import os
import re
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pypdfium2 as pdfium
import pypdfium2.raw as raw
from lxml import etree

from scops.common.processes.child import die_with
from scops.extractor.ocr import PROGRAM, Ocr
from scops.extractor.pdf.text_pieces import GAP_EMS_MAX, PdfPage, TextPiece

# What it is trained for.
DOTS_PER_INCH = 300
POINTS_PER_INCH = 72
PAGES_MAX = 200
# A3 at 300 dots an inch has 17 million; larger sheets are drawn coarser.
PIXELS_MAX = 20_000_000
# Of one picture in the file, which is unpacked before it is drawn: A3 at 600 dots an inch is 70.
PICTURE_PIXELS_MAX = 100_000_000
PICTURES_MAX = 2_000
FORM_DEPTH_MAX = 2
# A page of text takes one to three on a free core.
PAGE_SECONDS = 60.0
OUTPUT_BYTES_MAX = 16 * 1024 * 1024
# In percent, as tesseract is sure of a word: what it makes of a photograph stays below.
CONFIDENCE_MIN = 50.0
# Heights of lines are measured; those within this share of the usual one are of its size.
SIZE_TOLERANCE = 0.3
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_BOX = re.compile(rf"\bbbox {_NUMBER} {_NUMBER} {_NUMBER} {_NUMBER}")
_SIZE = re.compile(rf"\bx_size {_NUMBER}")
_BASELINE = re.compile(rf"\bbaseline {_NUMBER} {_NUMBER}")
_CONFIDENCE = re.compile(rf"\bx_wconf {_NUMBER}")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word; left and right edge in pixels, sureness in percent."""

    text: str
    left: float
    right: float
    confidence: float


class PageReader:
    """Reads pages of one document, until the time for all of them is over."""

    def __init__(self, document: pdfium.PdfDocument, ocr: Ocr) -> None:
        """Begins the time."""
        self._document = document
        self._languages = "+".join(ocr.languages)
        self._ends = time.monotonic() + ocr.seconds
        self._pages_left = PAGES_MAX

    def read(self, page: PdfPage) -> PdfPage:
        """Returns a scanned page with the words in its picture; as it was where none are read."""
        left = min(self._ends - time.monotonic(), PAGE_SECONDS)
        if left <= 0 or not self._pages_left:
            return page
        self._pages_left -= 1
        drawn = _drawn(self._document, page.number)
        if drawn is None:
            return page
        picture, scale = drawn
        pieces = tuple(_pieces(self._recognised(picture, scale, seconds=left), scale))
        return replace(page, pieces=pieces, read_by_ocr=True) if pieces else page

    def _recognised(self, picture: bytes, scale: float, *, seconds: float) -> bytes:
        """Returns what tesseract reads, as hOCR; nothing where it fails or takes too long."""
        resolution = str(round(scale * POINTS_PER_INCH))
        command = [PROGRAM, "stdin", "stdout", "-l", self._languages, "--dpi", resolution, "hocr"]
        try:
            # It has this process's bound of memory, and dies with it.
            done = subprocess.run(
                command,
                input=picture,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=seconds,
                check=False,
                env={**os.environ, "OMP_THREAD_LIMIT": "1"},
                preexec_fn=partial(die_with, os.getpid()),
            )
        except subprocess.TimeoutExpired:
            return b""
        return done.stdout[:OUTPUT_BYTES_MAX] if done.returncode == 0 else b""


def with_usual_size(pages: Sequence[PdfPage]) -> list[PdfPage]:
    """Returns pages read by OCR with one size for all text that is about as high as most of it."""
    sizes = [piece.size for page in pages for piece in page.pieces for _ in piece.text]
    if not sizes:
        return list(pages)
    usual = statistics.median(sizes)

    def settled(piece: TextPiece) -> TextPiece:
        near = abs(piece.size - usual) <= SIZE_TOLERANCE * usual
        return replace(piece, size=usual) if near else piece

    return [replace(page, pieces=tuple(map(settled, page.pieces))) for page in pages]


def _drawn(document: pdfium.PdfDocument, number: int) -> tuple[bytes, float] | None:
    """Returns a page in grey as PGM with its scale in pixels a point, or None for a huge one."""
    page = document[number - 1]
    try:
        width, height = page.get_size()
        if width * height <= 0 or not _has_bounded_pictures(page):
            return None
        scale = min(DOTS_PER_INCH / POINTS_PER_INCH, (PIXELS_MAX / (width * height)) ** 0.5)
        # Less than a pixel wide it shows nothing.
        if min(width, height) * scale < 1:
            return None
        bitmap = page.render(scale=scale, grayscale=True)
        try:
            rows, columns = bitmap.height, bitmap.width
            grey = bitmap.to_numpy().tobytes()
        finally:
            bitmap.close()
    except pdfium.PdfiumError:
        return None
    finally:
        page.close()
    return b"P5 %d %d 255\n" % (columns, rows) + grey, scale


def _has_bounded_pictures(page: pdfium.PdfPage) -> bool:
    found = page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=FORM_DEPTH_MAX)
    for count, picture in enumerate(found, start=1):
        width, height = picture.get_px_size()
        if count > PICTURES_MAX or width * height > PICTURE_PIXELS_MAX:
            return False
    return True


def _pieces(hocr: bytes, scale: float) -> Iterator[TextPiece]:
    """Yields the runs of words that tesseract is sure of, in points from the lower left.

    Source: hOCR 1.2, `ocr_line` and `ocrx_word`. Heads and captions are lines of another class.
    """
    if not hocr:
        return
    # No entities, no network: the words are a stranger's.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    root = etree.fromstring(hocr, parser)
    if root is None:
        return
    foot = 0.0
    for element in root.iter("{*}*"):
        if element.get("class") == "ocr_page":
            _, _, _, foot = _box(element.get("title", ""))
        elif len(element) and element[0].get("class") == "ocrx_word":
            yield from _line_pieces(element, foot, scale)


def _line_pieces(line: etree._Element, foot: float, scale: float) -> Iterator[TextPiece]:
    title = line.get("title", "")
    _, top, _, bottom = _box(title)
    measured = _SIZE.search(title)
    size = float(measured.group(1)) if measured else bottom - top
    slope = _BASELINE.search(title)
    baseline = bottom + (float(slope.group(2)) if slope else 0.0)
    words = [word for word in map(_word, line) if word.text]
    if not words or statistics.fmean(w.confidence for w in words) < CONFIDENCE_MIN:
        return
    for run in _runs(words, GAP_EMS_MAX * size):
        yield TextPiece(
            text=" ".join(word.text for word in run),
            left=run[0].left / scale,
            right=run[-1].right / scale,
            baseline=(foot - baseline) / scale,
            size=max(size, 1.0) / scale,
            bold=False,
        )


def _runs(words: Sequence[_Word], gap_max: float) -> Iterator[list[_Word]]:
    """Yields words that stand together: a wider gap parts cells of a table, or columns."""
    run = [words[0]]
    for word in words[1:]:
        if word.left - run[-1].right > gap_max:
            yield run
            run = []
        run.append(word)
    yield run


def _word(element: etree._Element) -> _Word:
    title = element.get("title", "")
    left, _, right, _ = _box(title)
    sure = _CONFIDENCE.search(title)
    text = " ".join("".join(map(str, element.itertext())).split())
    return _Word(text, left, right, float(sure.group(1)) if sure else 0.0)


def _box(title: str) -> tuple[float, float, float, float]:
    found = _BOX.search(title)
    if found is None:
        return (0.0, 0.0, 0.0, 0.0)
    left, top, right, bottom = map(float, found.groups())
    return (left, top, right, bottom)
