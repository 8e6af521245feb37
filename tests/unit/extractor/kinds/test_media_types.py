"""How a body is read."""

import pytest

from scops.extractor.kinds.media_types import BodyFormat, body_format


@pytest.mark.parametrize(
    ("body", "media_type", "how"),
    [
        (b"<p>", "text/html", BodyFormat.HTML),
        (b"<p>", "Text/HTML; charset=utf-8", BodyFormat.HTML),
        (b"<html>", "application/xhtml+xml", BodyFormat.HTML),
        (b"<p>", "text/plain", BodyFormat.PLAIN),
        (b"# x", "text/markdown", BodyFormat.MARKDOWN),
        (b"<article/>", "application/jats+xml", BodyFormat.JATS),
        (b"<rss/>", "text/xml", BodyFormat.JATS),
        (b"{}", "application/json", BodyFormat.UNSUPPORTED),
        (b"%PDF-1.4", "text/html", BodyFormat.PDF),
        (b"\x1f\x8b\x08", "text/html", BodyFormat.UNSUPPORTED),
        (b" \n<!doctype html>", "", BodyFormat.HTML),
        (b"plain words", "", BodyFormat.PLAIN),
        (b"\x00\x01", "", BodyFormat.UNSUPPORTED),
    ],
)
def test_signature_then_media_type_then_sniffing(
    body: bytes, media_type: str, how: BodyFormat
) -> None:
    """A signature beats the media type; without one the first bytes decide."""
    assert body_format(body, media_type) is how
