"""Reads DOCX, ODT and EPUB.

DOCX is turned into HTML by mammoth, ODT with odfdo, and EPUB holds XHTML: all three are read like
a page without navigation.
"""

import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from urllib.parse import unquote
from xml.parsers.expat import ExpatError

import mammoth
from lxml import etree

from scops.common.contract.messages.content import PageKind, StatedValue
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import StatedKind, StatedSource, StatedTime
from scops.extractor.dates.stated import is_plausible, stated_time, stated_value
from scops.extractor.html.markup_reading import TRUNCATED, read_markup
from scops.extractor.library_faults import LIBRARY_FAULTS
from scops.extractor.office.archive import UnsafeArchive, declares_entities, open_archive, read_xml
from scops.extractor.office.odt_markup import odt_html
from scops.extractor.office.word_markup import seen_document
from scops.extractor.reading import ParsedBody
from scops.extractor.text.charset import decode_body
from scops.extractor.text.clean_text import flow_text

MAMMOTH, ODFDO, EPUB = "mammoth", "odfdo", "epub"
UNREADABLE, UNSAFE = "unreadable", "unsafe_archive"
CONFIDENCE = 0.7
CHAPTERS_MAX = 2_000
_FAULTS: tuple[type[Exception], ...] = (
    *LIBRARY_FAULTS,
    zipfile.BadZipFile,
    OSError,
    EOFError,
    NotImplementedError,
    # mammoth reads its parts with it.
    ExpatError,
)

_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_VALUE_NAMES = {"creator": "author", "description": "description", "rights": "license"}
_CORE_TIMES = {
    f"{_TERMS}created": StatedKind.PUBLISHED,
    f"{_DUBLIN_CORE}date": StatedKind.PUBLISHED,
    f"{_TERMS}modified": StatedKind.MODIFIED,
}
# There `dc:date` is the day of the last change.
_ODT_TIMES = {
    "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}creation-date": StatedKind.PUBLISHED,
    f"{_DUBLIN_CORE}date": StatedKind.MODIFIED,
}
_FRACTION = re.compile(r"\.\d+")


def read_docx(body: bytes, fetched: PageFetched) -> ParsedBody:
    """Reads a Word document."""
    return _guarded(_docx, body, fetched)


def read_odt(body: bytes, fetched: PageFetched) -> ParsedBody:
    """Reads an OpenDocument text."""
    return _guarded(_odt, body, fetched)


def read_epub(body: bytes, fetched: PageFetched) -> ParsedBody:
    """Reads an electronic book, chapter by chapter."""
    return _guarded(_epub, body, fetched)


_Reader = Callable[[zipfile.ZipFile, bytes, PageFetched], ParsedBody]


def _guarded(read: _Reader, body: bytes, fetched: PageFetched) -> ParsedBody:
    try:
        with open_archive(body) as archive:
            for name in archive.namelist():
                if name.endswith((".xml", ".opf", ".rels")) and declares_entities(
                    archive.read(name)
                ):
                    raise UnsafeArchive("A part of the archive declares entities.")
            return read(archive, body, fetched)
    except UnsafeArchive:
        return ParsedBody(kind=PageKind.UNSUPPORTED, flags=(UNSAFE,))
    except _FAULTS:
        return ParsedBody(kind=PageKind.UNSUPPORTED, flags=(UNREADABLE,))


def _docx(archive: zipfile.ZipFile, body: bytes, fetched: PageFetched) -> ParsedBody:
    # Pictures would come along as data in the markup.
    ignored = mammoth.images.img_element(lambda image: {"src": ""})
    html = mammoth.convert_to_html(
        seen_document(archive), convert_image=ignored, external_file_access=False
    )
    reading = read_markup(str(html.value), fetched, extractor=MAMMOTH)
    return _with_properties(reading, archive, "docProps/core.xml", fetched, times=_CORE_TIMES)


def _epub(archive: zipfile.ZipFile, body: bytes, fetched: PageFetched) -> ParsedBody:
    package = _package_path(archive)
    chapters = _chapters(archive, package)
    readings = [
        read_markup(_decoded(archive.read(name)), fetched, extractor=EPUB)
        for name in chapters[:CHAPTERS_MAX]
    ]
    blocks = tuple(block for reading in readings for block in reading.blocks)
    links = {link.url: link for reading in readings for link in reading.links}
    raised = {flag for reading in readings for flag in reading.flags}
    if len(chapters) > CHAPTERS_MAX:
        raised.add(TRUNCATED)
    reading = ParsedBody(
        blocks=blocks,
        extractor=EPUB,
        links=tuple(links.values()),
        node_count=sum(reading.node_count for reading in readings),
        depth=max((reading.depth for reading in readings), default=0),
        flags=tuple(sorted(raised)),
    )
    return _with_properties(reading, archive, package, fetched, times=_CORE_TIMES)


def _decoded(chapter: bytes) -> str:
    return decode_body(chapter, media_type="application/xhtml+xml", charset="").text


def _package_path(archive: zipfile.ZipFile) -> str:
    """Returns the path of the package document. Source: EPUB 3.3, section 4.2.6.3."""
    container = read_xml(archive.read("META-INF/container.xml"))
    return str(next(container.iter("{*}rootfile")).get("full-path") or "")


def _chapters(archive: zipfile.ZipFile, package: str) -> list[str]:
    """Returns the paths of the chapters in reading order; the table of contents is none."""
    root = read_xml(archive.read(package))
    items = {item.get("id"): item for item in root.iter("{*}item")}
    chapters = []
    for reference in root.iter("{*}itemref"):
        item = items.get(reference.get("idref"))
        if item is None or "nav" in (item.get("properties") or "").split():
            continue
        path = posixpath.join(posixpath.dirname(package), unquote(item.get("href") or ""))
        chapters.append(posixpath.normpath(path))
    return [path for path in chapters if path in archive.NameToInfo]


def _odt(archive: zipfile.ZipFile, body: bytes, fetched: PageFetched) -> ParsedBody:
    reading = read_markup(odt_html(body, archive), fetched, extractor=ODFDO)
    return _with_properties(reading, archive, "meta.xml", fetched, times=_ODT_TIMES)


def _with_properties(
    reading: ParsedBody,
    archive: zipfile.ZipFile,
    part: str,
    fetched: PageFetched,
    *,
    times: Mapping[str, StatedKind],
) -> ParsedBody:
    """Returns a reading with what the document's properties say of it."""
    if part not in archive.NameToInfo:
        return reading
    root = read_xml(archive.read(part))
    title = next((flow_text(entry.text or "") for entry in root.iter(f"{_DUBLIN_CORE}title")), "")
    language = next((entry.text or "" for entry in root.iter(f"{_DUBLIN_CORE}language")), "")
    stated = (time for time in _times(root, times) if time.time <= fetched.observed_time)
    return replace(
        reading,
        title=title,
        language=language.strip().lower()[:2],
        values=tuple(value for value in _values(root) if value.value),
        stated=tuple(stated),
    )


def _values(root: etree._Element) -> Iterator[StatedValue]:
    for key, name in _VALUE_NAMES.items():
        for entry in root.iter(f"{_DUBLIN_CORE}{key}"):
            yield stated_value(name, entry.text or "", StatedSource.META, confidence=CONFIDENCE)


def _times(root: etree._Element, names: Mapping[str, StatedKind]) -> Iterator[StatedTime]:
    seen: set[StatedKind] = set()
    for key, kind in names.items():
        for entry in root.iter(key):
            time = _instant(entry.text or "")
            if time is not None and is_plausible(time) and kind not in seen:
                seen.add(kind)
                yield stated_time(kind, time, StatedSource.META, confidence=CONFIDENCE)


def _instant(text: str) -> datetime | None:
    try:
        # OpenDocument may write nanoseconds.
        return datetime.fromisoformat(_FRACTION.sub("", text.strip()))
    except ValueError:
        return None
