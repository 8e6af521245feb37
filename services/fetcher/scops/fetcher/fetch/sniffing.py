"""What a body is, by its first bytes and its declared type.

Source: WHATWG MIME Sniffing, sections 5.2, 7.1 and 7.2, for the kinds Scops can read. Differs:
HTML is recognised whatever was declared, because a wrong type is answered by reading the page
rather than by protecting a browser; a binary body is refused whatever was declared.
"""

import re

SNIFFED_BYTES = 1445
"""As WHATWG: enough for every signature; more is never needed to decide."""

HTML = "text/html"
XHTML = "application/xhtml+xml"
PLAIN = "text/plain"
MARKDOWN = "text/markdown"

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT = "application/vnd.oasis.opendocument.text"
EPUB = "application/epub+zip"
JATS = "application/jats+xml"

_READABLE = {
    HTML: HTML,
    XHTML: XHTML,
    PLAIN: PLAIN,
    MARKDOWN: MARKDOWN,
    "text/x-markdown": MARKDOWN,
}

# Declarations that say nothing: the body alone decides.
_UNKNOWN = frozenset(
    {"", "*/*", "application/octet-stream", "application/unknown", "unknown/unknown"}
)

_TEXT_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

# Archives whose first entry states what they are, and one whose server has to.
_STATED_ARCHIVES = {ODT: b"mimetype" + ODT.encode(), EPUB: b"mimetype" + EPUB.encode()}
_ARCHIVE = b"PK\x03\x04"

_BINARY_MARKS = (
    b"%!PS-Adobe-",
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"PK\x03\x04",
    b"\x1f\x8b\x08",
    b"Rar!",
    b"7z\xbc\xaf\x27\x1c",
    b"\x28\xb5\x2f\xfd",
    b"OggS\x00",
    b"\x1aE\xdf\xa3",
    b"wOFF",
    b"wOF2",
)

# A page that says so itself; safe to believe against text/plain.
_DOCUMENT = re.compile(
    rb"(?:<\?xml[^>]{0,200}>\s*+)?(?:<!--(?:(?!-->).){0,1000}+-->\s*+)*+<(?:!doctype\s+html|html)[\s>]",
    re.IGNORECASE | re.DOTALL,
)

# An article of a journal, by its document type or by what its root says (ANSI/NISO Z39.96).
_XML_TYPES = frozenset({"application/xml", "text/xml", JATS})
_ARTICLE = re.compile(
    rb"(?:<\?[^>]{0,200}>\s*+|<!--(?:(?!-->).){0,1000}+-->\s*+)*+"
    rb"(?:<!DOCTYPE\s+article\s[^>\[]{0,300}?//NLM//DTD"
    rb"|(?:<!DOCTYPE\s+article\s[^>\[]{0,400}>\s*+)?"
    rb"<article\s[^>]{0,1200}?(?:dtd-version|article-type)=)",
    re.DOTALL,
)

_HTML_TAG = re.compile(
    rb"(?:<!--|<(?:!doctype\s+html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body"
    rb"|br|p)[\s>])",
    re.IGNORECASE,
)

# WHATWG section 3, binary data byte.
_BINARY_BYTE = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")


def readable_type(*, declared: str, charset: str, head: bytes) -> str | None:
    """Returns the media type to read a body as, or None where Scops cannot read it.

    Args:
        declared: media type of Content-Type, lower case, without parameters; may be empty.
        charset: its charset, lower case; may be empty.
        head: the first `SNIFFED_BYTES` of the body, or all of a shorter one.
    """
    document = _document_type(head[:SNIFFED_BYTES], declared)
    if document is not None:
        return document
    if _is_binary(head[:SNIFFED_BYTES], charset):
        return None
    start = _visible(head[:SNIFFED_BYTES])
    if _DOCUMENT.match(start):
        return XHTML if declared == XHTML else HTML
    if declared in _READABLE:
        return _READABLE[declared]
    if (declared in _XML_TYPES or declared in _UNKNOWN) and _ARTICLE.match(start):
        return JATS
    if declared in _UNKNOWN:
        return HTML if _HTML_TAG.match(start) else PLAIN
    return None


def _document_type(head: bytes, declared: str) -> str | None:
    """Returns the type of a paged or office document; their bytes are never those of a page."""
    if head.startswith(b"%PDF-"):
        return PDF
    if not head.startswith(_ARCHIVE):
        return None
    for name, mark in _STATED_ARCHIVES.items():
        if mark in head:
            return name
    return DOCX if declared == DOCX or b"word/" in head else None


def _is_binary(head: bytes, charset: str) -> bool:
    if head.startswith(_BINARY_MARKS):
        return True
    if head.startswith(_TEXT_MARKS) or charset.startswith(("utf-16", "utf-32")):
        return False
    return _BINARY_BYTE.search(head) is not None


def _visible(head: bytes) -> bytes:
    """Drops the byte order mark, UTF-16's zero bytes and leading white space."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head[2:].replace(b"\x00", b"")
    return head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\t\n\x0c\r ")
