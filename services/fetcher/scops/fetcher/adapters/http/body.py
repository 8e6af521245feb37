"""Reads a body within its bounds: wire size, decoded size, their ratio, and the rate."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from scops.fetcher.adapters.http.decode import GZIP_MAGIC, Decoder, decoder_for
from scops.fetcher.adapters.http.failures import WebFailure
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.fetch.sniffing import SNIFFED_BYTES

GUNZIP_SLICE_BYTES = 64 * 1024
"""zlib copies the input that it has not consumed, so large inputs go in slices."""

Inspect = Callable[[bytes], None]
"""Sees the first bytes of a body, decoded, before the rest is read; raises to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyBounds:
    """What one body may cost.

    Args:
        wire_bytes_max: as transferred; exceeding it fails, `cut` or not.
        decoded_bytes_max: decoded.
        cut: keeps the first `decoded_bytes_max` bytes of a larger body instead of failing.
    """

    wire_bytes_max: int
    decoded_bytes_max: int
    cut: bool = False


async def read_body(
    chunks: AsyncIterator[bytes],
    *,
    content_encoding: str,
    bounds: BodyBounds,
    limits: HttpLimits,
    inspect: Inspect,
) -> bytes:
    """Returns the decoded body.

    Raises:
        WebFailure: a bound was exceeded, or the encoding is refused or damaged.
    """
    decoder = decoder_for(content_encoding)
    body = _Body(bounds, limits)
    rate = _Rate(limits)
    inspected = False
    async for chunk in chunks:
        rate.add(len(chunk))
        body.add(chunk, decoder)
        if not inspected and len(body.data) >= SNIFFED_BYTES:
            inspect(bytes(body.data[:SNIFFED_BYTES]))
            inspected = True
        if body.full:
            break
    if body.wire_bytes and not body.full:
        decoder.finish()
    if not inspected:
        inspect(bytes(body.data[:SNIFFED_BYTES]))
    return bytes(body.data)


def gunzipped(data: bytes, *, bounds: BodyBounds, limits: HttpLimits) -> bytes:
    """Returns a `.gz` file unpacked under the same bounds; anything else as it is.

    Raises:
        WebFailure: as `read_body`.
    """
    if not data.startswith(GZIP_MAGIC):
        return data
    return decoded(data, content_encoding="gzip", bounds=bounds, limits=limits)


def decoded(data: bytes, *, content_encoding: str, bounds: BodyBounds, limits: HttpLimits) -> bytes:
    """Returns a body that is there as a whole without its content encoding.

    Raises:
        WebFailure: as `read_body`.
    """
    decoder = decoder_for(content_encoding)
    body = _Body(bounds, limits)
    for start in range(0, len(data), GUNZIP_SLICE_BYTES):
        body.add(data[start : start + GUNZIP_SLICE_BYTES], decoder)
        if body.full:
            return bytes(body.data)
    decoder.finish()
    return bytes(body.data)


class _Body:
    """Counts what comes in and goes out."""

    def __init__(self, bounds: BodyBounds, limits: HttpLimits) -> None:
        self.data = bytearray()
        self.wire_bytes = 0
        self.full = False
        self._bounds = bounds
        self._limits = limits

    def add(self, chunk: bytes, decoder: Decoder) -> None:
        self.wire_bytes += len(chunk)
        for piece in decoder.decode(chunk):
            self.data += piece
            if len(self.data) > self._bounds.decoded_bytes_max:
                self._overflow()
                return
            self._check_ratio()
        if self.wire_bytes > self._bounds.wire_bytes_max:
            raise _too_large(self._bounds.wire_bytes_max, "transferred")

    def _overflow(self) -> None:
        if not self._bounds.cut:
            self._check_ratio()
            raise _too_large(self._bounds.decoded_bytes_max, "unpacked")
        del self.data[self._bounds.decoded_bytes_max :]
        self.full = True

    def _check_ratio(self) -> None:
        if len(self.data) <= self._limits.ratio_from_bytes:
            return
        if len(self.data) > self._limits.ratio_max * self.wire_bytes:
            raise WebFailure(
                reason="RATIO_TOO_HIGH",
                detail=f"The body unpacks to more than {self._limits.ratio_max:g} times its "
                "size, as a decompression bomb does; it is not read.",
            )


class _Rate:
    """Fails a body that drips."""

    def __init__(self, limits: HttpLimits) -> None:
        self._limits = limits
        # The loop's clock is monotone; a stepped wall clock must not look like a slow host.
        self._loop = asyncio.get_running_loop()
        self._window_start = self._loop.time()
        self._window_bytes = 0

    def add(self, size: int) -> None:
        self._window_bytes += size
        elapsed = self._loop.time() - self._window_start
        if elapsed < self._limits.rate_window_seconds:
            return
        if self._window_bytes < self._limits.rate_bytes_per_second_min * elapsed:
            raise WebFailure(
                reason="TOO_SLOW",
                detail="The body arrives at less than "
                f"{self._limits.rate_bytes_per_second_min:g} bytes per second; the host is left "
                "alone for a while, then retried.",
                retryable=True,
                host_fault=True,
            )
        self._window_start += elapsed
        self._window_bytes = 0


def _too_large(bytes_max: int, how: str) -> WebFailure:
    return WebFailure(
        reason="BODY_TOO_LARGE",
        detail=f"The body is larger than {bytes_max} bytes {how}; it is not read. Exclude the "
        "page, or raise the limit in the fetcher's settings.",
    )
