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


class Format(StrEnum):
    """How a body is read."""

    HTML = "html"
    PLAIN = "plain"
    MARKDOWN = "markdown"
    PDF = "pdf"
    DOCX = "docx"
    ODT = "odt"
    EPUB = "epub"
    UNSUPPORTED = "unsupported"


DOCX_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT_TYPE = "application/vnd.oasis.opendocument.text"
EPUB_TYPE = "application/epub+zip"
_FORMATS = {
    "text/html": Format.HTML,
    "application/xhtml+xml": Format.HTML,
    "text/plain": Format.PLAIN,
    "text/markdown": Format.MARKDOWN,
    "text/x-markdown": Format.MARKDOWN,
}
_STATED = {EPUB_TYPE.encode(): Format.EPUB, ODT_TYPE.encode(): Format.ODT}


def body_format(body: bytes, media_type: str) -> Format:
    """Returns how to read a body; a body without a media type is sniffed."""
    start = body[:SNIFFED_BYTES]
    if start.startswith(b"%PDF-"):
        return Format.PDF
    if start.startswith(_ZIP):
        return _archive_format(body)
    if start.startswith(_SIGNATURES):
        return Format.UNSUPPORTED
    essence = media_type.partition(";")[0].strip().lower()
    if essence:
        return _FORMATS.get(essence, Format.UNSUPPORTED)
    if start.lstrip(_SPACE).startswith(b"<"):
        return Format.HTML
    return Format.UNSUPPORTED if b"\x00" in start else Format.PLAIN


def _archive_format(body: bytes) -> Format:
    start = body[:_STATED_BYTES]
    for stated, how in _STATED.items():
        if b"mimetype" + stated in start:
            return how
    return Format.DOCX if b"word/document.xml" in body else Format.UNSUPPORTED
