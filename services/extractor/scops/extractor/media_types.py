"""Media types that can be read, and bodies that are not what their media type says.

Source: WHATWG MIME Sniffing, section 6. Differs: only signatures of what crawls meet.
"""

from enum import StrEnum

SNIFFED_BYTES = 1_445
_SIGNATURES = (b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"\x1f\x8b", b"OggS")
_SPACE = b"\t\n\x0c\r "


class Format(StrEnum):
    """How a body is read."""

    HTML = "html"
    PLAIN = "plain"
    MARKDOWN = "markdown"
    UNSUPPORTED = "unsupported"


_FORMATS = {
    "text/html": Format.HTML,
    "application/xhtml+xml": Format.HTML,
    "text/plain": Format.PLAIN,
    "text/markdown": Format.MARKDOWN,
    "text/x-markdown": Format.MARKDOWN,
}


def body_format(body: bytes, media_type: str) -> Format:
    """Returns how to read a body; a body without a media type is sniffed."""
    start = body[:SNIFFED_BYTES]
    if start.startswith(_SIGNATURES):
        return Format.UNSUPPORTED
    essence = media_type.partition(";")[0].strip().lower()
    if essence:
        return _FORMATS.get(essence, Format.UNSUPPORTED)
    if start.lstrip(_SPACE).startswith(b"<"):
        return Format.HTML
    return Format.UNSUPPORTED if b"\x00" in start else Format.PLAIN
