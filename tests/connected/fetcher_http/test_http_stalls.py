"""Servers that are slow, silent, endless, or break off."""

import asyncio
from dataclasses import replace

import pytest

from scops.fetcher.adapters.http.page_source import HttpPageSource
from tests.connected.fetcher_http.asking import failed
from tests.connected.fetcher_http.conftest import FAST, MakeSource
from tests.fakes.servers.hostile import HostileServer

MIB = 1024 * 1024


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
