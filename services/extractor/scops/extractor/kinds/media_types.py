"""Media types that can be read, and bodies that are not what their media type says.

Source: WHATWG MIME Sniffing, section 6. Differs: only signatures of what crawls meet; archives
are told apart by what they hold.
"""

from enum import StrEnum

SNIFFED_BYTES = 1_445
_ZIP = b"PK\x03\x04"
_SIGNATURES = (b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"\x1f\x8b", b"OggS")
_SPACE = b"\t\n\x0c\r "
# EPUB and OpenDocument state their type in the first entry, stored as it is; Word does not.
_STATED_BYTES = 200


class BodyFormat(StrEnum):
    """How a body is read."""

    HTML = "html"
    PLAIN = "plain"
    MARKDOWN = "markdown"
    PDF = "pdf"
    DOCX = "docx"
    ODT = "odt"
    EPUB = "epub"
    JATS = "jats"
    UNSUPPORTED = "unsupported"


DOCX_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT_TYPE = "application/vnd.oasis.opendocument.text"
EPUB_TYPE = "application/epub+zip"
JATS_TYPE = "application/jats+xml"
_FORMATS = {
    "text/html": BodyFormat.HTML,
    "application/xhtml+xml": BodyFormat.HTML,
    "text/plain": BodyFormat.PLAIN,
    "text/markdown": BodyFormat.MARKDOWN,
    "text/x-markdown": BodyFormat.MARKDOWN,
    # XML of another kind is unsupported once it is parsed.
    **dict.fromkeys((JATS_TYPE, "application/xml", "text/xml"), BodyFormat.JATS),
}
_STATED = {EPUB_TYPE.encode(): BodyFormat.EPUB, ODT_TYPE.encode(): BodyFormat.ODT}


def body_format(body: bytes, media_type: str) -> BodyFormat:
    """Returns how to read a body; a body without a media type is sniffed."""
    start = body[:SNIFFED_BYTES]
    if start.startswith(b"%PDF-"):
        return BodyFormat.PDF
    if start.startswith(_ZIP):
        return _archive_format(body)
    if start.startswith(_SIGNATURES):
        return BodyFormat.UNSUPPORTED
    essence = media_type.partition(";")[0].strip().lower()
    if essence:
        return _FORMATS.get(essence, BodyFormat.UNSUPPORTED)
    if start.lstrip(_SPACE).startswith(b"<"):
        return BodyFormat.HTML
    return BodyFormat.UNSUPPORTED if b"\x00" in start else BodyFormat.PLAIN


def _archive_format(body: bytes) -> BodyFormat:
    start = body[:_STATED_BYTES]
    for stated, how in _STATED.items():
        if b"mimetype" + stated in start:
            return how
    return BodyFormat.DOCX if b"word/document.xml" in body else BodyFormat.UNSUPPORTED
