"""One lease in a worker's hands: robots.txt and pauses under the host's clock."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

from scops.common.contract.errors import InvalidInput, NotYetKnown
from scops.common.contract.ids import FetchId, content_hash
from scops.common.contract.messages.types import ScopeRef, ScopeRule
from scops.common.scope.book import ScopeBook
from scops.common.scope.held import HeldByRules
from scops.common.scope.limits import NO_RENDERING
from scops.common.scope.rules import in_scope
from scops.common.scope.urls import canonical_url, host_key, origin_of
from scops.fetcher.frontier.leases import HostLease, LeaseLost, Release
from scops.fetcher.frontier.outcomes import REDIRECTED, ROBOTS
from scops.fetcher.metrics import ROBOTS as ROBOTS_READ
from scops.fetcher.politeness.plain_files import (
    KeptFile,
    as_fetched,
    held_after,
    request_for,
    unreachable_since,
)
from scops.fetcher.politeness.politeness import after_answer, smoothed, untouched
from scops.fetcher.politeness.robots import (
    ROBOTS_AGE,
    ROBOTS_BYTES_MAX,
    ROBOTS_REDIRECTS_MAX,
    SILENCE_MAX,
    UNREACHABLE_AGE,
    RobotsKind,
    RobotsPolicy,
    off_the_loop,
    policy_after_silence,
    robots_policy,
    robots_url,
)
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.page_source import (
    Credential,
    Failed,
    Fetched,
    FetchRequest,
    FetchResult,
    Redirected,
)

Answer = TypeVar("Answer")
# A database that is slower than the lease is long will not get faster by asking on.
HOLDS_MAX = 3
HOST_BUSY = "HOST_BUSY"
# Of these nothing can be said about what the host allows.
NO_POLICY = frozenset({"ADDRESS_DENIED", "HOST_DENIED", "PORT_DENIED", HOST_BUSY})


def admits(scopes: ScopeBook, ref: ScopeRef, url: str) -> bool:
    """Says whether a scope holds a URL by the newest rules; an unknown scope holds nothing.

    Raises:
        NotYetKnown: the scope may still arrive.
    """
    try:
        return in_scope(scopes.get(ref), url)
    except NotYetKnown:
        # A projection that was made anew lacks scopes until the gateway vouches for it.
        if scopes.vouched_time is None:
            raise
        return False


def _key_of(rules: tuple[ScopeRule, ...]) -> str:
    return content_hash(*(repr(rule) for rule in rules))


_RULES_KEYS = HeldByRules(_key_of)


def rules_key(scopes: ScopeBook, ref: ScopeRef) -> str:
    """Returns what tells the newest rules of a scope from others; empty where they are unknown."""
    try:
        scope = scopes.get(ref)
    except NotYetKnown:
        return ""
    return "" if scope.deleted else _RULES_KEYS.of(scope.rules)


def renders(scopes: ScopeBook, ref: ScopeRef, *, has_browser: bool) -> bool:
    """Says whether a browser shows pages of a scope that need it, in its newest revision.

    Raises:
        NotYetKnown: the scope may still arrive.
    """
    if not has_browser:
        return False
    try:
        return scopes.get(ref).rendered_per_day != NO_RENDERING
    except NotYetKnown:
        if scopes.vouched_time is None:
            raise
        return False


def lists(scopes: ScopeBook, ref: ScopeRef, listing_url: str) -> bool | None:
    """Says whether a scope names a listing itself; None for a scope that is deleted, or unknown."""
    try:
        scope = scopes.get(ref)
    except NotYetKnown:
        return None
    return None if scope.deleted else listing_url in map(_listed, scope.sitemaps)


def _listed(sitemap: str) -> str:
    try:
        return canonical_url(sitemap)
    except InvalidInput:
        return ""


def credential_contexts(scopes: ScopeBook, ref: ScopeRef) -> Mapping[str, str]:
    """Returns the access contexts of a scope's credentials by origin, in its newest revision.

    Raises:
        NotYetKnown: the scope may still arrive.
    """
    try:
        scope = scopes.get(ref)
    except NotYetKnown:
        if scopes.vouched_time is None:
            raise
        return {}
    if scope.deleted:
        return {}
    return {one.origin: one.access_context for one in scope.credentials}


@dataclass(slots=True)
class Visit:
    """A `RequestGate`: requests to one host under one lease, with the host's pause between any two.

    Attributes:
        scopes: of those who wait for the page; its redirects stay inside one of them.
        credential: that the page is asked for with; its redirects stay on that origin, for
            what lies behind them was shown to somebody whom the server did not know.
        fetch_id: of the page, which is not asked for once its fetch was given up.
        delay_seconds: rises when a robots.txt read on the way asks for more.
        requested: whether anything was sent.
        refused: why a redirect's target may not be requested; empty where none was refused.
        failure: of this host to give its robots.txt.
    """

    host: HostLease
    ports: FetcherPorts
    scopes: tuple[ScopeRef, ...] = ()
    credential: Credential | None = None
    fetch_id: FetchId | None = None
    policies: dict[str, RobotsPolicy] = field(default_factory=dict)
    delay_seconds: float = 0.0
    requested: bool = False
    refused: str = ""
    failure: Failed | None = None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @asynccontextmanager
    async def request(self, url: str) -> AsyncIterator[None]:
        """Waits the host's delay, unless nothing was sent under this lease yet.

        Where a run has sent something, the first request of its next page waits for that pause.
        A process that stood still between lease and request looks whether the lease still holds.
        """
        async with self._turn:
            if self.requested:
                pause = max(self.delay_seconds, self.host.delay_seconds)
                await self.ports.clock.sleep(pause)
                await self._hold()
            else:
                await self._rest()
                late = self.ports.clock.now() >= self.host.send_before
                if late or not self.ports.may_ask_hosts:
                    await self._hold()
            self.requested = True
            self.check_address(url)
            yield

    def check_address(self, url: str) -> None:
        """Lets a URL pass whose literal address may be connected to; see `RequestGate`."""
        self.ports.addresses.check_url(url)

    async def admits(self, url: str) -> bool:
        """Says whether a redirect on the host may be followed, and remembers why not."""
        is_ours = self.credential is None or origin_of(url) == self.credential.origin
        if not is_ours or not any(admits(self.ports.scopes, one, url) for one in self.scopes):
            self.refused = REDIRECTED
            return False
        policy = await self.policy(url)
        if isinstance(policy, Failed) or not await self.allows(policy, url):
            self.refused = ROBOTS
            return False
        return True

    async def allows(self, policy: RobotsPolicy, url: str) -> bool:
        """Says whether a policy lets us request a URL."""
        return await off_the_loop(policy, lambda one: one.allowed(url, self.ports.agent))

    async def _rest(self) -> None:
        """Waits until the host is free."""
        left = (self.host.free_before - self.ports.clock.now()).total_seconds()
        if left > 0:
            await self.ports.clock.sleep(left)

    async def _hold(self) -> None:
        """Holds the host, and the page's fetch, for a whole request from now on."""
        margin = timedelta(seconds=self.ports.settings.lease_margin_seconds)
        for _ in range(HOLDS_MAX):
            asked = self.ports.clock.now()
            await self.ports.frontier.extend(self.host, fetch_id=self.fetch_id, now=asked)
            if self.ports.clock.now() < asked + margin:
                return
        raise LeaseLost(f"The database took longer than the lease of {self.host.host_key} lasts.")

    async def policy(self, url: str) -> RobotsPolicy | Failed:
        """Returns the robots.txt policy for a URL of this host, requested where none is stored.

        A failure comes back where the address as such must not be connected to, or where the file
        is on another host that is not free.
        """
        address = robots_url(url)
        found = self.policies.get(address)
        if found is None:
            found = await self.ports.frontier.robots(address, now=self.ports.clock.now())
        if found is None:
            fresh = await self._request_policy(address)
            if isinstance(fresh, Failed):
                return fresh
            found = fresh
        self.policies[address] = found
        return found

    async def _request_policy(self, address: str) -> RobotsPolicy | Failed:
        held = await self.ports.files.held(address)
        request = request_for(address, held)
        answer = await self._robots_file(request, ROBOTS_REDIRECTS_MAX)
        self.failure = answer if isinstance(answer, Failed) else None
        left = ROBOTS_REDIRECTS_MAX
        while isinstance(answer, Redirected):
            left -= len(answer.redirects)
            if left < 0:
                break
            answer = await self._robots_elsewhere(replace(request, url=answer.target_url), left)
        if isinstance(answer, Failed) and answer.reason in NO_POLICY:
            return answer
        policy, file = self._judged(answer, held)
        ROBOTS_READ.labels(kind=policy.kind.value).inc()
        await self.ports.files.keep(address, file)
        crawl_delay = await off_the_loop(
            policy, lambda one: one.crawl_delay_seconds(self.ports.agent)
        )
        self.delay_seconds = max(self.delay_seconds, crawl_delay)
        await self.ports.frontier.keep_robots(
            address,
            policy,
            host_key=host_key(address),
            crawl_delay_seconds=crawl_delay,
            expires_time=self.ports.clock.now()
            + (ROBOTS_AGE if file.unreachable_since is None else UNREACHABLE_AGE),
        )
        return policy

    def _judged(self, answer: FetchResult, held: KeptFile | None) -> tuple[RobotsPolicy, KeptFile]:
        """Returns the policy that an answer stands for, and what is held of the file from now on.

        A file that cannot be read forbids everything, until it could not be read for too long.
        """
        now = self.ports.clock.now()
        answer = as_fetched(answer, held)
        policy = robots_policy(answer)
        if isinstance(answer, Fetched):
            return policy, held_after(answer, now=now)
        if policy.kind is not RobotsKind.DISALLOW_ALL:
            return policy, KeptFile(tried_time=now)
        since = unreachable_since(held, now=now)
        if now - since >= SILENCE_MAX:
            policy = policy_after_silence(held.body if held is not None else None)
        file = replace(held or KeptFile(tried_time=now), tried_time=now, unreachable_since=since)
        return policy, file

    async def _robots_file(self, request: FetchRequest, redirects_max: int) -> FetchResult:
        return await self.ports.source.fetch_plain(
            request, self, limit_bytes=ROBOTS_BYTES_MAX, redirects_max=redirects_max, cut=True
        )

    async def _robots_elsewhere(self, request: FetchRequest, redirects_max: int) -> FetchResult:
        """Requests the robots.txt that one of this host leads to, under its own host's clock.

        RFC 9309 section 2.3.1.2 follows redirects across authorities.
        """

        async def asked(other: "Visit") -> FetchResult:
            return await other._robots_file(request, redirects_max)

        return await self.elsewhere(request.url, asked)

    async def elsewhere(
        self, url: str, ask: Callable[["Visit"], Awaitable[Answer]]
    ) -> Answer | Failed:
        """Asks another host than the lease's, under its own clock, while the lease is held.

        A host that is not free is not waited for: the page is tried again later.
        """
        frontier, clock = self.ports.frontier, self.ports.clock
        await self._hold()
        other = await frontier.borrow(host_key(url), lease_id=self.ports.new_id(), now=clock.now())
        if other is None:
            return Failed(
                reason=HOST_BUSY,
                detail=f"The host of {url} is asked by somebody else just now. It is tried again "
                "later.",
                retryable=True,
            )
        visit = Visit(other, self.ports)
        answer = await ask(visit)
        now, seen = clock.now(), answer if isinstance(answer, FetchResult) else None
        await frontier.give_back(other, release=visit.release(seen, now), now=now)
        return answer

    def release(self, answer: FetchResult | None, now: datetime) -> Release:
        """Returns how the host is left.

        Args:
            answer: to the last request; None where robots.txt alone was asked, if anything.
        """
        if not self.requested:
            return untouched(self.host)
        # A host may ask for time by its robots.txt too.
        answer = answer or self.failure
        host = self.host
        answered = self.ports.delays.pause_seconds(
            host.host_key,
            asked_seconds=self.delay_seconds,
            response_seconds=smoothed(host, answer),
        )
        return after_answer(
            host,
            answer,
            delay_seconds=max(answered, host.delay_seconds),
            now=now,
            backoff_first_seconds=self.ports.settings.backoff_first_seconds,
        )
