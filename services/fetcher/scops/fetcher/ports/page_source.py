"""The page source: where bodies come from, as the fetcher's core sees it.

Contract: an answer of the web, however hostile, is a value and never an exception; only
cancellation and what the gate raises pass through. An adapter may send several requests for one
page (redirects, or what a browser loads beside it), and enters the gate for each. It asks the
host of the request alone: a redirect to another `host_key` comes back as `Redirected`, so that
the caller can queue the target under the clock and the robots.txt of its own host.
"""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from scops.common.archive.ports import Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """What tells a server who asks.

    Args:
        origin: the one origin (RFC 6454) that may see it, such as `https://docs.example.org`.
        headers: name and value; never shown.
    """

    origin: str
    headers: tuple[tuple[str, str], ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRequest:
    """One page to fetch.

    Args:
        url: a canonical URL.
        etag: the ETag header of an earlier answer, raw; empty sends no If-None-Match.
        last_modified: its Last-Modified header, raw; empty sends no If-Modified-Since.
        validated_url: the URL that gave the validators (`Fetched.final_url`); they are sent to
            it and to no other hop. Empty means `url`.
        credential: sent as long as every URL from the first one on is of its origin: neither to
            another host of the same domain, nor on the way back from one. None sends none.
    """

    url: str
    etag: str = ""
    last_modified: str = ""
    validated_url: str = ""
    credential: Credential | None = None

    @property
    def is_conditional(self) -> bool:
        """Whether it may be answered 304."""
        return bool(self.etag or self.last_modified)


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """A redirect that was answered.

    Args:
        url: the target, canonical.
        permanent: 301 or 308.
    """

    url: str
    permanent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A 200 with a body that is text.

    Args:
        final_url: canonical; the last redirect's target, or the requested URL.
        body: with every content encoding removed, in the page's own charset.
        media_type: lower case, without parameters; what the body is, not what was declared.
        charset: as declared in Content-Type, lower case; empty where not declared.
        etag: raw header; empty where not sent.
        last_modified: raw header; empty where not sent.
        last_modified_time: its instant; None where not sent or not a date.
        content_language: raw Content-Language header.
        robots_tag: all X-Robots-Tag headers, joined with ", ".
        response_seconds: from the last request to its last byte; politeness is scaled by it.
        declared_media_type: what Content-Type said; differs from `media_type` on a mismatch.
        exchange: request and response of the last hop as they were sent; None where nothing was.
        came_by: `browser` where the body is what a browser shows; empty for what the server sent.
    """

    final_url: str
    redirects: tuple[Redirect, ...]
    body: bytes
    media_type: str
    charset: str
    etag: str
    last_modified: str
    last_modified_time: datetime | None
    content_language: str
    robots_tag: str
    response_seconds: float
    declared_media_type: str = ""
    exchange: Exchange | None = None
    came_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmodified:
    """A 304 to a request that carried validators.

    Args:
        etag: takes the place of the one that was sent (RFC 9111 section 3.2); empty where none
            came.
        last_modified: likewise.
    """

    final_url: str
    redirects: tuple[Redirect, ...]
    response_seconds: float
    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """A 404 or 410."""

    final_url: str
    redirects: tuple[Redirect, ...]
    status: int
    response_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirected:
    """A redirect that leads to another host, and was not followed.

    Args:
        target_url: canonical; also the last of `redirects`.
        permanent: whether every redirect on the way was permanent.
    """

    target_url: str
    permanent: bool
    redirects: tuple[Redirect, ...]
    response_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Everything else.

    Args:
        reason: UPPER_SNAKE, for programs, one of `FAILURE_REASONS` or `HTTP_<status>`.
        detail: for people: what, why, what next.
        retryable: whether the same request may succeed later.
        retry_after_seconds: what Retry-After asked for, from now, uncapped; None where not sent.
        host_fault: whether the host as a whole is to be left alone for longer.
        status: the HTTP status, 0 where none was received.
    """

    reason: str
    detail: str
    retryable: bool
    retry_after_seconds: float | None = None
    host_fault: bool = False
    status: int = 0
    final_url: str = ""
    redirects: tuple[Redirect, ...] = ()
    response_seconds: float = 0.0

    @property
    def asked_seconds(self) -> float:
        """The pause that Retry-After asks for, capped; 0 where it was not sent."""
        return min(self.retry_after_seconds or 0.0, RETRY_AFTER_SECONDS_MAX)


# Longest Retry-After that is waited for: an hour; a host that asks for more is asked sooner.
RETRY_AFTER_SECONDS_MAX = 3600.0

FetchResult = Fetched | Unmodified | Gone | Redirected | Failed

FAILURE_REASONS = (
    "ADDRESS_DENIED",
    "BAD_ENCODING",
    "BAD_RESPONSE",
    "BODY_TOO_LARGE",
    "CONNECTION_FAILED",
    "DNS_FAILED",
    "EMPTY_BODY",
    "HEADERS_TOO_LARGE",
    "HOST_DENIED",
    "INVALID_URL",
    "PORT_DENIED",
    "RATIO_TOO_HIGH",
    "REDIRECT_DENIED",
    "REDIRECT_LOOP",
    "TIMEOUT",
    "TLS_FAILED",
    "TOO_MANY_REDIRECTS",
    "TOO_SLOW",
    "TRUNCATED_BODY",
    "UNEXPECTED_NOT_MODIFIED",
    "UNSUPPORTED_ENCODING",
    "UNSUPPORTED_TYPE",
)


class RequestGate(Protocol):
    """What one lease on a host lets a source do, whatever sends the requests."""

    def request(self, url: str) -> AbstractAsyncContextManager[None]:
        """Holds the host for one request to it, from before it is sent until its answer has ended.

        Waits for the request before and the host's pause, and holds the lease for long enough.

        Raises:
            AddressDenied: the URL's literal address may not be connected to.
            LeaseLost: the host is somebody else's by now.
        """
        ...

    def check_address(self, url: str) -> None:
        """Says whether a canonical URL's literal address may be connected to; names pass.

        An adapter also refuses the addresses that it connects to after looking names up.

        Raises:
            AddressDenied: it may not.
        """
        ...

    async def admits(self, url: str) -> bool:
        """Says whether a page's redirect on the host may be followed: scope, then robots.txt."""
        ...


class PageSource(Protocol):
    """Fetches pages; never raises for what the web does."""

    async def fetch(self, request: FetchRequest, gate: RequestGate) -> FetchResult:
        """Fetches one page.

        A redirect that the gate does not admit gives `Failed(REDIRECT_DENIED)`.
        """
        ...

    async def fetch_plain(
        self,
        request: FetchRequest,
        gate: RequestGate,
        *,
        limit_bytes: int,
        redirects_max: int = 5,
        cut: bool = False,
        admitted_only: bool = False,
    ) -> FetchResult:
        """Fetches a robots.txt, a sitemap or a part of a page: any media type, may be empty.

        Args:
            limit_bytes: decoded size; a `.gz` file counts unpacked.
            cut: keeps the first `limit_bytes` of a larger body instead of failing
                (RFC 9309 section 2.5).
            admitted_only: redirects on the host are followed where the gate admits them, as those
                of pages are; without it all are.
        """
        ...

    async def close(self) -> None:
        """Closes its connections; nothing may be fetched afterwards."""
        ...
