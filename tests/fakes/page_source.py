"""A page source without a network: answers by URL, requests remembered."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any

from scops.common.scope.urls import canonical_url, host_key
from scops.fetcher.ports.page_source import (
    Failed,
    Fetched,
    FetchRequest,
    FetchResult,
    Gone,
    HopCheck,
    Pause,
    Redirect,
    Redirected,
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
    """A request that was sent."""

    url: str
    time: datetime
    conditional: bool


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

    async def fetch(
        self, request: FetchRequest, *, allow: HopCheck | None = None, pause: Pause | None = None
    ) -> FetchResult:
        url, hops = request.url, tuple[Redirect, ...]()
        while True:
            conditional = bool(request.etag) and url == (request.validated_url or request.url)
            answer = await self._ask(url, conditional)
            if not isinstance(answer, Hop):
                return _answered(answer, url, hops, request if conditional else None)
            hops += (
                Redirect(url=canonical_url(answer.target, base=url), permanent=answer.permanent),
            )
            url = hops[-1].url
            if host_key(url) != host_key(request.url):
                permanent = all(hop.permanent for hop in hops)
                return Redirected(
                    target_url=url, permanent=permanent, redirects=hops, response_seconds=0.0
                )
            if allow is not None and not await allow(url):
                return failure("REDIRECT_DENIED", redirects=hops, final_url=url)
            if pause is not None:
                await pause()

    async def fetch_plain(
        self,
        request: FetchRequest,
        *,
        limit_bytes: int,
        redirects_max: int = 5,
        cut: bool = False,
        allow: HopCheck | None = None,
        pause: Pause | None = None,
    ) -> FetchResult:
        url = request.url
        conditional = bool(request.etag) and url == (request.validated_url or url)
        answer = await self._ask(url, conditional)
        if isinstance(answer, Hop):
            return Redirected(
                target_url=answer.target,
                permanent=answer.permanent,
                redirects=(Redirect(url=answer.target, permanent=answer.permanent),),
                response_seconds=0.0,
            )
        return _answered(answer, url, (), request if conditional else None)

    async def close(self) -> None:
        return None

    async def _ask(self, url: str, conditional: bool) -> Any:
        self.asked.append(Asked(url, self.clock.now(), conditional))
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
