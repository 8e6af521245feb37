"""Headers of hostile origin."""

from datetime import UTC, datetime

import pytest

from scops.fetcher.adapters.http.headers import (
    charset,
    header_text,
    http_time,
    location_text,
    media_type,
    validator,
)


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        ("text/html; charset=utf-8", ("text/html", "utf-8")),
        ("TEXT/HTML;Charset='ISO-8859-1'", ("text/html", "iso-8859-1")),
        ('text/plain; a="b"; charset="windows-1252"', ("text/plain", "windows-1252")),
        ("text/html;charset=", ("text/html", "")),
        ("html", ("", "")),
        ("", ("", "")),
        ("text/html, text/plain", ("", "")),
        (f"text/{'x' * 5000}", ("", "")),
    ],
)
def test_content_type_is_taken_apart(content_type: str, expected: tuple[str, str]) -> None:
    """RFC 9110 section 8.3; what is malformed counts as not sent."""
    assert expected == (media_type(content_type), charset(content_type))


def test_header_text_is_valid_unicode_without_control_characters() -> None:
    """A surrogate or a control character must not reach a message or a terminal."""
    assert "a\N{REPLACEMENT CHARACTER}b" == header_text(" a\udce9\x1b\x07b ")


def test_header_text_is_bounded() -> None:
    """A header may be 16 KiB, a message field not."""
    assert 1000 == len(header_text("x" * 16_000))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"abc"', '"abc"'),
        (' W/"a b" ', 'W/"a b"'),
        ('"a\r\nX: y"', ""),
        ('"\udce9"', ""),
        ("x" * 501, ""),
        ("", ""),
    ],
)
def test_validator_can_be_sent_back(value: str, expected: str) -> None:
    """What could break a request is not kept."""
    assert expected == validator(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Tue, 02 Jan 2024 03:04:05 GMT", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("Tue, 02 Jan 2024 03:04:05 +0200", datetime(2024, 1, 2, 1, 4, 5, tzinfo=UTC)),
        ("Tue, 02 Jan 2024 03:04:05 -0000", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("Tue, 99 Jan 2024 03:04:05 GMT", None),
        ("0", None),
        ("", None),
    ],
)
def test_http_time(value: str, expected: datetime | None) -> None:
    """RFC 9110 section 5.6.7, leniently; nonsense counts as not sent."""
    assert expected == http_time(value)


@pytest.mark.parametrize(
    ("raw", "expected"), [("/é", "/é"), ("/\udce9", "/é"), ("/\udcc3\udca9", "/é")]
)
def test_location_bytes_become_text(raw: str, expected: str) -> None:
    """UTF-8 where it is valid, else Latin-1."""
    assert expected == location_text(raw)
