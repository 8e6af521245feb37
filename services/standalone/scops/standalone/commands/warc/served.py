"""What a server answered, judged as an answer to a live fetch is."""

from dataclasses import dataclass
from datetime import datetime
from io import BytesIO

from fastwarc.stream_io import ChunkedReader

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url
from scops.fetcher.adapters.http.answers import GONE
from scops.fetcher.adapters.http.body import BodyBounds, decoded
from scops.fetcher.adapters.http.decode import GZIP_MAGIC
from scops.fetcher.adapters.http.failures import WebFailure
from scops.fetcher.adapters.http.headers import (
    charset,
    header_text,
    http_time,
    location_text,
    media_type,
    validator,
)
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.adapters.http.redirects import PERMANENT, REDIRECTS
from scops.fetcher.fetch.sniffing import readable_type
from scops.gateway.requests.limits import CAPTURE_BYTES_MAX

LIMITS = HttpLimits()
BOUNDS = BodyBounds(
    wire_bytes_max=LIMITS.wire_bytes_max, decoded_bytes_max=LIMITS.decoded_bytes_max
)
GONE_REASONS = {404: "not_found", 410: "gone"}
Headers = tuple[tuple[str, str], ...]


class LeftOut(Exception):
    """A record of which nothing is taken; the message says why, as it is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A body as it is sent to the gateway, with the headers that the extractor reads."""

    body: bytes
    media_type: str
    charset: str = ""
    content_language: str = ""
    robots_tag: str = ""
    last_modified_time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    """A permanent redirect to a canonical URL."""

    target_url: str


@dataclass(frozen=True, slots=True)
class Vanished:
    """A 404 or 410: not_found or gone."""

    reason: str


def answer_of(url: str, status: int, headers: Headers, payload: bytes) -> Served | Moved | Vanished:
    """Returns what an answer says of the page at a canonical URL.

    Args:
        payload: as it was transferred; many writers of WARC files have removed the encodings that
            the headers still name, which is seen by the bytes.

    Raises:
        LeftOut: it says nothing that a live fetch would take.
    """
    if status == 200:
        return _served(headers, payload)
    if status in GONE:
        return Vanished(GONE_REASONS[status])
    if status not in REDIRECTS:
        raise LeftOut(f"answered {status}")
    if status not in PERMANENT:
        raise LeftOut("temporary redirects")
    return Moved(_target(url, _all(headers, "location")))


def body_of(declared: str, body: bytes) -> Served:
    """Returns a body without HTTP headers, of a declared Content-Type.

    Raises:
        LeftOut: it cannot be read.
    """
    return _read(body, (("content-type", declared),))


def _served(headers: Headers, payload: bytes) -> Served:
    body = payload
    if "chunked" in _all(headers, "transfer-encoding").lower():
        body = _dechunked(body)
    encoding = _all(headers, "content-encoding", ",").strip().lower()
    if encoding and not (encoding in ("gzip", "x-gzip") and not body.startswith(GZIP_MAGIC)):
        try:
            body = decoded(body, content_encoding=encoding, bounds=BOUNDS, limits=LIMITS)
        except WebFailure as failure:
            if failure.reason != "BAD_ENCODING" or _readable(headers, body) is None:
                raise LeftOut(failure.reason.lower().replace("_", " ")) from failure
    return _read(body, headers)


def _read(body: bytes, headers: Headers) -> Served:
    if not body:
        raise LeftOut("empty bodies")
    if len(body) > CAPTURE_BYTES_MAX:
        raise LeftOut(f"bodies of more than {CAPTURE_BYTES_MAX} bytes")
    kind = _readable(headers, body)
    if kind is None:
        raise LeftOut("of a type that is not read")
    stated = validator(_all(headers, "last-modified"))
    return Served(
        body=body,
        media_type=kind,
        charset=charset(_all(headers, "content-type")),
        content_language=header_text(_all(headers, "content-language")),
        robots_tag=header_text(_all(headers, "x-robots-tag")),
        last_modified_time=http_time(stated) if stated else None,
    )


def _readable(headers: Headers, body: bytes) -> str | None:
    declared = _all(headers, "content-type")
    return readable_type(declared=media_type(declared), charset=charset(declared), head=body)


def _dechunked(payload: bytes) -> bytes:
    try:
        return bytes(ChunkedReader(BytesIO(payload)).read())
    except OSError:
        # Browsers and some tools write it without.
        return payload


def _target(url: str, location: str) -> str:
    try:
        target = canonical_url(location_text(location.strip()), base=url)
    except InvalidInput as error:
        raise LeftOut("redirects to nowhere") from error
    if not location.strip() or target == url:
        raise LeftOut("redirects to nowhere")
    return target


def _all(headers: Headers, name: str, between: str = ", ") -> str:
    return between.join(value for key, value in headers if key.lower() == name)
