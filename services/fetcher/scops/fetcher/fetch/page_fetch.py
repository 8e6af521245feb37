"""Fetches a leased page and records what came."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from scops.common.archive.ports import NewBlob
from scops.common.contract.errors import BlobMissing, StoreUnavailable
from scops.common.contract.long_messages import decode_in_turns
from scops.common.contract.messages.content import LinkList
from scops.common.contract.messages.crawl import GoneReason
from scops.common.contract.messages.types import BodyRef
from scops.common.contract.service_table import Lane
from scops.common.observe.log import bound_ids, get_logger
from scops.common.observe.tracing import span
from scops.common.observe.trail import following
from scops.common.scope.urls import route_of, without_route
from scops.fetcher.discovery.links import followed_urls
from scops.fetcher.fetch.asking import ask
from scops.fetcher.fetch.redirects import unfollowed, with_route
from scops.fetcher.fetch.rendered_page import rendered_page, showing_scopes
from scops.fetcher.fetch.sameness import repeats, unmodified
from scops.fetcher.fetch.visit import Visit
from scops.fetcher.frontier.leases import PageLease, Release, Validators
from scops.fetcher.frontier.outcomes import (
    LOGIN_WALL,
    NEEDS_BROWSER,
    REDIRECTED,
    RENDERINGS_SPENT,
    ROBOTS,
    ROBOTS_UNREACHABLE,
    Ending,
    Outcome,
    Retry,
    after_failure,
)
from scops.fetcher.metrics import BODY_BYTES, FETCH_SECONDS, FETCHES, HOST_WAIT_SECONDS
from scops.fetcher.politeness.robots import RobotsKind, robots_url
from scops.fetcher.politeness.validator_trust import (
    SiteCounts,
    ValidatorVerdict,
    is_audit,
    validator_verdict,
)
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.frontier import Failure, KeptBody, MovedAway, PageResult, SeenAgain
from scops.fetcher.ports.page_source import (
    Failed,
    Fetched,
    FetchRequest,
    FetchResult,
    Gone,
    Redirected,
    Unmodified,
)

log = get_logger("fetcher.page")
GONE_STATUS = 410
NOT_TAKEN = {
    **dict.fromkeys(
        (ROBOTS, ROBOTS_UNREACHABLE),
        "The host's robots.txt does not let us fetch this page, or cannot be read.",
    ),
    RENDERINGS_SPENT: "The page needs a browser, and its scopes have used up what they may have of "
    "it today. It is fetched again tomorrow, or where SCOPS_FETCHER_RENDERED_PER_DAY is raised.",
    NEEDS_BROWSER: "Only a browser shows the route behind the # of this URL; there is none here, "
    "or the scopes that want it have none shown. Install the extra browser and Chromium, or let "
    "`scops scope update` give the scope renderings.",
    LOGIN_WALL: "The page asks for a password: the server does not know the credential, or not "
    "any more. What was read of the page stays. Put a newer one, by `scops credential put`.",
}
NO_CREDENTIAL = (
    "The credential that the scope has for this page's origin is not kept here, has expired, "
    "opens by no key, or begins no session; without it the page is not asked for. Put it again, "
    "by `scops credential put`."
)


async def fetch_page(lease: PageLease, ports: FetcherPorts) -> None:
    """Asks robots.txt, fetches the page, puts its body into the archive, records the result.

    Raises:
        LeaseLost: the host was taken over; nothing is recorded.
        TransientError: state or archive do not answer; the page waits again.
    """
    visit = visit_of(lease, ports)
    with watched(lease, ports) as note:
        answer = await answer_of(lease, visit)
        note(answer)
        now = ports.clock.now()
        try:
            await _record(lease, visit, answer, now)
        except StoreUnavailable as error:
            await _give_back(lease, visit, answer, error, now)
            raise


@contextmanager
def watched(
    lease: PageLease, ports: FetcherPorts
) -> Iterator[Callable[[FetchResult | Ending], None]]:
    """Measures, traces and names what is done for a page; yields who is to hear its answer."""
    waited = ports.clock.now() - lease.due_time
    HOST_WAIT_SECONDS.labels(lane=lease.lane.value).observe(waited.total_seconds())
    with (
        FETCH_SECONDS.labels(lane=lease.lane.value).time(),
        following(lease.trail),
        bound_ids(page_id=lease.page_id, fetch_id=lease.fetch_id),
        span("fetch page", "client", _attributes(lease)) as traced,
    ):
        results: list[str] = []

        def note(answer: FetchResult | Ending) -> None:
            results.append(_result_name(answer))
            traced.set("scops.result", results[-1])

        yield note
    for result in results:
        FETCHES.labels(lane=lease.lane.value, result=result).inc()


def _attributes(lease: PageLease) -> dict[str, str]:
    return {
        "scops.page_id": lease.page_id,
        "scops.fetch_id": lease.fetch_id,
        "scops.lane": lease.lane.value,
        "server.address": lease.host.host_key,
    }


def visit_of(lease: PageLease, ports: FetcherPorts) -> Visit:
    """Returns the visit of a page, with the robots.txt that its lease came with."""
    visit = Visit(lease.host, ports, scopes=lease.scopes, fetch_id=lease.fetch_id)
    if lease.robots is not None:
        visit.policies[robots_url(lease.url)] = lease.robots
    return visit


async def answer_of(lease: PageLease, visit: Visit) -> FetchResult | Ending:
    """Returns what the web answered, or why it was not asked.

    Raises:
        LeaseLost: the host was taken over.
        TransientError: the state does not answer.
    """
    showing = showing_scopes(lease, visit.ports)
    route = route_of(lease.url)
    if route and not showing:
        return Ending(outcome=Outcome.BLOCKED, reason=NEEDS_BROWSER)
    policy = await visit.policy(lease.url)
    if isinstance(policy, Failed):
        return policy
    if not await visit.allows(policy, lease.url):
        unreachable = policy.kind is RobotsKind.DISALLOW_ALL
        reason = ROBOTS_UNREACHABLE if unreachable else ROBOTS
        return Ending(outcome=Outcome.BLOCKED, reason=reason)
    request = await _request(lease, visit.ports, shown=bool(showing))
    answer = with_route(await ask(request, visit, access_context=lease.access_context), route)
    browser = visit.ports.browser
    if showing and browser is not None and isinstance(answer, Fetched):
        return await rendered_page(answer, lease, visit, browser, scopes=showing)
    if isinstance(answer, Fetched) and lease.validators is not None and not request.is_conditional:
        await _audit(lease, lease.validators, answer, visit.ports)
    return answer


async def _audit(lease: PageLease, held: Validators, answer: Fetched, ports: FetcherPorts) -> None:
    """Counts what a body that was asked for without conditions says of its validators."""
    verdict = validator_verdict(answer, held)
    if verdict is None:
        return
    if verdict is ValidatorVerdict.MISSED:
        log.info("validators_unchanged_by_a_change", host_key=lease.host.host_key)
    await ports.validators.count(SiteCounts(host_key=lease.host.host_key, verdict=verdict))


async def _request(lease: PageLease, ports: FetcherPorts, *, shown: bool) -> FetchRequest:
    """Returns the request for a page: with conditions where its site's 304 can be believed.

    Args:
        shown: by a browser, of whose data validators say nothing.
    """
    held, now = lease.validators, ports.clock.now()
    if held is None or shown or is_audit(lease, held, now=now):
        return FetchRequest(url=without_route(lease.url))
    if not await ports.validators.believed(lease.host.host_key, now=now):
        return FetchRequest(url=without_route(lease.url))
    return FetchRequest(
        url=lease.url,
        etag=held.etag,
        last_modified=held.last_modified,
        validated_url=held.validated_url,
    )


def release_after(visit: Visit, answer: FetchResult | Ending, now: datetime) -> Release:
    """Returns how the host is left after an answer."""
    return visit.release(None if isinstance(answer, Ending) else answer, now)


def judged(lease: PageLease, answer: FetchResult | Ending) -> FetchResult | Ending:
    """Returns an answer as the 304 that it could have been, where it repeats the confirmed bytes.

    The same bytes extract to the same text: a server without validators said 304.
    """
    same = isinstance(answer, Fetched) and repeats(answer, lease.validators)
    return unmodified(answer) if same and isinstance(answer, Fetched) else answer


async def _record(
    lease: PageLease, visit: Visit, answer: FetchResult | Ending, now: datetime
) -> None:
    ports, release = visit.ports, release_after(visit, answer, now)
    answer = judged(lease, answer)
    if isinstance(answer, Fetched):
        body = await _kept(lease, answer, ports, release, now)
        BODY_BYTES.inc(len(answer.body))
        later = release if release.next_allowed_time > now else None
        kept = KeptBody(answer=answer, body=body)
        result = PageResult(lease=lease, time=now, what=kept)
        await ports.results.record([result], release=later, now=now)
        return
    what = await what_came(lease, visit, answer, now)
    await record_alone(
        PageResult(lease=lease, time=now, what=what), ports, release=release, now=now
    )


async def record_alone(
    result: PageResult, ports: FetcherPorts, *, release: Release | None, now: datetime
) -> None:
    """Records one result, with links where a job turns out to wait for them.

    Raises:
        TransientError: state or archive do not answer.
    """
    if await ports.results.record([result], release=release, now=now):
        return
    assert isinstance(result.what, SeenAgain), "only what was seen again comes without links"
    what = await _with_links(result.lease, result.what.answer, ports, now)
    await ports.results.record([replace(result, what=what)], release=release, now=now)


def new_blob(answer: Fetched) -> NewBlob:
    """Returns a body as it goes into the archive."""
    return NewBlob(
        data=answer.body,
        media_type=answer.media_type,
        charset=answer.charset,
        exchange=answer.exchange,
    )


async def _kept(
    lease: PageLease, answer: Fetched, ports: FetcherPorts, release: Release, now: datetime
) -> BodyRef:
    """Puts a body into the archive; a host that need not rest is asked on meanwhile.

    Should the worker die before the result is recorded, the watchdog lets the page wait again.
    """
    putting = ports.archive.put_many([new_blob(answer)], patient=lease.lane is Lane.BULK)
    if release.next_allowed_time > now:
        return (await putting)[0]
    freeing = asyncio.create_task(ports.frontier.give_back(lease.host, release=release, now=now))
    try:
        return (await putting)[0]
    finally:
        await freeing


async def what_came(
    lease: PageLease, visit: Visit, answer: FetchResult | Ending, now: datetime
) -> SeenAgain | GoneReason | MovedAway | Failure:
    """Returns what is to be recorded of an answer that brought no new body.

    Raises:
        TransientError: the archive does not answer.
    """
    if isinstance(answer, Unmodified) and lease.validators is not None:
        if lease.links_given:
            return SeenAgain(answer=answer, urls=None)
        return await _with_links(lease, answer, visit.ports, now)
    if isinstance(answer, Gone):
        return GoneReason.GONE if answer.status == GONE_STATUS else GoneReason.NOT_FOUND
    leads_away = isinstance(answer, Redirected) or (
        isinstance(answer, Failed)
        and answer.reason == "REDIRECT_DENIED"
        and visit.refused == REDIRECTED
    )
    if not leads_away:
        return _failure(lease, visit, answer, now)
    assert isinstance(answer, Redirected | Failed)
    target, permanent = unfollowed(answer)
    # A server that does not know us any more may say that a page is gone for good.
    moved = permanent and target and visit.credential is None
    return MovedAway(target_url=target) if moved else _redirected_away(target)


async def _with_links(
    lease: PageLease, answer: Unmodified, ports: FetcherPorts, now: datetime
) -> SeenAgain | Failure:
    assert lease.validators is not None, "only a conditional request is answered 304"
    try:
        stored = await ports.archive.get(lease.validators.links)
    except BlobMissing as error:
        # A 304 brings no links and ours are gone: the next fetch must bring the body.
        return Failure(
            reason="LINKS_MISSING",
            detail=error.message,
            decision=Retry(due_time=now),
            forget_validators=True,
        )
    links = await decode_in_turns(LinkList, stored, "links")
    return SeenAgain(answer=answer, urls=await followed_urls(links), feed_urls=links.feed_urls)


def _redirected_away(target: str) -> Failure:
    return Failure(
        reason="REDIRECTED",
        detail=f"The page redirects for now to {target}, which is fetched as a page of its own "
        "where the scope holds it.",
        decision=Ending(outcome=Outcome.BLOCKED, reason=REDIRECTED),
        target_url=target,
    )


def _failure(
    lease: PageLease, visit: Visit, answer: FetchResult | Ending, now: datetime
) -> Failure:
    if isinstance(answer, Ending):
        return Failure(
            reason=answer.reason.upper(),
            detail=NOT_TAKEN.get(answer.reason, NO_CREDENTIAL),
            decision=answer,
        )
    if not isinstance(answer, Failed):
        answer = Failed(
            reason="UNEXPECTED_NOT_MODIFIED",
            detail="The server answered 304 to a request without conditions.",
            retryable=True,
        )
    if answer.reason == "REDIRECT_DENIED" and visit.refused == ROBOTS:
        blocked = Ending(outcome=Outcome.BLOCKED, reason=ROBOTS)
        return Failure(reason=ROBOTS.upper(), detail=answer.detail, decision=blocked)
    decision = after_failure(
        answer, attempts=lease.attempts, now=now, settings=visit.ports.settings
    )
    return Failure(reason=answer.reason, detail=answer.detail, decision=decision)


async def _give_back(
    lease: PageLease,
    visit: Visit,
    answer: FetchResult | Ending,
    error: StoreUnavailable,
    now: datetime,
) -> None:
    """Lets the page wait again: what we could not store is not the page's fault."""
    failure = Failure(
        reason=error.reason,
        detail=error.message,
        decision=Retry(due_time=now),
        counts=False,
    )
    result = PageResult(lease=lease, time=now, what=failure)
    release = release_after(visit, answer, now)
    await visit.ports.results.record([result], release=release, now=now)


def _result_name(answer: FetchResult | Ending) -> str:
    return "blocked" if isinstance(answer, Ending) else type(answer).__name__.lower()
