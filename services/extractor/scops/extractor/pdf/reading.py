"""Reads a PDF: its text in reading order with page numbers, what it says of itself, its links."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.content import Link, LinkPosition, PageKind, StatedValue
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import StatedKind, StatedSource, StatedTime
from scops.common.scope.urls import canonical_url
from scops.extractor.dates.stated import is_plausible, stated_time, stated_value
from scops.extractor.html.markup_reading import TRUNCATED
from scops.extractor.ocr import READ_BY_OCR, SCANNED_PAGES, Ocr
from scops.extractor.pdf.layout import blocks_of_lines, page_lines, without_running_lines
from scops.extractor.pdf.ocr import PageReader, with_usual_size
from scops.extractor.pdf.text_pieces import PdfPage, pdf_pages
from scops.extractor.reading import ParsedBody
from scops.extractor.text.clean_text import RawBlock, flow_text

PDFIUM = "pdfium"
ENCRYPTED, UNREADABLE = "encrypted", "unreadable"
# A page with a picture and less text than this shows its text in the picture.
SCANNED_CHARACTERS_MAX = 20
TITLE_CHARACTERS_MAX = 300
# Writers fill these in unasked.
CONFIDENCE = 0.7
_NO_TITLE = re.compile(
    r"\W*$|\W*untitled\W*$|microsoft \w+ - |.*\\|.*\.(?:docx?|tex|dvi|indd|pdf|qxd|odt|wpd)\W*$",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?"
)


def read_pdf(body: bytes, fetched: PageFetched, *, ocr: Ocr | None = None) -> ParsedBody:
    """Reads a PDF; one that is encrypted or broken is not supported, and says why.

    Args:
        ocr: reads scanned pages; None leaves them unread.
    """
    try:
        document = pdfium.PdfDocument(body)
    except pdfium.PdfiumError:
        protected = raw.FPDF_GetLastError() == raw.FPDF_ERR_PASSWORD
        return ParsedBody(
            kind=PageKind.UNSUPPORTED, flags=(ENCRYPTED if protected else UNREADABLE,)
        )
    try:
        return _read(document, fetched, ocr)
    finally:
        document.close()


def _read(document: pdfium.PdfDocument, fetched: PageFetched, ocr: Ocr | None) -> ParsedBody:
    pages = list(pdf_pages(document))
    if ocr is not None:
        pages = _with_ocr(pages, PageReader(document, ocr))
    scanned = [_is_scanned(page) for page in pages]
    stated = document.get_metadata_dict(skip_empty=True)
    blocks = tuple(block for block in _blocks(pages) if block.text)
    return ParsedBody(
        blocks=blocks,
        extractor=PDFIUM,
        title=_title(stated.get("Title", "")),
        stated=tuple(_times(stated, fetched)),
        values=tuple(_values(stated)),
        links=tuple(_links(pages, fetched)),
        kind=PageKind.SCANNED if scanned and all(scanned) else None,
        flags=(
            *((TRUNCATED,) if len(pages) < len(document) else ()),
            *((READ_BY_OCR,) if any(page.read_by_ocr for page in pages) else ()),
            *((SCANNED_PAGES,) if any(scanned) and not all(scanned) else ()),
        ),
        page_count=len(document),
    )


def _is_scanned(page: PdfPage) -> bool:
    characters = sum(len(piece.text) for piece in page.pieces)
    return page.has_image and characters < SCANNED_CHARACTERS_MAX and not page.read_by_ocr


def _with_ocr(pages: Sequence[PdfPage], reader: PageReader) -> list[PdfPage]:
    """Returns the pages with what OCR reads in those that are scanned; others keep their text."""
    read = {page.number: reader.read(page) for page in pages if _is_scanned(page)}
    settled = with_usual_size([page for page in read.values() if page.read_by_ocr])
    found = {page.number: page for page in settled}
    return [found.get(page.number, page) for page in pages]


def _blocks(pages: Sequence[PdfPage]) -> list[RawBlock]:
    """Returns the blocks of all pages; none is both text of the file and what OCR read.

    The two are laid out apart, for measured type is not of the sizes that a file states.
    """
    lines = without_running_lines([page_lines(page) for page in pages])
    written, recognised = (
        [found for page, found in zip(pages, lines, strict=True) if page.read_by_ocr is by_ocr]
        for by_ocr in (False, True)
    )
    marked = (replace(block, read_by_ocr=True) for block in blocks_of_lines(recognised))
    return sorted((*blocks_of_lines(written), *marked), key=lambda block: block.page)


def _title(stated: str) -> str:
    title = flow_text(stated)[:TITLE_CHARACTERS_MAX].rstrip()
    return "" if _NO_TITLE.match(title) else title


def _values(stated: dict[str, str]) -> Iterator[StatedValue]:
    for key, name in (("Author", "author"), ("Subject", "description")):
        value = stated_value(name, stated.get(key, ""), StatedSource.META, confidence=CONFIDENCE)
        if value.value:
            yield value


def _times(stated: dict[str, str], fetched: PageFetched) -> Iterator[StatedTime]:
    for key, kind in (("CreationDate", StatedKind.PUBLISHED), ("ModDate", StatedKind.MODIFIED)):
        time = _instant(stated.get(key, ""))
        if time is not None and is_plausible(time) and time <= fetched.observed_time:
            yield stated_time(kind, time, StatedSource.META, confidence=CONFIDENCE)


def _instant(text: str) -> datetime | None:
    """Returns an instant as PDF writes it: `D:20240517093000+02'00'`.

    Source: ISO 32000-1, section 7.9.4.
    """
    match = _DATE.match(text.strip())
    if match is None:
        return None
    year, *parts = (int(part) if part else 0 for part in match.groups()[:6])
    hours, minutes = (int(part) if part else 0 for part in match.groups()[8:10])
    offset = timedelta(hours=hours, minutes=minutes) * (-1 if match.group(8) == "-" else 1)
    try:
        zone = timezone(offset)
        month, day, hour, minute, second = parts
        return datetime(year, month or 1, day or 1, hour, minute, second, tzinfo=zone)
    except ValueError:
        return None


def _links(pages: Sequence[PdfPage], fetched: PageFetched) -> Iterator[Link]:
    seen: set[str] = set()
    for page in pages:
        for uri in page.uris:
            try:
                url = canonical_url(uri, fetched.canonical_url)
            except InvalidInput:
                continue
            if url not in seen:
                seen.add(url)
                yield Link(url=url, position=LinkPosition.BODY)
