"""Writes WARC records, plain or each packed by itself.

Source: WARC 1.1 (ISO 28500:2017).
"""

import gzip
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from fastwarc.warc import WarcRecord, WarcRecordType

BLOCK_DIGEST = "WARC-Block-Digest"
PAYLOAD_DIGEST = "WARC-Payload-Digest"
FORMAT = "WARC File Format 1.1"
INFO_TYPE = "application/warc-fields"


@dataclass(frozen=True, slots=True)
class WrittenRecord:
    """A record as it lies in a file, and its id, in angle brackets."""

    data: bytes
    identity: str

    @property
    def packed(self) -> bytes:
        """A gzip member of its own, as files of records have them."""
        return gzip.compress(self.data, mtime=0)


def warc_record(
    kind: WarcRecordType, url: str, at: datetime, headers: Mapping[str, str], block: bytes
) -> WrittenRecord:
    """Returns a record.

    Args:
        url: of its target; empty where it has none.
        headers: the others; without WARC-Record-ID it gets an id of its own.
    """
    record = WarcRecord()
    record.init_headers(kind)
    record.headers["WARC-Date"] = time_text(at)
    if url:
        record.headers["WARC-Target-URI"] = one_line(url)
    for name, value in headers.items():
        record.headers[name] = one_line(value)
    record.set_bytes_content(block)
    out = io.BytesIO()
    record.write(out)
    return WrittenRecord(out.getvalue(), str(record.headers["WARC-Record-ID"]))


def content_record(
    kind: WarcRecordType,
    url: str,
    at: datetime,
    block: bytes,
    *,
    media_type: str,
    headers: Mapping[str, str] | None = None,
) -> WrittenRecord:
    """Returns a record whose block is its payload, with the digest of both."""
    digest = digest_text(block)
    said = {"Content-Type": media_type, BLOCK_DIGEST: digest, PAYLOAD_DIGEST: digest}
    return warc_record(kind, url, at, {**said, **(headers or {})}, block)


def info_record(name: str, *, software: str, at: datetime | None = None) -> WrittenRecord:
    """Returns the record that a file begins with.

    Args:
        at: when the file was begun; now where nothing is said.
    """
    lines = f"software: {software}\r\nformat: {FORMAT}\r\nisPartOf: {name}\r\n"
    headers = {"Content-Type": INFO_TYPE, "WARC-Filename": name}
    when = at or datetime.now(UTC)
    return warc_record(WarcRecordType.warcinfo, "", when, headers, lines.encode())


def digest_text(block: bytes) -> str:
    """Returns the sha256 of a block as records have it."""
    return f"sha256:{hashlib.sha256(block).hexdigest()}"


def time_text(at: datetime) -> str:
    """Returns an instant as WARC-Date, in microseconds where it has some."""
    return f"{at:%Y-%m-%dT%H:%M:%S.%fZ}" if at.microsecond else f"{at:%Y-%m-%dT%H:%M:%SZ}"


def one_line(text: str) -> str:
    """Returns a header's value without the ends of lines that it may not have."""
    return text.replace("\r", " ").replace("\n", " ")
