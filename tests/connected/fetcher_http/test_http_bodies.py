"""Bodies that are too large, too slow, damaged, or not what they say."""

import asyncio
import gzip
import os
import zlib
from dataclasses import replace

import brotli  # type: ignore[import-untyped]
import pytest
import zstandard

from scops.fetcher.adapters.http_page_source import HttpPageSource
from scops.fetcher.page_source import Failed, Fetched, FetchRequest, FetchResult
from tests.connected.fetcher_http.conftest import FAST, MakeSource
from tests.fakes.hostile_server import HostileServer

MIB = 1024 * 1024
PAGE = b"<!doctype html><title>T</title><p>" + b"An owl sees in the dark. " * 400


def compress_zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


def endless_zstd_bomb() -> bytes:
    """Blocks of 4 bytes that repeat one byte 128 KiB times (RFC 8878 section 3.1.1.2)."""
    frame_header = b"\x28\xb5\x2f\xfd" + b"\x00" + b"\x38"
    block = ((128 * 1024 << 3) | 0b010).to_bytes(3, "little") + b"a"
    return frame_header + block * 4096


async def fetch(source: HttpPageSource, url: str) -> FetchResult:
    return await source.fetch(FetchRequest(url=url))


async def failed(source: HttpPageSource, url: str) -> Failed:
    result = await fetch(source, url)
    assert isinstance(result, Failed), result
    return result


async def fetched(source: HttpPageSource, url: str) -> Fetched:
    result = await fetch(source, url)
    assert isinstance(result, Fetched), result
    return result


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [
        ("identity", bytes),
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("GZIP, identity", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", raw_deflate),
        ("br", brotli.compress),
        ("zstd", compress_zstd),
    ],
)
async def test_one_content_encoding_is_removed(
    source: HttpPageSource, server: HostileServer, encoding: str, compress: object
) -> None:
    """RFC 9110 section 8.4: each encoding that we ask for gives the page."""
    url = server.answer("/", compress(PAGE), Content_Encoding=encoding)  # type: ignore[operator]

    assert PAGE == (await fetched(source, url)).body


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(PAGE[:4000]) + gzip.compress(PAGE[4000:])),
        ("gzip", gzip.compress(PAGE) + b"\x00" * 100),
        ("zstd", compress_zstd(PAGE[:4000]) + compress_zstd(PAGE[4000:])),
    ],
)
async def test_members_and_padding_are_read_through(
    source: HttpPageSource, server: HostileServer, encoding: str, body: bytes
) -> None:
    """RFC 1952 section 2.2, RFC 8878 section 3: several members or frames are one body."""
    url = server.answer("/", body, Content_Encoding=encoding)

    assert PAGE == (await fetched(source, url)).body


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(b"a" * 64 * MIB)),
        ("deflate", zlib.compress(b"a" * 64 * MIB)),
        ("br", brotli.compress(b"a" * 64 * MIB, quality=5)),
        ("zstd", compress_zstd(b"a" * 64 * MIB)),
        ("zstd", endless_zstd_bomb()),
    ],
)
async def test_decompression_bomb_is_not_unpacked(
    source: HttpPageSource, server: HostileServer, encoding: str, body: bytes
) -> None:
    """CVE-2025-69223: past 1 MiB, more than 100 bytes out for one in stops the fetch."""
    url = server.answer("/", body, Content_Encoding=encoding, Content_Type="text/plain")

    result = await failed(source, url)

    assert ("RATIO_TOO_HIGH", False) == (result.reason, result.retryable)


async def test_flood_of_empty_members_is_refused(
    source: HttpPageSource, server: HostileServer
) -> None:
    """Members that give nothing are bounded too."""
    url = server.answer("/", gzip.compress(b"") * 5000, Content_Encoding="gzip")

    assert "BAD_ENCODING" == (await failed(source, url)).reason


@pytest.mark.parametrize("encoding", ["gzip, gzip", "gzip, br", "compress", "aes128gcm", "utf-8"])
async def test_second_or_unknown_content_encoding_is_refused(
    source: HttpPageSource, server: HostileServer, encoding: str
) -> None:
    """At most one layer, of an encoding that was asked for."""
    url = server.answer("/", gzip.compress(gzip.compress(PAGE)), Content_Encoding=encoding)

    assert "UNSUPPORTED_ENCODING" == (await failed(source, url)).reason


async def test_two_content_encoding_lines_count_as_two(
    source: HttpPageSource, server: HostileServer
) -> None:
    """RFC 9110 section 5.3: two lines are one list."""
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Encoding: gzip\r\n\r\n"
    url = server.reply("/", head + gzip.compress(gzip.compress(PAGE)))

    assert "UNSUPPORTED_ENCODING" == (await failed(source, url)).reason


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", PAGE),
        ("gzip", gzip.compress(PAGE)[:-20]),
        ("deflate", zlib.compress(PAGE)[:-20]),
        ("deflate", b"x"),
        ("br", b"\xff" * 100),
        ("br", brotli.compress(PAGE)[:-10]),
        ("zstd", PAGE),
        ("zstd", compress_zstd(PAGE)[:-10]),
        (
            "zstd",
            zstandard.ZstdCompressor(
                compression_params=zstandard.ZstdCompressionParameters(window_log=27)
            )
            .compressobj()
            .compress(os.urandom(300_000))
            or b"\x28\xb5\x2f\xfd",
        ),
    ],
    ids=lambda value: None if isinstance(value, str) else "body",
)
async def test_damaged_encoding_fails(
    source: HttpPageSource, server: HostileServer, encoding: str, body: bytes
) -> None:
    """Half a text is no version of the page."""
    result = await failed(source, server.answer("/", body, Content_Encoding=encoding))

    assert ("BAD_ENCODING", True) == (result.reason, result.retryable)


async def test_body_of_17_mib_is_too_large(source: HttpPageSource, server: HostileServer) -> None:
    """16 MiB is the most that is read."""
    url = server.answer("/", b"<p>" + b"a " * (17 * MIB // 2))

    assert "BODY_TOO_LARGE" == (await failed(source, url)).reason


async def test_body_of_17_mib_unpacked_is_too_large(
    source: HttpPageSource, server: HostileServer
) -> None:
    """The bound holds for the unpacked body too, where its ratio is an honest one."""
    text = b"<p>" + os.urandom(MIB).hex().encode() * 9
    url = server.answer("/", zlib.compress(text, level=1), Content_Encoding="deflate")

    assert "BODY_TOO_LARGE" == (await failed(source, url)).reason


async def test_endless_body_is_too_large(make_source: MakeSource, server: HostileServer) -> None:
    """A body without end stops at the bound, not at the server's will."""

    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>")
        while True:
            writer.write(b"more text " * 5000)
            await writer.drain()

    source = make_source(limits=replace(FAST, wire_bytes_max=MIB))

    assert "BODY_TOO_LARGE" == (await failed(source, server.reply("/", endless))).reason


async def test_dripping_body_is_too_slow(source: HttpPageSource, server: HostileServer) -> None:
    """Slowloris: bytes within the read timeout but under 1 KiB a second."""

    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.02)

    result = await failed(source, server.reply("/", drip))

    assert ("TOO_SLOW", True, True) == (result.reason, result.retryable, result.host_fault)


async def test_dripping_headers_time_out(source: HttpPageSource, server: HostileServer) -> None:
    """Headers have a time of their own, since a drip resets the read timeout."""

    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nX: ")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    assert "TIMEOUT" == (await failed(source, server.reply("/", drip))).reason


async def test_endless_interim_answers_time_out(
    source: HttpPageSource, server: HostileServer
) -> None:
    """RFC 9110 section 15.2: 1xx answers may come, but not for ever."""

    async def early_hints(writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
            await writer.drain()
            await asyncio.sleep(0.01)

    assert "TIMEOUT" == (await failed(source, server.reply("/", early_hints))).reason


async def test_silence_times_out(source: HttpPageSource, server: HostileServer) -> None:
    """A host that accepts and says nothing is left alone for a while."""

    async def silence(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(30)

    result = await failed(source, server.reply("/", silence))

    assert ("TIMEOUT", True, True) == (result.reason, result.retryable, result.host_fault)


async def test_stall_within_the_body_times_out(
    source: HttpPageSource, server: HostileServer
) -> None:
    """The read timeout holds inside a body too."""

    async def stall(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n<p>")
        await writer.drain()
        await asyncio.sleep(30)

    assert "TIMEOUT" == (await failed(source, server.reply("/", stall))).reason


async def test_truncated_body_fails(source: HttpPageSource, server: HostileServer) -> None:
    """RFC 9112 section 8: fewer bytes than Content-Length is an incomplete message."""
    result = await failed(source, server.answer("/", b"<p>half", Content_Length="50"))

    assert ("TRUNCATED_BODY", True) == (result.reason, result.retryable)


@pytest.mark.parametrize(
    "chunks", [b"zz\r\nhello\r\n0\r\n\r\n", b"5\r\nhelloworld", b"5\r\nhello\r\n", b"-1\r\n\r\n"]
)
async def test_bad_chunking_fails(
    source: HttpPageSource, server: HostileServer, chunks: bytes
) -> None:
    """RFC 9112 section 7.1: a damaged chunk ends the message."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    result = await failed(source, server.reply("/", head + chunks))

    assert result.reason in ("TRUNCATED_BODY", "BAD_RESPONSE")


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


async def test_answer_that_is_not_http_fails(source: HttpPageSource, server: HostileServer) -> None:
    """Another protocol on a web port is a failure, not an exception."""
    result = await failed(source, server.reply("/", b"SSH-2.0-OpenSSH_9.2\r\n\r\n"))

    assert "BAD_RESPONSE" == result.reason


async def test_closing_without_an_answer_fails(
    source: HttpPageSource, server: HostileServer
) -> None:
    """A host that hangs up is tried again later."""
    result = await failed(source, server.reply("/", b""))

    assert ("CONNECTION_FAILED", True) == (result.reason, result.retryable)
