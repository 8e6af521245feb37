"""How a fetch fails: what goes wrong on the web, as `Failed` values."""

import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass

import aiohttp
from aiohttp.http_exceptions import LineTooLong

from scops.common.egress.address import AddressDenied

CAUSES_MAX = 8

NETWORK_ERRORS = (aiohttp.ClientError, TimeoutError, OSError, UnicodeError)
"""What a request may raise because of the other side; anything else is a bug of ours."""


class TunnelRefused(OSError):
    """A connection that a proxy did not make."""


@dataclass(eq=False, kw_only=True)
class WebFailure(Exception):
    """A fetch that cannot go on; becomes a `Failed`, whose fields it has.

    Not frozen, unlike other values: Python writes the traceback into what is raised.
    """

    reason: str
    detail: str
    retryable: bool = False
    retry_after_seconds: float | None = None
    host_fault: bool = False
    status: int = 0


def network_failure(error: BaseException) -> WebFailure:
    """Returns the failure that one of `NETWORK_ERRORS` stands for."""
    for cause in _causes(error):
        if isinstance(cause, AddressDenied):
            return WebFailure(reason=cause.refusal.reason, detail=cause.refusal.detail)
        if isinstance(cause, LineTooLong):
            return headers_too_large("one field is too long")
        if isinstance(cause, TunnelRefused):
            return _no_tunnel(cause)
        if isinstance(cause, socket.gaierror):
            return _dns_failed(error)
    return _by_class(error)


def headers_too_large(what: str) -> WebFailure:
    """Returns the failure for oversized headers."""
    return WebFailure(
        reason="HEADERS_TOO_LARGE",
        detail=f"The answer's headers are refused: {what}. The server should send fewer.",
    )


def _by_class(error: BaseException) -> WebFailure:
    if isinstance(error, TimeoutError):
        return WebFailure(
            reason="TIMEOUT",
            detail="The host did not answer in time; it is left alone for a while, then retried.",
            retryable=True,
            host_fault=True,
        )
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return _dns_failed(error)
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        return WebFailure(
            reason="TLS_FAILED",
            detail=f"No secure connection: {_words(error)}. The certificate or the server's TLS "
            "settings need repair; or use the address that it is valid for.",
        )
    if isinstance(error, aiohttp.InvalidURL | UnicodeError):
        return WebFailure(
            reason="INVALID_URL",
            detail=f"The address cannot be requested: {_words(error)}. Correct it.",
        )
    if isinstance(error, aiohttp.ClientPayloadError):
        return WebFailure(
            reason="TRUNCATED_BODY",
            detail=f"The body broke off: {_words(error)}. It is dropped and fetched again later.",
            retryable=True,
        )
    return _protocol_or_connection(error)


def _protocol_or_connection(error: BaseException) -> WebFailure:
    if isinstance(error, aiohttp.ClientResponseError):
        if "Too many headers" in error.message:
            return headers_too_large("there are too many fields")
        return WebFailure(
            reason="BAD_RESPONSE",
            detail=f"The answer is not HTTP: {_words(error)}. The server needs repair.",
        )
    return WebFailure(
        reason="CONNECTION_FAILED",
        detail=f"The connection failed: {_words(error)}. The host is left alone for a while, then "
        "retried.",
        retryable=True,
        host_fault=True,
    )


def _no_tunnel(error: TunnelRefused) -> WebFailure:
    return WebFailure(
        reason="CONNECTION_FAILED",
        detail=f"The proxy made no connection: {_words(error)}. Check SCOPS_FETCHER_PROXY and what "
        "the proxy lets through; the host is left alone for a while, then retried.",
        retryable=True,
        host_fault=True,
    )


def _dns_failed(error: BaseException) -> WebFailure:
    return WebFailure(
        reason="DNS_FAILED",
        detail=f"The host's name has no address: {_words(error)}. Check its spelling; it is "
        "retried later.",
        retryable=True,
        host_fault=True,
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yields an error and what it wraps; the connector wraps what the guard raises."""
    cause: BaseException | None = error
    for _ in range(CAUSES_MAX):
        if cause is None:
            return
        yield cause
        cause = getattr(cause, "os_error", None) or cause.__cause__ or cause.__context__


def _words(error: BaseException) -> str:
    """Returns an error's own words, short and printable: they may quote the server."""
    words = " ".join(str(error).split()) or type(error).__name__
    printable = words.encode("ascii", "backslashreplace").decode("ascii")
    return printable[:200].rstrip(".")
