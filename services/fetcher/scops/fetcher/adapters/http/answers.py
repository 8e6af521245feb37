"""What a status that is neither a page nor a redirect means."""

from datetime import datetime

from scops.fetcher.adapters.http.failures import WebFailure
from scops.fetcher.adapters.http.headers import retry_after_seconds

GONE = frozenset({404, 410})

# The host, or what stands before it, is overloaded or down; its other pages will not fare better.
_HOST_FAULTS = frozenset({429, 502, 503, 504})

_RETRYABLE = frozenset({408, 425, 429})

_EXPLAINED = {
    204: "there is no content",
    206: "only part of the page came, though all was asked for",
    401: "it asks for a login",
    402: "it asks for payment",
    403: "the server refuses it; it may block crawlers",
    429: "too many requests; the host is asked more slowly",
    451: "it is withheld for legal reasons",
}


def status_failure(status: int, *, retry_after: str, now: datetime) -> WebFailure:
    """Returns the failure for a status.

    Args:
        retry_after: the Retry-After header; may be empty.
    """
    retryable = status in _RETRYABLE or 500 <= status < 600
    why = _EXPLAINED.get(status) or ("the server failed" if status >= 500 else "it is no page")
    then = "It is tried again later." if retryable else "Look at it in a browser, or exclude it."
    return WebFailure(
        reason=f"HTTP_{status}",
        detail=f"The server answered {status}: {why}. {then}",
        retryable=retryable,
        retry_after_seconds=retry_after_seconds(retry_after, now),
        host_fault=status in _HOST_FAULTS,
        status=status,
    )


def unexpected_not_modified() -> WebFailure:
    """Returns the failure for a 304 that nothing asked for (RFC 9110 section 15.4.5)."""
    return WebFailure(
        reason="UNEXPECTED_NOT_MODIFIED",
        detail="The server says that the page is unmodified, though nothing was said to compare "
        "with. The server, or a cache before it, needs repair.",
        status=304,
    )


def unsupported_type(declared: str) -> WebFailure:
    """Returns the failure for a body that Scops cannot read."""
    return WebFailure(
        reason="UNSUPPORTED_TYPE",
        detail=f"The body, declared as {declared or 'nothing'}, is not HTML, plain text or "
        "Markdown, which is what Scops reads. Exclude it from the scope.",
        status=200,
    )


def empty_body() -> WebFailure:
    """Returns the failure for a 200 without a body."""
    return WebFailure(
        reason="EMPTY_BODY",
        detail="The server answered 200 with nothing in it; what was known before stands. Look "
        "at it in a browser, or exclude it.",
        status=200,
    )


def redirect_denied(url: str) -> WebFailure:
    """Returns the failure for a redirect that the gate does not admit."""
    return WebFailure(
        reason="REDIRECT_DENIED",
        detail=f"The page redirects to {url}, which may not be fetched: robots.txt or the scope's "
        "rules forbid it.",
    )
