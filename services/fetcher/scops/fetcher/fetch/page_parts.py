"""What a page in a browser is given beside its document: scripts, style sheets and data.

Each is asked for like a page: under the clock of its host, by the guarded client, where robots.txt
lets us, and so is where it redirects to. Hosts of other domains are not asked.
"""

import asyncio
from collections import OrderedDict
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url, host_key, registrable_domain
from scops.fetcher.fetch.visit import Visit
from scops.fetcher.metrics import PARTS
from scops.fetcher.politeness.robots import RobotsKind
from scops.fetcher.ports.browser import PagePart
from scops.fetcher.ports.page_source import (
    Failed,
    Fetched,
    FetchRequest,
    FetchResult,
    Gone,
    Redirected,
)

PART_BYTES_MAX = 4 * 1024 * 1024
PAGE_BYTES_MAX = 16 * 1024 * 1024
# Scripts and style sheets are the same for all pages of an app.
KEPT_BYTES_MAX = 32 * 1024 * 1024
KEPT_AGE = timedelta(minutes=10)
# Why a page does without a part.
THIRD_PARTY, ROBOTS, REFUSED = "third_party", "robots", "refused"
SHARED_TYPES = ("javascript", "ecmascript", "text/css")


class PartFailed(Exception):
    """A part that the page may depend on did not come, for now: what it shows is not its content.

    Attributes:
        failure: of the part.
    """

    def __init__(self, failure: Failed) -> None:
        super().__init__(failure.detail)
        self.failure = failure


@dataclass(slots=True)
class PartCache:
    """Scripts and style sheets of a process, by who may see them and their URL."""

    _kept: OrderedDict[tuple[str, str], tuple[datetime, PagePart]] = field(
        default_factory=OrderedDict
    )
    _size: int = 0

    def get(self, context: str, url: str, *, now: datetime) -> PagePart | None:
        """Returns a part that is young enough."""
        found = self._kept.get((context, url))
        if found is None or now - found[0] > KEPT_AGE:
            return None
        return found[1]

    def keep(self, context: str, url: str, part: PagePart, *, now: datetime) -> None:
        """Keeps a part that other pages may ask for too; the oldest give way."""
        if part.status != 200 or not any(name in part.content_type for name in SHARED_TYPES):
            return
        old = self._kept.pop((context, url), None)
        self._size += len(part.body) - (len(old[1].body) if old else 0)
        self._kept[context, url] = (now, part)
        while self._size > KEPT_BYTES_MAX:
            _, (_, dropped) = self._kept.popitem(last=False)
            self._size -= len(dropped.body)


@dataclass(slots=True, kw_only=True)
class PageParts:
    """Loads the parts of one page under its visit.

    Attributes:
        document_url: where the document came from.
        access_context: of the page; parts are kept for pages of the same one alone.
        bytes_left: that the page may still be given.
        asked: requests that were sent.
    """

    visit: Visit
    document_url: str
    access_context: str
    cache: PartCache
    bytes_left: int = PAGE_BYTES_MAX
    asked: int = 0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def load(self, url: str) -> PagePart | None:
        """Returns a part; None where it is not ours to ask for, or there is no room for it.

        Raises:
            PartFailed: it may come later, and the page does not show its content without it.
            LeaseLost: the host is somebody else's by now.
            TransientError: the state does not answer.
        """
        try:
            url = canonical_url(url)
        except InvalidInput:
            return _left_out("malformed")
        if not self._is_first_party(url):
            return _left_out(THIRD_PARTY)
        # The host is asked one thing at a time, and what is cached meanwhile is not asked again.
        async with self._turn:
            part = self.cache.get(self.access_context, url, now=self.visit.ports.clock.now())
            return part if part is not None else await self._ask(url)

    def _is_first_party(self, url: str) -> bool:
        """Says whether whoever registered the document's domain has the host of a part, too."""
        mine = registrable_domain(self.document_url)
        shared = mine == registrable_domain(url) if mine else _host(self.document_url) == _host(url)
        return shared and host_key(url) == self.visit.host.host_key

    async def refusal(self, url: str) -> str:
        """Returns why a URL is not to be asked for; empty where it may be.

        Raises:
            PartFailed: that is not known for now.
        """
        if not self._is_first_party(url):
            return THIRD_PARTY
        policy = await self.visit.policy(url)
        if isinstance(policy, Failed):
            if policy.retryable:
                raise PartFailed(policy)
            # Its address is none that we connect to, whatever it has to say.
            return REFUSED
        if await self.visit.allows(policy, url):
            return ""
        if policy.kind is RobotsKind.DISALLOW_ALL:
            raise PartFailed(_no_robots(url))
        return ROBOTS

    async def _ask(self, url: str) -> PagePart | None:
        why = await self.refusal(url)
        if why:
            return _left_out(why)
        if self.bytes_left <= 0:
            return _left_out("too_large")
        self.asked += 1
        limit = min(PART_BYTES_MAX, self.bytes_left)
        request = FetchRequest(url=url, credential=self.visit.credential)
        answer = await self.visit.ports.source.fetch_plain(
            request, _PartGate(self), limit_bytes=limit, admitted_only=True
        )
        part = self._given(answer)
        if part is not None:
            self.bytes_left -= len(part.body)
            now = self.visit.ports.clock.now()
            self.cache.keep(self.access_context, url, part, now=now)
        return part

    def _given(self, answer: FetchResult) -> PagePart | None:
        if isinstance(answer, Fetched):
            PARTS.labels(result="loaded").inc()
            charset = f"; charset={answer.charset}" if answer.charset else ""
            declared = answer.declared_media_type
            return PagePart(status=200, content_type=declared + charset, body=answer.body)
        if isinstance(answer, Gone):
            PARTS.labels(result="missing").inc()
            return PagePart(status=404, content_type="text/plain", body=b"")
        if isinstance(answer, Failed) and answer.retryable:
            PARTS.labels(result="failed").inc()
            raise PartFailed(replace(answer, detail=f"Of the page's parts: {answer.detail}"))
        return _left_out("redirected" if isinstance(answer, Redirected) else REFUSED)


@dataclass(frozen=True, slots=True)
class _PartGate:
    """A `RequestGate` for parts: as their page's, but redirects are held against `refusal`."""

    parts: PageParts

    def request(self, url: str) -> AbstractAsyncContextManager[None]:
        return self.parts.visit.request(url)

    def check_address(self, url: str) -> None:
        self.parts.visit.check_address(url)

    async def admits(self, url: str) -> bool:
        return not await self.parts.refusal(url)


def _left_out(why: str) -> PagePart | None:
    PARTS.labels(result=why).inc()
    return None


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0]


def _no_robots(url: str) -> Failed:
    return Failed(
        reason="ROBOTS_UNREACHABLE",
        detail=f"The robots.txt of {url}, which the page needs, cannot be read. It is tried again "
        "later.",
        retryable=True,
    )
