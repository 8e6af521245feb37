"""How a body is read."""

import pytest

from scops.extractor.kinds.media_types import Format, body_format


@pytest.mark.parametrize(
    ("body", "media_type", "how"),
    [
        (b"<p>", "text/html", Format.HTML),
        (b"<p>", "Text/HTML; charset=utf-8", Format.HTML),
        (b"<html>", "application/xhtml+xml", Format.HTML),
        (b"<p>", "text/plain", Format.PLAIN),
        (b"# x", "text/markdown", Format.MARKDOWN),
        (b"{}", "application/json", Format.UNSUPPORTED),
        (b"%PDF-1.4", "text/html", Format.PDF),
        (b"\x1f\x8b\x08", "text/html", Format.UNSUPPORTED),
        (b" \n<!doctype html>", "", Format.HTML),
        (b"plain words", "", Format.PLAIN),
        (b"\x00\x01", "", Format.UNSUPPORTED),
    ],
)
def test_signature_then_media_type_then_sniffing(body: bytes, media_type: str, how: Format) -> None:
    """A signature beats the media type; without one the first bytes decide."""
    assert body_format(body, media_type) is how
