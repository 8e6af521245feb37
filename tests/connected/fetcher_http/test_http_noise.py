"""Whatever a server sends, a fetch ends with a value."""

import gzip
import random

import pytest

from scops.fetcher.adapters.http.page_source import HttpPageSource
from scops.fetcher.ports.page_source import (
    FAILURE_REASONS,
    Failed,
    Fetched,
    FetchRequest,
    Gone,
    Redirected,
    Unmodified,
)
from tests.fakes.page_source import OpenGate
from tests.fakes.servers.hostile import HostileServer

PAGE = gzip.compress(b"<!doctype html><p>" + b"An owl sees in the dark. " * 50)
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n"
    b'ETag: "a"\r\nLast-Modified: Tue, 02 Jan 2024 03:04:05 GMT\r\nLocation: /next\r\n'
    b"Retry-After: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
    + f"{len(PAGE):x}\r\n".encode()
    + PAGE
    + b"\r\n0\r\n\r\n"
)
STATUSES = [b"200", b"301", b"304", b"404", b"429", b"503", b"100", b"101", b"000", b"99999"]


def noisy(chance: random.Random) -> bytes:
    """Returns the answer with another status and some bytes changed, dropped or repeated."""
    data = bytearray(ANSWER.replace(b"200", chance.choice(STATUSES), 1))
    for _ in range(chance.randrange(6)):
        at = chance.randrange(len(data))
        match chance.randrange(3):
            case 0:
                data[at] = chance.randrange(256)
            case 1:
                del data[at : at + chance.randrange(1, 40)]
            case _:
                data[at:at] = data[at : at + chance.randrange(1, 40)]
    return bytes(data)


@pytest.mark.parametrize("seed", range(4))
async def test_noise_ends_as_a_value(
    source: HttpPageSource, server: HostileServer, seed: int
) -> None:
    """The port's contract: an answer of the web is never an exception."""
    chance = random.Random(seed)
    for number in range(100):
        answer = noisy(chance)
        url = server.reply(f"/{number}", answer)

        result = await source.fetch(FetchRequest(url=url, etag='"a"'), OpenGate())

        assert isinstance(result, Fetched | Unmodified | Gone | Redirected | Failed), answer
        if isinstance(result, Failed):
            known = result.reason in FAILURE_REASONS or result.reason.startswith("HTTP_")
            assert known, (result, answer)
            assert result.detail.endswith("."), result
