"""Bodies that are too large, empty, or not what they say."""

import asyncio

import pytest

from scops.fetcher.adapters.http.page_source import HttpPageSource
from tests.connected.fetcher_http.asking import failed, fetched
from tests.fakes.servers.hostile import HostileServer

MIB = 1024 * 1024
PAGE = b"<!doctype html><title>T</title><p>" + b"An owl sees in the dark. " * 400


async def test_body_of_17_mib_is_too_large(source: HttpPageSource, server: HostileServer) -> None:
    """16 MiB is the most that is read."""
    url = server.answer("/", b"<p>" + b"a " * (17 * MIB // 2))

    assert "BODY_TOO_LARGE" == (await failed(source, url)).reason


async def test_flood_of_header_fields_is_refused(
    source: HttpPageSource, server: HostileServer
) -> None:
    """The number of fields is bounded."""
    flood = b"".join(b"X-%d: y\r\n" % number for number in range(2000))
    url = server.reply("/", b"HTTP/1.1 200 OK\r\n" + flood + b"\r\n<p>")

    assert "HEADERS_TOO_LARGE" == (await failed(source, url)).reason


async def test_one_huge_header_field_is_refused(
    source: HttpPageSource, server: HostileServer
) -> None:
    """The size of a field is bounded."""
    url = server.answer("/", b"<p>", X_Huge="y" * 100_000)

    assert "HEADERS_TOO_LARGE" == (await failed(source, url)).reason


async def test_headers_over_64_kib_together_are_refused(
    source: HttpPageSource, server: HostileServer
) -> None:
    """Few fields of allowed size may still be too much together."""
    fields = {f"X_{number}": "y" * 10_000 for number in range(8)}

    result = await failed(source, server.answer("/", b"<p>", **fields))

    assert "HEADERS_TOO_LARGE" == result.reason


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/html", b"\x89PNG\r\n\x1a\n" + bytes(20)),
        ("text/plain", b"\x00\x01\x02\x03"),
        ("image/png", b"\x89PNG\r\n\x1a\n"),
        ("application/json", b'{"a": 1}'),
        ("text/css", b"body { }"),
        ("application/octet-stream", b"PK\x03\x04" + bytes(30)),
    ],
)
async def test_body_that_is_no_readable_text_is_unsupported(
    source: HttpPageSource, server: HostileServer, content_type: str, body: bytes
) -> None:
    """What is neither text nor a document that the extractor reads is an outcome of its own."""
    result = await failed(source, server.answer("/", body, Content_Type=content_type))

    assert ("UNSUPPORTED_TYPE", False) == (result.reason, result.retryable)


@pytest.mark.parametrize("content_type", ["application/pdf", "text/html"])
async def test_a_pdf_is_known_by_its_first_bytes(
    source: HttpPageSource, server: HostileServer, content_type: str
) -> None:
    """A document is fetched whatever the site calls it."""
    url = server.answer("/", b"%PDF-1.7\n", Content_Type=content_type)

    assert "application/pdf" == (await fetched(source, url)).media_type


async def test_large_binary_is_refused_by_its_first_bytes(
    source: HttpPageSource, server: HostileServer
) -> None:
    """A binary file is not downloaded to its end."""
    written = 0

    async def film(writer: asyncio.StreamWriter) -> None:
        nonlocal written
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n")
        for _ in range(200):
            writer.write(bytes(64 * 1024))
            await writer.drain()
            written += 1

    result = await failed(source, server.reply("/", film))

    assert "UNSUPPORTED_TYPE" == result.reason
    assert written < 200


async def test_html_declared_as_something_else_is_read_as_html(
    source: HttpPageSource, server: HostileServer
) -> None:
    """A wrong type is flagged by both types being told."""
    url = server.answer("/", PAGE, Content_Type="text/plain")

    result = await fetched(source, url)

    assert ("text/html", "text/plain") == (result.media_type, result.declared_media_type)


async def test_missing_content_type_is_sniffed(
    source: HttpPageSource, server: HostileServer
) -> None:
    """Without a declaration the body decides."""
    result = await fetched(source, server.reply("/", b"HTTP/1.1 200 OK\r\n\r\nplain words"))

    assert ("text/plain", "") == (result.media_type, result.charset)


async def test_wrong_charset_is_passed_on_with_the_bytes_untouched(
    source: HttpPageSource, server: HostileServer
) -> None:
    """The charset is as declared; deciding about it is the extractor's."""
    body = "<p>Käuzchen".encode("latin-1")
    url = server.answer("/", body, Content_Type='text/html; charset="UTF-8"')

    result = await fetched(source, url)

    assert (body, "utf-8") == (result.body, result.charset)


async def test_utf16_page_is_text(source: HttpPageSource, server: HostileServer) -> None:
    """Zero bytes of UTF-16 do not make a page binary."""
    body = "<html><p>Eule</p></html>".encode("utf-16")

    assert "text/html" == (await fetched(source, server.answer("/", body))).media_type


async def test_empty_body_is_an_outcome_of_its_own(
    source: HttpPageSource, server: HostileServer
) -> None:
    """An empty 200 does not replace what is known of the page."""
    result = await failed(source, server.answer("/", b""))

    assert ("EMPTY_BODY", False) == (result.reason, result.retryable)
