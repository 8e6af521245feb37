"""WARC files made by warcio, as crawlers write them."""

import gzip
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HTML = (("Content-Type", "text/html; charset=utf-8"),)
WHEN = datetime(2024, 3, 1, 12, tzinfo=UTC)
Headers = tuple[tuple[str, str], ...]


def stamp(at: datetime) -> str:
    """Returns an instant as WARC-Date has it."""
    return f"{at:%Y-%m-%dT%H:%M:%S}Z"


class WarcMaker:
    """Writes records to memory; `data` is the file."""

    def __init__(self, *, packed: bool = True) -> None:
        self._file = BytesIO()
        self._writer = WARCWriter(self._file, gzip=packed)

    @property
    def data(self) -> bytes:
        """What was written."""
        return self._file.getvalue()

    def save(self, path: Path) -> Path:
        """Writes it to a file."""
        path.write_bytes(self.data)
        return path

    def response(
        self,
        url: str,
        body: bytes = b"",
        *,
        status: str = "200 OK",
        headers: Headers = HTML,
        at: datetime = WHEN,
        **warc: str,
    ) -> str:
        """Adds an answer; returns its record id."""
        said = StatusAndHeaders(status, list(headers), protocol="HTTP/1.1")
        return self._add(url, "response", at, warc, payload=BytesIO(body), http_headers=said)

    def request(self, url: str, answer: str, headers: Headers = (), at: datetime = WHEN) -> None:
        """Adds the request of an answer."""
        said = StatusAndHeaders("GET / HTTP/1.1", list(headers), is_http_request=True)
        self._add(url, "request", at, {"WARC-Concurrent-To": answer}, http_headers=said)

    def other(
        self, kind: str, url: str, body: bytes, media_type: str, at: datetime = WHEN, **warc: str
    ) -> None:
        """Adds a record without HTTP headers."""
        self._add(url, kind, at, warc, payload=BytesIO(body), warc_content_type=media_type)

    def raw(self, kind: str, url: str, body: bytes, *, at: datetime = WHEN) -> None:
        """Adds a record as it is given, which warcio would not write."""
        head = (
            f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n"
            f"WARC-Date: {stamp(at)}\r\nWARC-Record-ID: <urn:uuid:{uuid4()}>\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        record = head.encode() + body + b"\r\n\r\n"
        self._file.write(gzip.compress(record) if self._writer.gzip else record)

    def revisit(
        self, url: str, *, of: str, first: datetime, at: datetime, digest: str = "sha1:AAAA"
    ) -> None:
        """Adds that a page said what another had said."""
        said = StatusAndHeaders("200 OK", list(HTML), protocol="HTTP/1.1")
        record = self._writer.create_revisit_record(
            url,
            digest,
            of,
            stamp(first),
            http_headers=said,
            warc_headers_dict={"WARC-Date": stamp(at)},
        )
        self._writer.write_record(record)

    def _add(self, url: str, kind: str, at: datetime, warc: dict[str, str], **given: Any) -> str:
        named = {name.replace("_", "-"): value for name, value in warc.items()}
        record = self._writer.create_warc_record(
            url, kind, warc_headers_dict={"WARC-Date": stamp(at), **named}, **given
        )
        self._writer.write_record(record)
        return str(record.rec_headers.get_header("WARC-Record-ID"))
