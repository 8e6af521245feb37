"""Requests that begin a session, over HTTP by the same guarded client as pages."""

import asyncio
from collections.abc import Iterator
from urllib.parse import urlencode

import aiohttp
from yarl import URL

from scops.common.contract.errors import InvalidInput
from scops.common.egress.address import AddressDenied
from scops.common.runtime.clock import Clock
from scops.common.scope.urls import canonical_url
from scops.fetcher.adapters.http.answers import status_failure
from scops.fetcher.adapters.http.body import BodyBounds, read_body
from scops.fetcher.adapters.http.client import GuardedClient, checked_head
from scops.fetcher.adapters.http.failures import NETWORK_ERRORS, WebFailure, network_failure
from scops.fetcher.adapters.http.headers import http_time, location_text
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.adapters.http.page_source import ACCEPT_ENCODING
from scops.fetcher.adapters.http.redirects import REDIRECTS
from scops.fetcher.ports.page_source import Failed, RequestGate
from scops.fetcher.ports.sign_in import ANSWER_BYTES_MAX, SignInAnswer, SignInRequest

ACCEPT = "text/html, application/xhtml+xml;q=0.9, application/json;q=0.9, */*;q=0.1"
FORM = "application/x-www-form-urlencoded"
_BOUNDS = BodyBounds(wire_bytes_max=ANSWER_BYTES_MAX, decoded_bytes_max=ANSWER_BYTES_MAX, cut=True)


class HttpSignIn:
    """A `SignInSource`; see there for the contract.

    Args:
        client: makes the connections; closed with this.
        limits: bounds of every request.
        clock: for Retry-After dates, and for cookies that have ended.
        user_agent: the header.
    """

    def __init__(
        self, client: GuardedClient, *, limits: HttpLimits, clock: Clock, user_agent: str
    ) -> None:
        self._client = client
        self._limits = limits
        self._clock = clock
        self._user_agent = user_agent

    async def send(self, request: SignInRequest, gate: RequestGate) -> SignInAnswer | Failed:
        try:
            async with gate.request(request.url):
                return await self._answer(request)
        except AddressDenied as error:
            return _failed(network_failure(error), request.url)
        except WebFailure as failure:
            return _failed(failure, request.url)

    async def close(self) -> None:
        await self._client.close()

    async def _answer(self, request: SignInRequest) -> SignInAnswer:
        try:
            async with (
                asyncio.timeout(self._limits.total_seconds),
                await self._head(request) as response,
            ):
                body = await read_body(
                    response.content.iter_any(),
                    content_encoding=",".join(response.headers.getall("Content-Encoding", [])),
                    bounds=_BOUNDS,
                    limits=self._limits,
                    inspect=lambda head: None,
                )
        except NETWORK_ERRORS as error:
            raise network_failure(error) from error
        status = response.status
        retry_after = response.headers.get("Retry-After", "")
        failure = status_failure(status, retry_after=retry_after, now=self._clock.now())
        if status >= 400 and failure.retryable:
            raise failure
        return SignInAnswer(
            url=request.url,
            status=status,
            body=body,
            target_url=_target(response, request.url),
            cookies=tuple(self._cookies(response)),
        )

    async def _head(self, request: SignInRequest) -> aiohttp.ClientResponse:
        sent = {
            "User-Agent": self._user_agent,
            "Accept": ACCEPT,
            "Accept-Encoding": ACCEPT_ENCODING,
            **dict(request.headers),
        }
        posts = request.form is not None
        if posts:
            sent["Content-Type"] = FORM
        async with asyncio.timeout(self._limits.headers_seconds):
            response = await self._client.session().request(
                "POST" if posts else "GET",
                # Already canonical: yarl must not quote it in its own way.
                URL(request.url, encoded=True),
                data=urlencode(request.form or ()).encode() if posts else None,
                headers=sent,
                allow_redirects=False,
            )
        return checked_head(response, self._limits)

    def _cookies(self, response: aiohttp.ClientResponse) -> Iterator[tuple[str, str]]:
        """Yields what a server sets; what has ended has an empty value (RFC 6265 section 3.1)."""
        for name, one in response.cookies.items():
            ends = http_time(one["expires"]) if one["expires"] else None
            is_over = ends is not None and ends <= self._clock.now()
            if one["max-age"]:
                is_over = str(one["max-age"]).startswith(("0", "-"))
            yield name, "" if is_over else one.coded_value


def _target(response: aiohttp.ClientResponse, url: str) -> str:
    if response.status not in REDIRECTS:
        return ""
    try:
        return canonical_url(location_text(response.headers.get("Location", "")), base=url)
    except InvalidInput:
        return ""


def _failed(failure: WebFailure, url: str) -> Failed:
    return Failed(**vars(failure), final_url=url)
