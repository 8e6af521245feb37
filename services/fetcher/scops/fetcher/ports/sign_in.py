"""Requests that begin a session with an origin: a login's form, or the grant of a token.

Contract: as of the page source, whatever the other side answers is a value and never an
exception. One request is one hop: redirects are not followed, and nothing is kept between two.
"""

from dataclasses import dataclass, field
from typing import Protocol

from scops.fetcher.ports.page_source import Failed, RequestGate

ANSWER_BYTES_MAX = 512 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInRequest:
    """One request.

    Args:
        url: a canonical URL.
        form: what is posted, as `application/x-www-form-urlencoded`; None sends GET.
        headers: beside those of every request; never shown.
    """

    url: str
    form: tuple[tuple[str, str], ...] | None = field(default=None, repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInAnswer:
    """What the server answered, whatever its status.

    Args:
        body: decoded, at most `ANSWER_BYTES_MAX`; never shown.
        target_url: where it redirects, canonical; empty where it does not.
        cookies: that it sets, by name and value; one with an empty value is taken back.
    """

    url: str
    status: int
    body: bytes = field(default=b"", repr=False)
    target_url: str = ""
    cookies: tuple[tuple[str, str], ...] = field(default=(), repr=False)


class SignInSource(Protocol):
    """Sends what begins a session; never raises for what the web does."""

    async def send(self, request: SignInRequest, gate: RequestGate) -> SignInAnswer | Failed:
        """Sends one request through a gate."""
        ...

    async def close(self) -> None:
        """Closes its connections; nothing may be sent afterwards."""
        ...
