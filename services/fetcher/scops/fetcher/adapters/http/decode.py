"""Content encodings, removed piece by piece with bounded output.

A decoder yields at most `PIECE_BYTES_MAX` bytes at a time (zstd: `ZSTD_PIECE_BYTES_MAX`), so that
its caller can stop a bomb long before it has been unpacked. Source: RFC 9110 section 8.4, RFC
8878 and RFC 9659 (zstd, window of at most 8 MiB), RFC 7932 (br). ADR 33 says why aiohttp's own
decompression is off.
"""

import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

import brotli
import zstandard

from scops.fetcher.adapters.http.failures import WebFailure

PIECE_BYTES_MAX = 64 * 1024

ZSTD_WINDOW_BYTES_MAX = 8 * 1024 * 1024
ZSTD_BLOCK_BYTES_MAX = 128 * 1024
# A block needs at least 4 bytes and unpacks to at most 128 KiB, so that this slice of input
# bounds the output where the library takes no bound.
ZSTD_SLICE_BYTES = 256
ZSTD_PIECE_BYTES_MAX = (ZSTD_SLICE_BYTES // 4 + 1) * ZSTD_BLOCK_BYTES_MAX

MEMBERS_MAX = 1000
"""Of gzip members or zstd frames in one body; honest bodies have one, a flood of empty ones
costs time and gives nothing."""

GZIP_MAGIC = b"\x1f\x8b"


class Decoder(Protocol):
    """Removes one content encoding from a stream."""

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Yields what more input gives.

        Raises:
            WebFailure: BAD_ENCODING.
        """
        ...

    def finish(self) -> None:
        """Ends the stream.

        Raises:
            WebFailure: BAD_ENCODING, it ended within encoded data.
        """
        ...


def decoder_for(content_encoding: str) -> Decoder:
    """Returns the decoder for a Content-Encoding header.

    Raises:
        WebFailure: UNSUPPORTED_ENCODING, it names several encodings or one we did not ask for.
    """
    names = [name.strip().lower() for name in content_encoding.split(",")]
    layers = [name for name in names if name not in ("", "identity")]
    if not layers:
        return _Identity()
    if len(layers) > 1 or layers[0] not in _DECODERS:
        raise WebFailure(
            reason="UNSUPPORTED_ENCODING",
            detail=f"The body comes in the encoding {content_encoding[:80]!r}; one of "
            "gzip, deflate, br and zstd was asked for. The server needs repair.",
        )
    return _DECODERS[layers[0]]()


class _Identity:
    def decode(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None:
        pass


class _Gzip:
    """gzip with any number of members (RFC 1952 section 2.2)."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        self._ended = False
        self._members = 1

    def decode(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._ended:
                if not data.startswith(GZIP_MAGIC[:1]):
                    # Padding after the last member, which gzip itself ignores too.
                    return
                self._members = _one_more(self._members, "gzip")
                self._stream = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
                self._ended = False
            yield from _inflated(self._stream, data)
            self._ended = self._stream.eof
            data = self._stream.unused_data

    def finish(self) -> None:
        if not self._ended:
            raise _bad_encoding("gzip", "it ends too early")


class _Deflate:
    """zlib-wrapped deflate, or raw deflate as some servers send."""

    def __init__(self) -> None:
        self._stream: zlib._Decompress | None = None
        self._head = b""

    def decode(self, data: bytes) -> Iterator[bytes]:
        if self._stream is None:
            self._head += data
            if len(self._head) < 2:
                return
            data, self._head = self._head, b""
            self._stream = zlib.decompressobj(wbits=_deflate_wbits(data))
        yield from _inflated(self._stream, data)

    def finish(self) -> None:
        if self._stream is None or not self._stream.eof:
            raise _bad_encoding("deflate", "it ends too early")


class _Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()

    def decode(self, data: bytes) -> Iterator[bytes]:
        try:
            while data or not self._stream.can_accept_more_data():
                yield self._stream.process(data, output_buffer_limit=PIECE_BYTES_MAX)
                data = b""
        except brotli.error as error:
            raise _bad_encoding("br", "it is damaged") from error

    def finish(self) -> None:
        if not self._stream.is_finished():
            raise _bad_encoding("br", "it ends too early")


class _Zstd:
    """zstd with any number of frames (RFC 8878 section 3)."""

    def __init__(self) -> None:
        decompressor = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES_MAX)
        self._new_frame = decompressor.decompressobj
        self._frame = self._new_frame()
        self._frames = 1

    def decode(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), ZSTD_SLICE_BYTES):
            yield from self._decode_slice(data[start : start + ZSTD_SLICE_BYTES])

    def _decode_slice(self, data: bytes) -> Iterator[bytes]:
        try:
            while data:
                if self._frame.eof:
                    self._frames = _one_more(self._frames, "zstd")
                    self._frame = self._new_frame()
                yield self._frame.decompress(data)
                data = self._frame.unused_data if self._frame.eof else b""
        except zstandard.ZstdError as error:
            raise _bad_encoding("zstd", "it is damaged or needs too much memory") from error

    def finish(self) -> None:
        if not self._frame.eof:
            raise _bad_encoding("zstd", "it ends too early")


_DECODERS: dict[str, Callable[[], Decoder]] = {
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}


def _one_more(count: int, name: str) -> int:
    if count >= MEMBERS_MAX:
        raise _bad_encoding(name, f"it has more than {MEMBERS_MAX} members")
    return count + 1


def _inflated(stream: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    try:
        while not stream.eof:
            piece = stream.decompress(data, PIECE_BYTES_MAX)
            yield piece
            data = stream.unconsumed_tail
            if not data and len(piece) < PIECE_BYTES_MAX:
                return
    except zlib.error as error:
        raise _bad_encoding("gzip or deflate", "it is damaged") from error


def _deflate_wbits(head: bytes) -> int:
    # RFC 1950 section 2.2: method 8, and the first two bytes are a multiple of 31.
    wrapped = head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
    return zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS


def _bad_encoding(name: str, why: str) -> WebFailure:
    return WebFailure(
        reason="BAD_ENCODING",
        detail=f"The body cannot be unpacked as {name}: {why}. It is dropped and fetched again "
        "later.",
        retryable=True,
    )
