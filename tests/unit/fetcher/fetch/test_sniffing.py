"""What a body is read as."""

import pytest

from scops.fetcher.fetch.sniffing import DOCX, JATS, SNIFFED_BYTES, readable_type


@pytest.mark.parametrize(
    ("declared", "head", "expected"),
    [
        ("text/html", b"words without a tag", "text/html"),
        ("text/html", b"", "text/html"),
        (
            "application/xhtml+xml",
            b"<?xml version='1.0'?><html xmlns='x'>",
            "application/xhtml+xml",
        ),
        ("text/plain", b"words", "text/plain"),
        ("text/plain", b"<p>a note that shows a tag", "text/plain"),
        ("text/plain", b"\xef\xbb\xbf  <!DOCTYPE HTML><p>", "text/html"),
        ("text/markdown", b"# Title", "text/markdown"),
        ("text/x-markdown", b"# Title", "text/markdown"),
        ("", b"words", "text/plain"),
        ("", b"  <P class=x>words", "text/html"),
        ("", b"<!-- made by hand --><b>x", "text/html"),
        ("application/octet-stream", b"<html>", "text/html"),
        ("application/octet-stream", b"words", "text/plain"),
        ("image/png", b"<!doctype html>", "text/html"),
        ("text/xml", b"<?xml version='1.0'?>\n<!-- c --><html>", "text/html"),
        ("text/xml", b"<?xml version='1.0'?><rss>", None),
        (
            "application/xml",
            b"<?xml version='1.0'?>\n<!DOCTYPE article PUBLIC '-//NLM//DTD JATS (Z39.96) v1.2//EN' "
            b"'JATS-archivearticle1.dtd'>\n<article>",
            JATS,
        ),
        ("", b'\xef\xbb\xbf<article xmlns:xlink="x" dtd-version="1.3">', JATS),
        (JATS, b"<!-- c --><?pi?><article\n article-type='other'>", JATS),
        (
            "text/xml",
            b"<!DOCTYPE article PUBLIC '-//OASIS//DTD DocBook XML V4.4//EN'><article>",
            None,
        ),
        ("text/xml", b"<article><front>", None),
        ("image/svg+xml", b'<article dtd-version="1.3">', None),
        ("application/json", b"{}", None),
        ("text/html", b"\x1f\x8b\x08\x00", None),
        ("text/html", b"%PDF-1.4", "application/pdf"),
        ("application/zip", b"PK\x03\x04", None),
        (DOCX, b"PK\x03\x04", DOCX),
        ("", b"PK\x03\x04" + b"\0" * 26 + b"mimetypeapplication/epub+zip", "application/epub+zip"),
        ("text/html", b"<p>a\x00b", None),
        ("", b"\x7fELF\x02\x01\x01\x00", None),
    ],
)
def test_readable_type(declared: str, head: bytes, expected: str | None) -> None:
    """Declared and sniffed type decide together; binary is never read."""
    assert expected == readable_type(declared=declared, charset="", head=head)


@pytest.mark.parametrize("charset", ["utf-16", "utf-16le"])
def test_declared_utf16_may_hold_zero_bytes(charset: str) -> None:
    """UTF-16 without a byte order mark is text where the server says so."""
    head = "<html>".encode("utf-16-le")

    assert "text/html" == readable_type(declared="text/html", charset=charset, head=head)


def test_only_the_first_bytes_decide() -> None:
    """WHATWG section 5.2: nothing after the first 1,445 bytes is looked at."""
    head = b"a" * SNIFFED_BYTES + b"\x00"

    assert "text/plain" == readable_type(declared="", charset="", head=head)
