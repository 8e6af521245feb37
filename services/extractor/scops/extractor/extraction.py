"""Extraction: a pure function from a body to its text, structure, dates and links."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import cast

from scops.common.contract import wire
from scops.common.contract.messages.content import (
    BlockKind,
    Document,
    LinkList,
    PageKind,
    StatedValue,
    TrustTier,
)
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import StatedSource
from scops.extractor.dates.stated_dates import outside_times
from scops.extractor.html.markup_reading import TRUNCATED
from scops.extractor.html.metadata import CONFIDENCE, robots_wishes, text_language
from scops.extractor.html.reading import NOARCHIVE, read_html
from scops.extractor.kinds.media_types import BodyFormat, body_format
from scops.extractor.kinds.page_kind import page_kind
from scops.extractor.ocr import READ_BY_OCR, Ocr
from scops.extractor.pipeline import PIPELINE_VERSION
from scops.extractor.ports import PackedExtraction
from scops.extractor.reading import ParsedBody
from scops.extractor.text.charset import decode_body
from scops.extractor.text.clean_text import CleanText, assemble
from scops.extractor.text.injection import INSTRUCTION_LIKE
from scops.extractor.text.plain_text import read_markdown, read_plain

TEXT_CHARACTERS_MAX = 2_000_000

REPLACEMENT_CHARACTERS = "replacement_characters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What a body holds; `text[block.start:block.end]` is each block of the document.

    Attributes:
        pipeline_version: of what read it.
    """

    kind: PageKind
    text: str
    document: Document
    links: LinkList
    pipeline_version: str = PIPELINE_VERSION


def extract(
    body: bytes,
    fetched: PageFetched,
    *,
    text_characters_max: int = TEXT_CHARACTERS_MAX,
    keep_noindex: bool = False,
    ocr: Ocr | None = None,
) -> Extraction:
    """Extracts a body.

    The text of a page that asks not to be indexed is empty; pages of the other kinds keep what
    text they have.

    Args:
        keep_noindex: reads what the page holds whatever it asks crawlers for; of captures, of
            what a credential fetched, and for benchmarks.
        ocr: reads scanned pages; None leaves them unread.
    """
    reading = _read(body, fetched, ocr)
    noindex = reading.noindex and not keep_noindex
    blocks = () if noindex else reading.blocks
    clean = assemble(blocks, characters_max=text_characters_max)
    return Extraction(
        kind=PageKind.NOINDEX if noindex else _kind(reading, clean.text),
        text=clean.text,
        document=_document(reading, clean),
        links=_links(reading),
        pipeline_version=_pipeline_version(reading, ocr),
    )


def _pipeline_version(reading: ParsedBody, ocr: Ocr | None) -> str:
    """Returns what read a body: another release of tesseract may read other words."""
    if ocr is None or READ_BY_OCR not in reading.flags:
        return PIPELINE_VERSION
    return f"{PIPELINE_VERSION}+{ocr.pipeline}"


def _links(reading: ParsedBody) -> LinkList:
    stated = (value.value for value in reading.values if value.name == "canonical_url")
    if reading.nofollow:
        return LinkList(links=reading.links, nofollow=True, canonical_url=next(stated, ""))
    return LinkList(
        links=reading.links,
        canonical_url=next(stated, ""),
        alternate_urls=tuple(alternate.url for alternate in reading.alternates),
        feed_urls=reading.feeds,
        search_index_urls=reading.search_indexes,
    )


def pack(extraction: Extraction) -> PackedExtraction:
    """Returns an extraction as it is stored."""
    document = extraction.document
    return PackedExtraction(
        kind=extraction.kind,
        head=replace(document, blocks=(), values=(), alternates=()),
        text=extraction.text.encode(),
        document=wire.encode(document),
        links=wire.encode(extraction.links),
        pipeline_version=extraction.pipeline_version,
    )


def _read(body: bytes, fetched: PageFetched, ocr: Ocr | None) -> ParsedBody:
    how = body_format(body, fetched.body.media_type)
    if how is BodyFormat.UNSUPPORTED:
        return ParsedBody(kind=PageKind.UNSUPPORTED)
    if how in _DECODED:
        decoded = decode_body(
            body, media_type=fetched.body.media_type, charset=fetched.body.charset
        )
        reading = _DECODED[how](decoded, fetched)
        damaged = (REPLACEMENT_CHARACTERS,) if decoded.damaged else ()
        reading = replace(reading, flags=(*reading.flags, *damaged))
    else:
        options = {"ocr": ocr} if how is BodyFormat.PDF else {}
        reading = _reader(how)(body, fetched, **options)
    return reading if how is BodyFormat.HTML else _with_headers(reading, fetched)


_DECODED = {
    BodyFormat.HTML: read_html,
    BodyFormat.PLAIN: read_plain,
    BodyFormat.MARKDOWN: read_markdown,
}


def _reader(how: BodyFormat) -> Callable[..., ParsedBody]:
    """Returns the reader of a rarer format.

    Its library is loaded when the first such body comes: every parsing process would hold it.
    """
    module, name = _READERS[how]
    return cast("Callable[..., ParsedBody]", getattr(import_module(module), name))


_READERS = {
    BodyFormat.PDF: ("scops.extractor.pdf.reading", "read_pdf"),
    BodyFormat.DOCX: ("scops.extractor.office.reading", "read_docx"),
    BodyFormat.ODT: ("scops.extractor.office.reading", "read_odt"),
    BodyFormat.EPUB: ("scops.extractor.office.reading", "read_epub"),
    BodyFormat.JATS: ("scops.extractor.jats.reading", "read_jats"),
}


def _with_headers(reading: ParsedBody, fetched: PageFetched) -> ParsedBody:
    """Returns what is no HTML with what the server says of it."""
    wishes = robots_wishes({}, robots_tag=fetched.robots_tag)
    times = tuple(time for time in outside_times(fetched) if time.time <= fetched.observed_time)
    return replace(
        reading,
        stated=(*reading.stated, *times),
        noindex=wishes.noindex,
        nofollow=wishes.nofollow,
        links=() if wishes.nofollow else reading.links,
        flags=(*reading.flags, NOARCHIVE) if wishes.noarchive else reading.flags,
    )


def _kind(reading: ParsedBody, text: str) -> PageKind:
    if reading.kind is not None:
        return reading.kind
    if reading.signs is not None:
        return page_kind(reading.signs, text)
    return PageKind.ARTICLE if text else PageKind.EMPTY


def _document(reading: ParsedBody, clean: CleanText) -> Document:
    flags = list(reading.flags)
    if clean.truncated and TRUNCATED not in flags:
        flags.insert(0, TRUNCATED)
    if any(block.trust is TrustTier.INSTRUCTION_LIKE for block in clean.blocks):
        flags.append(INSTRUCTION_LIKE)
    language = text_language(clean.text, declared=reading.language)
    return Document(
        title=reading.title or _first_heading(clean),
        language=language,
        blocks=clean.blocks,
        stated=reading.stated,
        flags=tuple(flags),
        values=(*reading.values, *_language_value(language, reading.language)),
        alternates=reading.alternates,
        extractor=reading.extractor,
        page_count=reading.page_count,
        node_count=reading.node_count,
        depth=reading.depth,
    )


def _language_value(language: str, declared: str) -> tuple[StatedValue, ...]:
    if not language:
        return ()
    source = StatedSource.META if language == declared else StatedSource.TEXT
    confidence = CONFIDENCE[source]
    return (StatedValue(name="language", value=language, source=source, confidence=confidence),)


def _first_heading(clean: CleanText) -> str:
    for block in clean.blocks:
        if block.kind is BlockKind.HEADING:
            return clean.text[block.start : block.end]
    return ""
