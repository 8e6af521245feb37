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
from scops.common.contract.messages.types import StatedSource
from scops.extractor.dates.stated_dates import outside_times
from scops.extractor.html.markup_reading import TRUNCATED
from scops.extractor.html.metadata import CONFIDENCE, robots_wishes, text_language
from scops.extractor.html.reading import NOARCHIVE, read_html
from scops.extractor.kinds.media_types import Format, body_format
from scops.extractor.kinds.page_kind import page_kind
from scops.extractor.ports import BodyFacts, PackedExtraction
from scops.extractor.reading import Reading
from scops.extractor.text.charset import decode_body
from scops.extractor.text.clean_text import CleanText, assemble
from scops.extractor.text.plain_text import read_markdown, read_plain

TEXT_CHARACTERS_MAX = 2_000_000

REPLACEMENT_CHARACTERS = "replacement_characters"
INSTRUCTION_LIKE = "instruction_like"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What a body holds; `text[block.start:block.end]` is each block of the document."""

    kind: PageKind
    text: str
    document: Document
    links: LinkList


def extract(
    body: bytes,
    facts: BodyFacts,
    *,
    text_characters_max: int = TEXT_CHARACTERS_MAX,
    keep_noindex: bool = False,
) -> Extraction:
    """Extracts a body.

    The text of a page that asks not to be indexed is empty; pages of the other kinds keep what
    text they have.

    Args:
        keep_noindex: measures what the page holds whatever it asks for; for benchmarks.
    """
    reading = _read(body, facts)
    noindex = reading.noindex and not keep_noindex
    blocks = () if noindex else reading.blocks
    clean = assemble(blocks, characters_max=text_characters_max)
    return Extraction(
        kind=PageKind.NOINDEX if noindex else _kind(reading, clean.text),
        text=clean.text,
        document=_document(reading, clean),
        links=_links(reading),
    )


def _links(reading: Reading) -> LinkList:
    stated = (value.value for value in reading.values if value.name == "canonical_url")
    if reading.nofollow:
        return LinkList(links=reading.links, nofollow=True, canonical_url=next(stated, ""))
    return LinkList(
        links=reading.links,
        canonical_url=next(stated, ""),
        alternate_urls=tuple(alternate.url for alternate in reading.alternates),
        feed_urls=reading.feeds,
    )


def pack(extraction: Extraction) -> PackedExtraction:
    """Returns an extraction as it is stored."""
    document = extraction.document
    return PackedExtraction(
        kind=extraction.kind,
        text=extraction.text.encode(),
        document=wire.encode(document),
        links=wire.encode(extraction.links),
        title=document.title,
        language=document.language,
        stated=document.stated,
        flags=document.flags,
        extractor=document.extractor,
        trust=(
            TrustTier.INSTRUCTION_LIKE
            if INSTRUCTION_LIKE in document.flags
            else TrustTier.UNSPECIFIED
        ),
    )


def _read(body: bytes, facts: BodyFacts) -> Reading:
    how = body_format(body, facts.media_type)
    if how is Format.UNSUPPORTED:
        return Reading(kind=PageKind.UNSUPPORTED)
    if how in _DECODED:
        decoded = decode_body(body, media_type=facts.media_type, charset=facts.charset)
        reading = _DECODED[how](decoded, facts)
        damaged = (REPLACEMENT_CHARACTERS,) if decoded.damaged else ()
        reading = replace(reading, flags=(*reading.flags, *damaged))
    else:
        reading = _reader(how)(body, facts)
    return reading if how is Format.HTML else _with_headers(reading, facts)


_DECODED = {Format.HTML: read_html, Format.PLAIN: read_plain, Format.MARKDOWN: read_markdown}


def _reader(how: Format) -> Callable[[bytes, BodyFacts], Reading]:
    """Returns the reader of a rarer format.

    Its library is loaded when the first such body comes: every parsing process would hold it.
    """
    module, name = _READERS[how]
    return cast("Callable[[bytes, BodyFacts], Reading]", getattr(import_module(module), name))


_READERS = {
    Format.PDF: ("scops.extractor.pdf.reading", "read_pdf"),
    Format.DOCX: ("scops.extractor.office.reading", "read_docx"),
    Format.ODT: ("scops.extractor.office.reading", "read_odt"),
    Format.EPUB: ("scops.extractor.office.reading", "read_epub"),
}


def _with_headers(reading: Reading, facts: BodyFacts) -> Reading:
    """Returns what is no HTML with what the server says of it."""
    wishes = robots_wishes({}, robots_tag=facts.robots_tag)
    times = tuple(time for time in outside_times(facts) if time.time <= facts.observed_time)
    return replace(
        reading,
        stated=(*reading.stated, *times),
        noindex=wishes.noindex,
        nofollow=wishes.nofollow,
        links=() if wishes.nofollow else reading.links,
        flags=(*reading.flags, NOARCHIVE) if wishes.noarchive else reading.flags,
    )


def _kind(reading: Reading, text: str) -> PageKind:
    if reading.kind is not None:
        return reading.kind
    if reading.signs is not None:
        return page_kind(reading.signs, text)
    return PageKind.ARTICLE if text else PageKind.EMPTY


def _document(reading: Reading, clean: CleanText) -> Document:
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
