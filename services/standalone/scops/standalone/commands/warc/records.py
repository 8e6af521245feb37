"""Reads a WARC stream: the records of pages, in their order, one at a time.

Source: WARC 1.1 (ISO 28500:2017); revisit records by their named-profile headers, sections 6.7
and 5.13 to 5.15.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fastwarc.warc import ArchiveIterator, WarcRecordType

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url
from scops.standalone.commands.warc.served import (
    BOUNDS,
    LeftOut,
    Moved,
    Served,
    Vanished,
    answer_of,
    body_of,
)

# Of payloads whose first record is remembered, for revisits that name a digest alone.
DIGESTS_HELD = 20_000
HTTP = ("http://", "https://")
OUTSIDE = "outside of the scope"
PRIVATE = "fetched with a credential"
TYPES = (
    WarcRecordType.response
    | WarcRecordType.resource
    | WarcRecordType.revisit
    | WarcRecordType.request
    | WarcRecordType.conversion
    | WarcRecordType.continuation
)
Admits = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same body as was sent before, at an instant, of the page at a canonical URL."""

    url: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Observed:
    """What a record says of the page at a canonical URL.

    Attributes:
        otherwise: the same page as somebody else has read it, for where no text is found in what
            it showed; with what that came by. None where there is no such reading.
    """

    url: str
    at: datetime
    showed: Served | Moved | Vanished | Repeated
    otherwise: tuple[Served, str] | None = None


@dataclass(frozen=True, slots=True)
class Passed:
    """A record of which nothing is taken, and why, in words that are counted."""

    why: str


class WarcReader:
    """Reads files one after another; digests are remembered across them.

    Args:
        admits: whether a page at a canonical URL is wanted; of others nothing is unpacked.
        now: records of later are refused.
    """

    def __init__(self, admits: Admits, *, now: datetime) -> None:
        self._admits, self._now = admits, now
        self._first: OrderedDict[str, Repeated] = OrderedDict()

    def read(self, stream: Any) -> Iterator[Observed | Passed]:
        """Yields what each record of a page says.

        Args:
            stream: a path, or a binary file, of WARC records, plain or packed by gzip, zstd or
                lz4.

        Raises:
            OSError: it is damaged from some place on.
        """
        # The answer to a request with a credential may stand before or after the request.
        waiting: tuple[str | None, Observed | Passed] | None = None
        private = ""
        damage: OSError | None = None
        try:
            for record in ArchiveIterator(stream, record_types=TYPES, parse_http=False):
                if record.record_type != WarcRecordType.request:
                    if waiting is not None:
                        yield waiting[1]
                    waiting = (record.record_id, self._observed(record, private))
                elif answer := _private_answer(record):
                    private = answer
                    if waiting is not None and waiting[0] == answer:
                        waiting = (answer, Passed(PRIVATE))
        except OSError as error:
            damage = error
        if waiting is not None:
            yield waiting[1]
        if damage is not None:
            raise damage

    def _observed(self, record: Any, private: str) -> Observed | Passed:
        try:
            url = self._url(record)
            if record.record_id == private:
                raise LeftOut(PRIVATE)
            at = self._time(record.record_date)
            return Observed(url, at, self._showed(record, url, at))
        except LeftOut as left:
            return Passed(str(left))

    def _url(self, record: Any) -> str:
        """Returns the canonical URL of a record that is wanted."""
        if record.record_type == WarcRecordType.conversion:
            raise LeftOut("texts that another program made (WET); import the files they are of")
        if record.record_type == WarcRecordType.continuation:
            raise LeftOut("records in segments")
        stated = (record.headers.get("WARC-Target-URI") or "").strip("<> ")
        if not stated.lower().startswith(HTTP):
            raise LeftOut("not of the web")
        try:
            url = canonical_url(stated)
        except InvalidInput:
            raise LeftOut("of a URL that is none") from None
        if not self._admits(url):
            raise LeftOut(OUTSIDE)
        if record.headers.get("WARC-Truncated"):
            raise LeftOut("truncated when they were recorded")
        return url

    def _time(self, stated: datetime | None) -> datetime:
        if stated is None:
            raise LeftOut("without a date")
        at = stated.replace(tzinfo=UTC) if stated.tzinfo is None else stated.astimezone(UTC)
        if at > self._now:
            raise LeftOut("dated in the future")
        return at

    def _showed(self, record: Any, url: str, at: datetime) -> Served | Moved | Vanished | Repeated:
        digest = record.headers.get("WARC-Payload-Digest") or ""
        if record.record_type == WarcRecordType.revisit:
            return self._revisited(record, url, digest)
        if record.record_type == WarcRecordType.resource:
            return body_of(record.headers.get("Content-Type") or "", _payload(record))
        _parse_http(record)
        headers = record.http_headers
        showed = answer_of(url, headers.status_code or 0, headers.astuples(), _payload(record))
        if digest and isinstance(showed, Served) and digest not in self._first:
            self._first[digest] = Repeated(url, at)
            if len(self._first) > DIGESTS_HELD:
                self._first.popitem(last=False)
        return showed

    def _revisited(self, record: Any, url: str, digest: str) -> Moved | Vanished | Repeated:
        status = 200
        if record.is_http and record.content_length:
            _parse_http(record)
            headers = record.http_headers
            status = headers.status_code or 200
            if status not in (200, 304):
                showed = answer_of(url, status, headers.astuples(), b"")
                assert not isinstance(showed, Served), "only a 200 has a body"
                return showed
        stated = (record.headers.get("WARC-Refers-To-Target-URI") or "").strip("<> ")
        date = _instant(record.headers.get("WARC-Refers-To-Date") or "")
        if stated and date is not None:
            try:
                return Repeated(canonical_url(stated), date)
            except InvalidInput:
                raise LeftOut("revisits of a URL that is none") from None
        if (first := self._first.get(digest)) is None:
            raise LeftOut("revisits of what was not read before")
        return first


def _parse_http(record: Any) -> None:
    try:
        record.parse_http(auto_decode="none", quirks_mode=True)
    except OSError as error:
        raise LeftOut("damaged HTTP headers") from error
    if record.http_headers is None:
        raise LeftOut("without HTTP headers")


def _payload(record: Any) -> bytes:
    size = record.content_length
    if size > BOUNDS.wire_bytes_max:
        raise LeftOut(f"bodies of more than {BOUNDS.wire_bytes_max} bytes")
    payload = bytes(record.reader.read())
    if len(payload) < size:
        raise LeftOut("cut off at the end of a file")
    return payload


def _private_answer(record: Any) -> str:
    """Returns the id of the record that answers a request with a credential; else nothing."""
    answer = record.headers.get("WARC-Concurrent-To") or ""
    if not answer or not record.is_http:
        return ""
    try:
        record.parse_http(auto_decode="none", quirks_mode=True)
    except OSError:
        return ""
    headers = record.http_headers
    return answer if headers is not None and "Authorization" in headers else ""


def _instant(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
