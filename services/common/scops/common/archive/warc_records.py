"""Blobs as WARC records: what a segment holds, readable by any WARC tool."""

import base64
import io
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from scops.common.archive.ports import Exchange, NewBlob
from scops.common.archive.warc_writing import (
    BLOCK_DIGEST,
    PAYLOAD_DIGEST,
    info_record,
    one_line,
    time_text,
    warc_record,
)

DIGEST_PREFIX = "sha256:"
RECORD_END = b"\r\n\r\n"
HEAD_END = b"\r\n\r\n"
# Proofs of identity, which no archive needs.
SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})
# Of the bytes as they came over the wire; what is kept is decoded and whole.
WIRE_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})
# As Browsertrix and pywb name a header that no longer says how the payload lies there.
ORIGINAL = "X-Archive-Orig-"
FILLER_TYPE = "metadata"


@dataclass(frozen=True, slots=True)
class EncodedBlob:
    """A blob as it lies in a segment.

    Attributes:
        data: one record, or a response and its request.
        payload: where the blob's own bytes begin in `data`.
    """

    data: bytes
    payload: int


@dataclass(frozen=True, slots=True)
class FoundBlob:
    """A blob that was met in a segment.

    Attributes:
        digest: of its bytes, as the record says.
        start, length: of its records in the segment.
        payload, size: of its own bytes, from `start`.
    """

    digest: bytes
    start: int
    length: int
    payload: int
    size: int
    time: datetime


def encoded(blob: NewBlob, digest: bytes, at: datetime) -> EncodedBlob:
    """Returns a blob as WARC records: of its exchange where it has one, else a resource."""
    if blob.exchange is None:
        return _resource(blob, digest, at)
    exchange = blob.exchange
    head = _response_head(exchange)
    response = warc_record(
        WarcRecordType.response,
        exchange.url,
        at,
        {
            "Content-Type": "application/http; msgtype=response",
            PAYLOAD_DIGEST: _digest_text(digest),
        },
        head + blob.data,
    )
    request = warc_record(
        WarcRecordType.request,
        exchange.url,
        at,
        {
            "Content-Type": "application/http; msgtype=request",
            "WARC-Concurrent-To": response.identity,
        },
        _head(exchange.request_line, _open_headers(exchange.request_headers)),
    )
    payload = len(response.data) - len(RECORD_END) - len(blob.data)
    return EncodedBlob(response.data + request.data, payload)


def segment_head(name: str, at: datetime) -> bytes:
    """Returns the record that a segment begins with."""
    return info_record(name, software="Scops", at=at).data


def filler(length: int, at: datetime) -> bytes:
    """Returns a record of so many bytes that says nothing; it takes the place of a dropped one.

    Args:
        length: as that of any record of this module.
    """
    padding = ""
    while True:
        lines = (
            "WARC/1.1",
            f"WARC-Type: {FILLER_TYPE}",
            f"WARC-Record-ID: <urn:uuid:{uuid.uuid4()}>",
            f"WARC-Date: {time_text(at)}",
            f"X-Scops: dropped{padding}",
            "Content-Length: ",
        )
        before = "\r\n".join(lines).encode()
        left = length - len(before) - len(HEAD_END) - len(RECORD_END)
        for digits in range(1, 20):
            size = left - digits
            if size >= 0 and len(str(size)) == digits:
                return before + str(size).encode() + HEAD_END + bytes(size) + RECORD_END
        if left < 1:
            raise ValueError(f"no record has {length} bytes")
        # One more digit of the length would be one byte too many.
        padding += "."


def found_blobs(segment: bytes) -> Iterator[FoundBlob]:
    """Yields the blobs of a segment, in their order; what follows a torn record is left out."""
    pending: FoundBlob | None = None
    end = 0
    for record in _records(segment):
        start = int(record.stream_pos)
        if pending is not None and record.record_type != WarcRecordType.request:
            yield pending
            pending = None
        head = segment.index(HEAD_END, start) + len(HEAD_END) - start
        length = head + record.content_length + len(RECORD_END)
        end = start + length
        if end > len(segment):
            break
        if pending is not None:
            yield _lengthened(pending, end)
            pending = None
        elif PAYLOAD_DIGEST in record.headers:
            # One that says nothing of use is damaged.
            with suppress(ValueError, KeyError):
                pending = _found(record, segment, start=start, head=head, length=length)
    if pending is not None and end <= len(segment):
        yield pending


def _records(segment: bytes) -> Iterator[WarcRecord]:
    # What is no record ends a segment.
    with suppress(OSError):
        yield from ArchiveIterator(io.BytesIO(segment), parse_http=False)


def _found(record: WarcRecord, segment: bytes, *, start: int, head: int, length: int) -> FoundBlob:
    payload = head
    if record.record_type == WarcRecordType.response:
        payload = segment.index(HEAD_END, start + head) + len(HEAD_END) - start
    text = record.headers[PAYLOAD_DIGEST].removeprefix(DIGEST_PREFIX)
    return FoundBlob(
        digest=base64.b32decode(text),
        start=start,
        length=length,
        payload=payload,
        size=length - payload - len(RECORD_END),
        time=datetime.fromisoformat(record.headers["WARC-Date"]),
    )


def _lengthened(blob: FoundBlob, end: int) -> FoundBlob:
    return FoundBlob(blob.digest, blob.start, end - blob.start, blob.payload, blob.size, blob.time)


def _resource(blob: NewBlob, digest: bytes, at: datetime) -> EncodedBlob:
    kind = f"{blob.media_type}; charset={blob.charset}" if blob.charset else blob.media_type
    headers = {
        "Content-Type": kind or "application/octet-stream",
        PAYLOAD_DIGEST: _digest_text(digest),
        BLOCK_DIGEST: _digest_text(digest),
    }
    url = f"urn:sha256:{digest.hex()}"
    data = warc_record(WarcRecordType.resource, url, at, headers, blob.data).data
    return EncodedBlob(data, len(data) - len(RECORD_END) - len(blob.data))


def _response_head(exchange: Exchange) -> bytes:
    """Returns the head of a response as it came; what it said of the wire is renamed."""
    headers = [
        (f"{ORIGINAL}{name}" if name.lower() in WIRE_HEADERS else name, value)
        for name, value in _open_headers(exchange.response_headers)
    ]
    return _head(exchange.status_line, headers)


def _head(first: str, headers: list[tuple[str, str]]) -> bytes:
    lines = [first, *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join(map(one_line, lines)).encode("utf-8", "surrogateescape") + HEAD_END


def _open_headers(headers: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    return [(name, value) for name, value in headers if name.lower() not in SECRET_HEADERS]


def _digest_text(digest: bytes) -> str:
    return DIGEST_PREFIX + base64.b32encode(digest).decode()
