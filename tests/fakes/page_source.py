"""A page source without a network: answers by URL, requests remembered."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any

from scops.common.egress.address import AddressDenied, AddressPolicy, parse_allowed_ranges
from scops.common.scope.urls import canonical_url, host_key
from scops.fetcher.frontier.leases import LeaseLost
from scops.fetcher.ports.page_source import (
    Failed,
    Fetched,
    FetchRequest,
    FetchResult,
    Gone,
    Redirect,
    Redirected,
    RequestGate,
    Unmodified,
)
from tests.fakes.clock import ManualClock

NOTHING_THERE = "nothing is served there"


@dataclass(frozen=True, slots=True)
class Hop:
    """An answer that redirects."""

    target: str
    permanent: bool = True


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that was sent, with the headers of its credential that went along."""

    url: str
    time: datetime
    conditional: bool
    sent: tuple[tuple[str, str], ...] = ()

    @property
    def known(self) -> bool:
        """Whether the request's credential went along."""
        return bool(self.sent)


Answer = Fetched | Failed | Hop | Callable[[], Any] | None


def page_answer(
    body: str = "<p>text</p>", *, etag: str = "", media_type: str = "text/html"
) -> Fetched:
    """Returns a 200; its final URL is filled in by the source."""
    return Fetched(
        final_url="",
        redirects=(),
        body=body.encode(),
        media_type=media_type,
        charset="utf-8",
        etag=etag,
        last_modified="",
        last_modified_time=None,
        content_language="",
        robots_tag="",
        response_seconds=0.0,
    )


def failure(reason: str, *, retryable: bool = False, **values: Any) -> Failed:
    """Returns a failure."""
    return Failed(reason=reason, detail=f"made {reason}", retryable=retryable, **values)


LOOPBACK = AddressPolicy(allowed=parse_allowed_ranges("127.0.0.1/32:*"))


@dataclass
class OpenGate:
    """A `RequestGate` without a lease: remembers what was asked of it.

    Attributes:
        admitted: whether redirects are.
        lost: raised in the place of so many-th a request, counted from one.
        open: requests that are being sent.
    """

    addresses: AddressPolicy = LOOPBACK
    admitted: bool = True
    lost: int = 0
    requests: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    open: int = 0

    @asynccontextmanager
    async def request(self, url: str) -> AsyncIterator[None]:
        if len(self.requests) + 1 == self.lost:
            raise LeaseLost("lost")
        self.check_address(url)
        self.requests.append(url)
        self.open += 1
        try:
            yield
        finally:
            self.open -= 1

    def check_address(self, url: str) -> None:
        self.addresses.check_url(url)

    async def admits(self, url: str) -> bool:
        self.asked.append(url)
        return self.admitted


@dataclass
class FakePageSource:
    """A `PageSource` over a dictionary; a URL that is not in it is answered 404.

    Attributes:
        answers: by canonical URL; None is a 410.
        response_seconds: how far each request moves the clock.
    """

    clock: ManualClock
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    response_seconds: float = 0.0

    def serve(self, url: str, answer: Answer) -> None:
        """Sets the answer of a URL."""
        self.answers[canonical_url(url)] = answer

    def serve_pages(self, *names: str, host: str = "a.test") -> list[str]:
        """Serves pages of a host, each of which says its own URL; returns their URLs."""
        urls = [f"https://{host}/{name}" for name in names]
        for url in urls:
            self.serve(url, page_answer(url))
        return urls

    async def fetch(self, request: FetchRequest, gate: RequestGate) -> FetchResult:
        return await self._followed(request, gate, admitted_only=True)

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
        return await self._followed(request, gate, admitted_only=admitted_only)

    async def _followed(
        self, request: FetchRequest, gate: RequestGate, *, admitted_only: bool
    ) -> FetchResult:
        url, hops = request.url, tuple[Redirect, ...]()
        try:
            while True:
                conditional = bool(request.etag) and url == (request.validated_url or request.url)
                sent = _sent(request, (request.url, *(hop.url for hop in hops)))
                async with gate.request(url):
                    answer = await self._ask(url, conditional, sent)
                if not isinstance(answer, Hop):
                    return _answered(answer, url, hops, request if conditional else None)
                target = canonical_url(answer.target, base=url)
                hops += (Redirect(url=target, permanent=answer.permanent),)
                url = target
                gate.check_address(url)
                if host_key(url) != host_key(request.url):
                    return _redirected(hops)
                if url in {request.url, *(hop.url for hop in hops[:-1])}:
                    return failure("REDIRECT_LOOP", redirects=hops, final_url=url)
                if admitted_only and not await gate.admits(url):
                    return failure("REDIRECT_DENIED", redirects=hops, final_url=url)
        except AddressDenied as error:
            return failure(error.refusal.reason, redirects=hops, final_url=url)

    async def close(self) -> None:
        return None

    async def _ask(self, url: str, conditional: bool, sent: tuple[tuple[str, str], ...]) -> Any:
        self.asked.append(Asked(url, self.clock.now(), conditional, sent))
        self.clock.advance(self.response_seconds)
        answer = self.answers.get(url, NOTHING_THERE)
        return answer() if callable(answer) else answer

    def pages_asked(self) -> list[str]:
        """Returns the URLs asked for, robots.txt and llms.txt left out."""
        return [
            asked.url
            for asked in self.asked
            if not asked.url.endswith(("/robots.txt", "/llms.txt"))
        ]

    def gaps_seconds(self) -> list[float]:
        """Returns the pauses between one request and the next."""
        times = [asked.time for asked in self.asked]
        return [(after - before).total_seconds() for before, after in pairwise(times)]


def _redirected(hops: tuple[Redirect, ...]) -> Redirected:
    permanent = all(hop.permanent for hop in hops)
    return Redirected(
        target_url=hops[-1].url, permanent=permanent, redirects=hops, response_seconds=0.0
    )


def _answered(
    answer: Any, url: str, hops: tuple[Redirect, ...], conditional: FetchRequest | None
) -> FetchResult:
    if answer is None or answer == NOTHING_THERE:
        status = 404 if answer else 410
        return Gone(final_url=url, redirects=hops, status=status, response_seconds=0.0)
    if isinstance(answer, Failed):
        return answer
    if conditional is not None and answer.etag == conditional.etag:
        return Unmodified(final_url=url, redirects=hops, response_seconds=0.0)
    values = {name: getattr(answer, name) for name in Fetched.__dataclass_fields__}
    return Fetched(**{**values, "final_url": url, "redirects": hops})


def _sent(request: FetchRequest, urls: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    found = request.credential
    if found is None or not all(f"{url}/".startswith(f"{found.origin}/") for url in urls):
        return ()
    return found.headers
