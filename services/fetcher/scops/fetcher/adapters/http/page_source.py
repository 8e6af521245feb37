"""The page source over HTTP, on aiohttp.

Redirects are followed here, content encodings removed here, and each answer is held against its
bounds; connections are the guarded client's.
"""

import asyncio
import ssl
from dataclasses import dataclass, field, replace
from datetime import datetime

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from scops.common.egress.address import AddressDenied, AddressPolicy
from scops.common.runtime.clock import Clock
from scops.fetcher.adapters.http.answers import (
    GONE,
    empty_body,
    redirect_denied,
    status_failure,
    unexpected_not_modified,
    unsupported_type,
)
from scops.fetcher.adapters.http.body import BodyBounds, gunzipped, read_body
from scops.fetcher.adapters.http.client import GuardedClient, checked_head
from scops.fetcher.adapters.http.exchange import exchange_of
from scops.fetcher.adapters.http.failures import (
    NETWORK_ERRORS,
    WebFailure,
    network_failure,
)
from scops.fetcher.adapters.http.headers import (
    charset,
    header_text,
    http_time,
    media_type,
    validator,
)
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.adapters.http.redirects import REDIRECTS, RedirectChain
from scops.fetcher.fetch.sniffing import readable_type
from scops.fetcher.ports.page_source import (
    Credential,
    Failed,
    Fetched,
    FetchRequest,
    FetchResult,
    Gone,
    Redirected,
    RequestGate,
    Unmodified,
)

PRODUCT_TOKEN = "Scops"
"""Our name in User-Agent and in robots.txt."""

ACCEPT = (
    "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, "
    "application/pdf;q=0.7, */*;q=0.1"
)
ACCEPT_PLAIN = "text/plain, application/xml, text/xml, */*;q=0.1"
ACCEPT_ENCODING = "gzip, deflate, br, zstd"


def user_agent(version: str, contact_url: str) -> str:
    """Returns the User-Agent header, such as `Scops/0.1.0 (+https://example.org/bot)`."""
    contact = f" (+{contact_url})" if contact_url else ""
    return f"{PRODUCT_TOKEN}/{version}{contact}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _RequestPlan:
    """What is asked of every hop, and of the body at its end."""

    bounds: BodyBounds
    redirects_max: int
    plain: bool
    headers: dict[str, str]
    conditions: dict[str, str] = field(default_factory=dict)
    conditions_url: str = ""
    credential: Credential | None = None
    admitted_only: bool = True


class HttpPageSource:
    """A `PageSource`; see there for the contract.

    Args:
        limits: bounds of every fetch.
        addresses: which addresses may be connected to.
        clock: for Retry-After dates.
        user_agent: the header.
        resolver: looks up names; the system's by default.
        tls: verifies servers; the system's authorities by default.
        proxy: URL of a proxy that makes the connections; none by default.
    """

    def __init__(
        self,
        *,
        limits: HttpLimits,
        addresses: AddressPolicy,
        clock: Clock,
        user_agent: str,
        resolver: AbstractResolver | None = None,
        tls: ssl.SSLContext | None = None,
        proxy: str = "",
    ) -> None:
        self._client = GuardedClient(
            limits=limits, addresses=addresses, resolver=resolver, tls=tls, proxy=proxy
        )
        self._limits = limits
        self._clock = clock
        self._user_agent = user_agent

    async def fetch(self, request: FetchRequest, gate: RequestGate) -> FetchResult:
        size = self._limits
        bounds = BodyBounds(
            wire_bytes_max=size.wire_bytes_max, decoded_bytes_max=size.decoded_bytes_max
        )
        plan = self._plan(request, ACCEPT, bounds, size.redirects_max, plain=False)
        return await self._fetch(request.url, plan, gate)

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
        bounds = BodyBounds(
            wire_bytes_max=self._limits.wire_bytes_max if cut else limit_bytes,
            decoded_bytes_max=limit_bytes,
            cut=cut,
        )
        plan = self._plan(request, ACCEPT_PLAIN, bounds, redirects_max, plain=True)
        plan = replace(plan, admitted_only=admitted_only)
        return await self._fetch(request.url, plan, gate)

    async def close(self) -> None:
        await self._client.close()

    def _plan(
        self,
        request: FetchRequest,
        accept: str,
        bounds: BodyBounds,
        redirects_max: int,
        *,
        plain: bool,
    ) -> _RequestPlan:
        return _RequestPlan(
            bounds=bounds,
            redirects_max=redirects_max,
            plain=plain,
            headers={
                "User-Agent": self._user_agent,
                "Accept": accept,
                "Accept-Encoding": ACCEPT_ENCODING,
            },
            conditions=_conditions(request),
            conditions_url=request.validated_url or request.url,
            credential=request.credential,
        )

    async def _fetch(self, url: str, plan: _RequestPlan, gate: RequestGate) -> FetchResult:
        chain = RedirectChain(url, redirects_max=plan.redirects_max)
        try:
            chain.start()
            while True:
                async with gate.request(chain.url):
                    result = await self._request(chain, plan)
                if result is not None:
                    return result
                gate.check_address(chain.url)
                if not chain.on_first_host:
                    return Redirected(
                        target_url=chain.url,
                        permanent=chain.permanent,
                        redirects=chain.redirects,
                        response_seconds=chain.response_seconds,
                    )
                if plan.admitted_only and not await gate.admits(chain.url):
                    raise redirect_denied(chain.url)
        except AddressDenied as error:
            return _failed(network_failure(error), chain)
        except WebFailure as failure:
            return _failed(failure, chain)

    async def _request(self, chain: RedirectChain, plan: _RequestPlan) -> FetchResult | None:
        """Sends one request; returns None where it was redirected and the chain moved on."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        left = max(self._limits.total_seconds - chain.seconds, 0.0)
        try:
            async with asyncio.timeout(left), await self._headers_of(chain, plan) as response:
                body = await self._body_of(response, plan)
        except NETWORK_ERRORS as error:
            raise network_failure(error) from error
        finally:
            chain.response_seconds = loop.time() - started
            chain.seconds += chain.response_seconds
        if response.status in REDIRECTS:
            chain.follow(response.status, response.headers.get("Location", ""))
            return None
        return self._answer(response, body, chain, plan)

    async def _headers_of(self, chain: RedirectChain, plan: _RequestPlan) -> aiohttp.ClientResponse:
        sent = dict(plan.headers)
        if chain.url == plan.conditions_url:
            sent |= plan.conditions
        if plan.credential is not None and chain.has_stayed_on(plan.credential.origin):
            sent |= dict(plan.credential.headers)
        async with asyncio.timeout(self._limits.headers_seconds):
            response = await self._client.session().get(
                # Already canonical: yarl must not quote it in its own way.
                URL(chain.url, encoded=True),
                headers=sent,
                allow_redirects=False,
            )
        return checked_head(response, self._limits)

    async def _body_of(self, response: aiohttp.ClientResponse, plan: _RequestPlan) -> bytes:
        if response.status != 200:
            return b""
        declared = response.headers.get("Content-Type", "")

        def inspect(head: bytes) -> None:
            if not plan.plain and head and _readable(declared, head) is None:
                raise unsupported_type(media_type(declared))

        body = await read_body(
            response.content.iter_any(),
            content_encoding=",".join(response.headers.getall("Content-Encoding", [])),
            bounds=plan.bounds,
            limits=self._limits,
            inspect=inspect,
        )
        return gunzipped(body, bounds=plan.bounds, limits=self._limits) if plan.plain else body

    def _answer(
        self,
        response: aiohttp.ClientResponse,
        body: bytes,
        chain: RedirectChain,
        plan: _RequestPlan,
    ) -> FetchResult:
        status = response.status
        if status == 200:
            if not body and not plan.plain:
                raise empty_body()
            return _fetched(response, body, chain, plan.credential)
        if status == 304 and plan.conditions and chain.url == plan.conditions_url:
            return Unmodified(
                **chain.outcome,
                etag=validator(response.headers.get("ETag", "")),
                last_modified=_last_modified(response)[0],
            )
        if status == 304:
            raise unexpected_not_modified()
        if status in GONE:
            return Gone(**chain.outcome, status=status)
        retry_after = response.headers.get("Retry-After", "")
        raise status_failure(status, retry_after=retry_after, now=self._clock.now())


def _conditions(request: FetchRequest) -> dict[str, str]:
    conditions = {
        "If-None-Match": validator(request.etag),
        "If-Modified-Since": validator(request.last_modified),
    }
    return {name: value for name, value in conditions.items() if value}


def _readable(content_type: str, head: bytes) -> str | None:
    return readable_type(
        declared=media_type(content_type), charset=charset(content_type), head=head
    )


def _fetched(
    response: aiohttp.ClientResponse,
    body: bytes,
    chain: RedirectChain,
    credential: Credential | None,
) -> Fetched:
    headers = response.headers
    content_type = headers.get("Content-Type", "")
    declared = media_type(content_type)
    last_modified, last_modified_time = _last_modified(response)
    return Fetched(
        **chain.outcome,
        body=body,
        media_type=_readable(content_type, body) or declared,
        declared_media_type=declared,
        charset=charset(content_type),
        etag=validator(headers.get("ETag", "")),
        last_modified=last_modified,
        last_modified_time=last_modified_time,
        content_language=header_text(headers.get("Content-Language", "")),
        robots_tag=header_text(", ".join(headers.getall("X-Robots-Tag", []))),
        exchange=exchange_of(response, credential),
    )


def _last_modified(response: aiohttp.ClientResponse) -> tuple[str, datetime | None]:
    """Returns the header and its instant; nothing where it is no date."""
    stated = validator(response.headers.get("Last-Modified", ""))
    instant = http_time(stated) if stated else None
    return (stated, instant) if instant else ("", None)


def _failed(failure: WebFailure, chain: RedirectChain) -> Failed:
    return Failed(**vars(failure), **chain.outcome)
