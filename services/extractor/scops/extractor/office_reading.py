"""Reads DOCX, ODT and EPUB.

DOCX is turned into HTML by mammoth and EPUB holds XHTML, so that both are read like a page
without navigation; ODT is read by odfdo, element by element.
"""

import posixpath
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from urllib.parse import unquote

import mammoth
from lxml import etree
from odfdo import Document as OdfDocument
from odfdo import Element as OdfElement

from scops.common.messages.content import BlockKind, PageKind, StatedValue
from scops.common.messages.types import StatedKind, StatedSource, StatedTime
from scops.extractor.clean_text import RawBlock, flow_text
from scops.extractor.html_blocks import CELL_SEPARATOR, html_blocks
from scops.extractor.html_tree import parse_html
from scops.extractor.library_faults import LIBRARY_FAULTS
from scops.extractor.links import page_links, place_links
from scops.extractor.office_archive import UnsafeArchive, declares_entities, open_archive
from scops.extractor.ports import BodyFacts
from scops.extractor.reading import Reading
from scops.extractor.regions import remove_unseen

MAMMOTH, ODFDO, EPUB = "mammoth", "odfdo", "epub"
UNREADABLE, UNSAFE, TRUNCATED = "unreadable", "unsafe_archive", "truncated"
CONFIDENCE = 0.7
CHAPTERS_MAX = 2_000
HEADING_LEVELS_MAX = 6
_FAULTS: tuple[type[Exception], ...] = (
    *LIBRARY_FAULTS,
    zipfile.BadZipFile,
    OSError,
    EOFError,
    NotImplementedError,
)

_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_VALUE_NAMES = {"creator": "author", "description": "description", "rights": "license"}
_TIME_NAMES = {
    f"{_TERMS}created": StatedKind.PUBLISHED,
    f"{_DUBLIN_CORE}date": StatedKind.PUBLISHED,
    f"{_TERMS}modified": StatedKind.MODIFIED,
    "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}creation-date": StatedKind.PUBLISHED,
}


def read_docx(body: bytes, facts: BodyFacts) -> Reading:
    """Reads a Word document."""
    return _guarded(_docx, body, facts)


def read_odt(body: bytes, facts: BodyFacts) -> Reading:
    """Reads an OpenDocument text."""
    return _guarded(_odt, body, facts)


def read_epub(body: bytes, facts: BodyFacts) -> Reading:
    """Reads an electronic book, chapter by chapter."""
    return _guarded(_epub, body, facts)


_Reader = Callable[[zipfile.ZipFile, bytes, BodyFacts], Reading]


def _guarded(read: _Reader, body: bytes, facts: BodyFacts) -> Reading:
    try:
        with open_archive(body) as archive:
            for name in archive.namelist():
                if name.endswith((".xml", ".opf", ".rels")) and declares_entities(
                    archive.read(name)
                ):
                    raise UnsafeArchive("A part of the archive declares entities.")
            return read(archive, body, facts)
    except UnsafeArchive:
        return Reading(kind=PageKind.UNSUPPORTED, flags=(UNSAFE,))
    except _FAULTS:
        return Reading(kind=PageKind.UNSUPPORTED, flags=(UNREADABLE,))


def _docx(archive: zipfile.ZipFile, body: bytes, facts: BodyFacts) -> Reading:
    # Pictures would come along as data in the markup.
    ignored = mammoth.images.img_element(lambda image: {"src": ""})
    html = mammoth.convert_to_html(BytesIO(body), convert_image=ignored, external_file_access=False)
    reading = _from_html(str(html.value), MAMMOTH, facts)
    return _with_properties(reading, archive, "docProps/core.xml", facts)


def _epub(archive: zipfile.ZipFile, body: bytes, facts: BodyFacts) -> Reading:
    package = _package_path(archive)
    chapters = _chapters(archive, package)
    parts = [archive.read(name).decode("utf-8", "replace") for name in chapters[:CHAPTERS_MAX]]
    readings = [_from_html(part, EPUB, facts) for part in parts]
    blocks = tuple(block for reading in readings for block in reading.blocks)
    links = {link.url: link for reading in readings for link in reading.links}
    reading = Reading(
        blocks=blocks,
        extractor=EPUB,
        links=tuple(links.values()),
        node_count=sum(reading.node_count for reading in readings),
        depth=max((reading.depth for reading in readings), default=0),
        flags=(TRUNCATED,) if len(chapters) > CHAPTERS_MAX else (),
    )
    return _with_properties(reading, archive, package, facts)


def _package_path(archive: zipfile.ZipFile) -> str:
    """Returns the path of the package document. Source: EPUB 3.3, section 4.2.6.3."""
    container = _xml(archive.read("META-INF/container.xml"))
    return str(next(container.iter("{*}rootfile")).get("full-path") or "")


def _chapters(archive: zipfile.ZipFile, package: str) -> list[str]:
    """Returns the paths of the chapters in reading order; the table of contents is none."""
    root = _xml(archive.read(package))
    items = {item.get("id"): item for item in root.iter("{*}item")}
    chapters = []
    for reference in root.iter("{*}itemref"):
        item = items.get(reference.get("idref"))
        if item is None or "nav" in (item.get("properties") or "").split():
            continue
        path = posixpath.join(posixpath.dirname(package), unquote(item.get("href") or ""))
        chapters.append(posixpath.normpath(path))
    return [path for path in chapters if path in archive.NameToInfo]


def _odt(archive: zipfile.ZipFile, body: bytes, facts: BodyFacts) -> Reading:
    document = OdfDocument(BytesIO(body))
    blocks = tuple(block for block in _odf_blocks(document.body) if block.text)
    reading = Reading(blocks=blocks, extractor=ODFDO)
    return _with_properties(reading, archive, "meta.xml", facts)


def _odf_blocks(parent: OdfElement, kind: BlockKind = BlockKind.PARAGRAPH) -> Iterator[RawBlock]:
    for element in parent.children:
        tag = element.tag
        if tag == "text:h":
            level = min(int(element.get_attribute_integer("text:outline-level") or 1), 6)
            yield RawBlock(kind=BlockKind.HEADING, text=_odf_text(element), level=level)
        elif tag == "text:p":
            yield RawBlock(kind=kind, text=_odf_text(element))
        elif tag == "table:table-row":
            cells = [_odf_text(cell) for cell in element.children]
            while cells and not cells[-1]:
                cells.pop()
            yield RawBlock(kind=BlockKind.TABLE_ROW, text=CELL_SEPARATOR.join(cells))
        elif tag in ("text:list", "text:list-item"):
            yield from _odf_blocks(element, BlockKind.LIST_ITEM)
        elif tag not in ("text:tracked-changes", "text:table-of-content", "office:annotation"):
            yield from _odf_blocks(element, kind)


def _odf_text(element: OdfElement) -> str:
    return flow_text(str(element.text_recursive))


def _from_html(html: str, extractor: str, facts: BodyFacts) -> Reading:
    tree = parse_html(html)
    if tree is None:
        return Reading(extractor=extractor)
    links = page_links(tree.root, url=facts.url)
    remove_unseen(tree.root)
    found = html_blocks(tree.root)
    return Reading(
        blocks=tuple(found.blocks),
        extractor=extractor,
        links=place_links(links, found.places, found.blocks),
        node_count=tree.node_count,
        depth=found.depth,
    )


def _with_properties(
    reading: Reading, archive: zipfile.ZipFile, part: str, facts: BodyFacts
) -> Reading:
    """Returns a reading with what the document's properties say of it."""
    if part not in archive.NameToInfo:
        return reading
    root = _xml(archive.read(part))
    title = next((flow_text(entry.text or "") for entry in root.iter(f"{_DUBLIN_CORE}title")), "")
    language = next((entry.text or "" for entry in root.iter(f"{_DUBLIN_CORE}language")), "")
    return replace(
        reading,
        title=title,
        language=language.strip().lower()[:2],
        values=tuple(_values(root)),
        stated=tuple(time for time in _times(root) if time.time <= facts.observed_time),
    )


def _values(root: etree._Element) -> Iterator[StatedValue]:
    for key, name in _VALUE_NAMES.items():
        for entry in root.iter(f"{_DUBLIN_CORE}{key}"):
            value = flow_text(entry.text or "")
            if value:
                yield StatedValue(
                    name=name, value=value, source=StatedSource.META, confidence=CONFIDENCE
                )


def _times(root: etree._Element) -> Iterator[StatedTime]:
    seen: set[StatedKind] = set()
    for key, kind in _TIME_NAMES.items():
        for entry in root.iter(key):
            time = _instant(entry.text or "")
            if time is not None and kind not in seen:
                seen.add(kind)
                yield StatedTime(
                    kind=kind, time=time, source=StatedSource.META, confidence=CONFIDENCE
                )


def _instant(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text.strip())
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _xml(part: bytes) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    return etree.fromstring(part, parser)
