"""Content encodings: removed if we asked for them, refused where damaged, doubled or a bomb."""

import gzip
import os
import zlib

import brotli  # type: ignore[import-untyped]
import pytest
import zstandard

from scops.fetcher.adapters.http.page_source import HttpPageSource
from tests.connected.fetcher_http.asking import failed, fetched
from tests.fakes.servers.hostile import HostileServer

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


async def test_body_of_17_mib_unpacked_is_too_large(
    source: HttpPageSource, server: HostileServer
) -> None:
    """The bound holds for the unpacked body too, where its ratio is an honest one."""
    text = b"<p>" + os.urandom(MIB).hex().encode() * 9
    url = server.answer("/", zlib.compress(text, level=1), Content_Encoding="deflate")

    assert "BODY_TOO_LARGE" == (await failed(source, url)).reason
