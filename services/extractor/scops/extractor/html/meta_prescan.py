"""The encoding that a page declares in its own markup.

Source: HTML, section 13.2.3.2, "prescan a byte stream to determine its encoding", with an XML
declaration as in section 13.2.3.5. Differs: more bytes are looked at, because a browser that
meets a late declaration starts again, which comes to the same.
"""

import re
from collections.abc import Iterator

from w3lib.encoding import resolve_encoding

PRESCAN_BYTES = 16 * 1024

_SPACE = b"\t\n\x0c\r "
_COMMENT = b"<!--"
_META = re.compile(rb"<meta[\t\n\x0c\r /]", re.IGNORECASE)
_TAG = re.compile(rb"</?[a-zA-Z][^\t\n\x0c\r >]*")
_MARKUP = re.compile(rb"<[!/?]")
_XML = re.compile(rb"<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"']")
_LABEL = re.compile(rb"[A-Za-z0-9._:+-]{1,40}")
_CHARSET = re.compile(rb"charset[\t\n\x0c\r ]*=[\t\n\x0c\r ]*", re.IGNORECASE)


def declared_encoding(body: bytes) -> str | None:
    """Returns the codec that a body declares, by its first bytes; None where it declares none."""
    head = body[:PRESCAN_BYTES]
    xml = _XML.match(head)
    if xml is not None:
        return _usable(xml[1])
    try:
        return _prescan(head)
    except _EndOfBytes:
        return None


class _EndOfBytes(Exception):
    """The bytes end within a tag: it declares nothing."""


def _prescan(head: bytes) -> str | None:
    position = head.find(b"<")
    while position >= 0:
        if head.startswith(_COMMENT, position):
            # The two dashes that begin a comment may end it too.
            position = _past(head, b"-->", position + 2)
        elif _META.match(head, position):
            found, position = _meta_encoding(head, position + 5)
            if found is not None:
                return found
        elif (tag := _TAG.match(head, position)) is not None:
            attributes = _Attributes(head, tag.end())
            for _ in attributes:
                pass
            position = attributes.position
        elif _MARKUP.match(head, position):
            position = _past(head, b">", position)
        else:
            position += 1
        position = head.find(b"<", position)
    return None


def _meta_encoding(head: bytes, start: int) -> tuple[str | None, int]:
    """Returns what a meta element declares, and where it ends."""
    pragma, needs_pragma, label, seen = False, False, b"", set[bytes]()
    attributes = _Attributes(head, start)
    for name, value in attributes:
        if name in seen:
            continue
        seen.add(name)
        if name == b"http-equiv":
            pragma = value == b"content-type"
        elif name == b"content" and not label and (stated := _content_charset(value)):
            label, needs_pragma = stated, True
        elif name == b"charset":
            label, needs_pragma = value, False
    if not label or (needs_pragma and not pragma):
        return None, attributes.position
    return _usable(label), attributes.position


class _Attributes:
    """The attributes of a tag, lower case; `position` is where they end."""

    def __init__(self, head: bytes, position: int) -> None:
        self.position = position
        self._head = head

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        while True:
            self._skip(_SPACE + b"/")
            if self._byte() == b">":
                return
            yield self._name(), self._value()

    def _name(self) -> bytes:
        start = self.position
        # An equals sign that comes first belongs to the name.
        self.position += 1
        while self._byte() not in b"\t\n\x0c\r />=":
            self.position += 1
        return self._head[start : self.position].lower()

    def _value(self) -> bytes:
        self._skip(_SPACE)
        if self._byte() != b"=":
            return b""
        self.position += 1
        self._skip(_SPACE)
        quote = self._byte()
        if quote in b"\"'":
            start = self.position + 1
            self.position = _past(self._head, quote, start)
            return self._head[start : self.position - 1].lower()
        start = self.position
        while self._byte() not in b"\t\n\x0c\r >":
            self.position += 1
        return self._head[start : self.position].lower()

    def _skip(self, skipped: bytes) -> None:
        while self._byte() in skipped:
            self.position += 1

    def _byte(self) -> bytes:
        if self.position >= len(self._head):
            raise _EndOfBytes
        return self._head[self.position : self.position + 1]


def _content_charset(content: bytes) -> bytes:
    """Returns the label in a `content` attribute, empty where it has none."""
    found = _CHARSET.search(content)
    if found is None:
        return b""
    rest = content[found.end() :]
    if rest[:1] in (b'"', b"'"):
        return rest[1:].partition(rest[:1])[0] if rest[:1] in rest[1:] else b""
    return re.split(rb"[\t\n\x0c\r ;]", rest, maxsplit=1)[0]


def _usable(label: bytes) -> str | None:
    # Labels are compared whole, and w3lib would overlook a stray quote.
    if not _LABEL.fullmatch(label.strip(_SPACE)):
        return None
    found = resolve_encoding(label.decode("ascii").strip())
    # Who can read the declaration byte by byte does not read UTF-16.
    return "utf-8" if found and found.startswith(("utf-16", "utf-32")) else found


def _past(head: bytes, mark: bytes, start: int) -> int:
    found = head.find(mark, start)
    if found < 0:
        raise _EndOfBytes
    return found + len(mark)
