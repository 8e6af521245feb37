"""Subscriptions at hubs, so that they tell of listings that change: WebSub as a subscriber.

Source: WebSub (W3C Recommendation), sections 5 to 8. Differs: every subscription has a secret, a
delivery without a signature by it counts for nothing, and SHA-1 is not taken. What is delivered
names pages; their text comes from their own site, by the way of every page that somebody says has
changed.
"""

import hashlib
import hmac
import re
from datetime import timedelta
from functools import partial

from scops.common.contract.errors import (
    InvalidInput,
    NotAuthenticated,
    NotFound,
    PermanentError,
)
from scops.common.contract.messages.crawl import (
    ConfirmSubscriptionRequest,
    ConfirmSubscriptionResponse,
    SignalState,
    TakeDeliveryRequest,
    TakeDeliveryResponse,
)
from scops.common.contract.messages.types import ScopeRef
from scops.common.observe.log import get_logger
from scops.common.scope.urls import host_key
from scops.fetcher.discovery.listing import Listing
from scops.fetcher.fetch.visit import Visit
from scops.fetcher.metrics import DELIVERIES
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.page_source import Failed, Fetched
from scops.fetcher.ports.sign_in import SignInAnswer, SignInRequest
from scops.fetcher.ports.subscriptions import Subscription
from scops.fetcher.signalling import LISTED_PAGES_MAX, signal_job

# What hubs are asked for, and the longest that is believed.
LEASE, LEASE_MAX = timedelta(days=10), timedelta(days=30)
# Of a lease, after which the hub is asked to go on; no sooner than the least.
RENEWED_AFTER, RENEWAL_MIN = 2 / 3, timedelta(seconds=10)
# How long a hub may take to verify what it was asked for.
VERIFIED_WITHIN = timedelta(days=1)
RETRY_FIRST, RETRY_MAX, RETRY_GROWTH = timedelta(minutes=1), timedelta(hours=6), 4
DENIED_PAUSE = timedelta(days=1)
# Requests to end a subscription, before it is left to run out.
LEAVE_ATTEMPTS_MAX = 3
HUBS_AT_ONCE = 20
HOPS_MAX = 3
# Those that WebSub section 5.1 has followed, with the same body.
REDIRECTS = frozenset({307, 308})
SIGNATURE = re.compile(r"(sha256|sha384|sha512)=([0-9a-fA-F]+)")

log = get_logger("fetcher.hubs")


async def leave_dropped(ports: FetcherPorts) -> None:
    """Has subscriptions ended whose scopes have dropped their listings."""
    now = ports.clock.now()
    if ports.scopes.is_whole(now):
        count = await ports.subscriptions.leave_dropped(now=now)
        if count:
            log.info("subscriptions_dropped", count=count)


async def ask_hubs(ports: FetcherPorts) -> None:
    """Asks hubs to begin, go on or end, each under the clock of its host.

    One whose host is not free is asked with the next round.
    """
    if not ports.settings.callback_url or not ports.may_ask_hosts:
        return
    for one in await ports.subscriptions.due(now=ports.clock.now(), limit=HUBS_AT_ONCE):
        if _has_ended(one, ports):
            await ports.subscriptions.drop(one)
        else:
            await _ask(one, ports)


async def confirm_subscription(
    request: ConfirmSubscriptionRequest, ports: FetcherPorts
) -> ConfirmSubscriptionResponse:
    """Takes what a hub verifies, where it was asked for just that.

    Raises:
        NotFound: it was not asked for.
    """
    now = ports.clock.now()
    one = await ports.subscriptions.find(request.subscription_id)
    if one is None or one.topic_url != request.topic:
        raise _not_asked()
    if request.mode == "denied" and one.wanted:
        log.warning("subscription_denied", hub=one.hub_url, reason=request.reason)
        await ports.subscriptions.deny(one, due_time=now + DENIED_PAUSE)
        return ConfirmSubscriptionResponse()
    was_asked = one.asked_time is not None and now - one.asked_time < VERIFIED_WITHIN
    if not was_asked or request.mode != _mode(one):
        raise _not_asked()
    if not one.wanted:
        await ports.subscriptions.drop(one)
        return ConfirmSubscriptionResponse()
    lease = min(timedelta(seconds=min(request.lease_seconds, 2**31)) or LEASE, LEASE_MAX)
    due_time = now + max(lease * RENEWED_AFTER, RENEWAL_MIN)
    await ports.subscriptions.confirm(one, lease_until=now + lease, due_time=due_time)
    log.info("subscription_confirmed", hub=one.hub_url, seconds=lease.total_seconds())
    return ConfirmSubscriptionResponse()


async def take_delivery(request: TakeDeliveryRequest, ports: FetcherPorts) -> TakeDeliveryResponse:
    """Has the pages fetched now that a delivery names, where they may have changed.

    Where it names none, the listing itself is read.

    Raises:
        NotFound: there is no such subscription, or it has ended.
        NotAuthenticated: the body is not signed by its secret.
        NotYetKnown: its scope has not arrived.
        TransientError: nobody can read it now.
    """
    now = ports.clock.now()
    one = await ports.subscriptions.find(request.subscription_id)
    if one is None or not one.delivers(now):
        DELIVERIES.labels(outcome="unknown").inc()
        raise NotFound(
            "There is no such subscription, or it has ended. Deliver no more here.",
            reason="SUBSCRIPTION_UNKNOWN",
        )
    if not is_signed(request.body, request.signature, one.secret):
        DELIVERIES.labels(outcome="unsigned").inc()
        raise NotAuthenticated(
            "The body is not signed by the secret of the subscription. Send X-Hub-Signature with "
            "`sha256=` and the HMAC-SHA256 of the body; sha384 and sha512 are taken as well.",
            reason="SIGNATURE_INVALID",
        )
    scope = ports.scopes.get(one.scope)
    ref = ScopeRef(scope_id=scope.scope_id, revision=scope.revision)
    listing = await _named_pages(one, request.body, ports)
    if listing is None:
        job = signal_job(ports, ref, listing=one.listing_url)
    else:
        urls = await ports.subscriptions.changed(one, listing, limit=LISTED_PAGES_MAX, now=now)
        job = signal_job(ports, ref, urls=urls)
    told = await ports.pushes.take(job, now=now)
    DELIVERIES.labels(outcome="taken").inc()
    taken = (SignalState.DUE, SignalState.NEW)
    return TakeDeliveryResponse(pages=sum(page.state in taken for page in told))


def is_signed(body: bytes, signature: str, secret: str) -> bool:
    """Says whether a body was signed by a secret, in a time that tells nothing of it."""
    found = SIGNATURE.fullmatch(signature.strip())
    if found is None:
        return False
    expected = hmac.new(secret.encode(), body, getattr(hashlib, found[1])).hexdigest()
    return hmac.compare_digest(expected, found[2].lower())


async def _named_pages(one: Subscription, body: bytes, ports: FetcherPorts) -> Listing | None:
    """Returns the pages that a body names; None where it is no listing, or names none."""
    try:
        listing = await ports.listing_reader.read(_as_fetched(one, body))
    except (InvalidInput, PermanentError) as error:
        log.info("delivery_unreadable", hub=one.hub_url, detail=error.message)
        return None
    return listing if listing.entries else None


def _as_fetched(one: Subscription, body: bytes) -> Fetched:
    return Fetched(
        final_url=one.listing_url,
        redirects=(),
        body=body,
        media_type="",
        charset="",
        etag="",
        last_modified="",
        last_modified_time=None,
        content_language="",
        robots_tag="",
        response_seconds=0.0,
    )


def _has_ended(one: Subscription, ports: FetcherPorts) -> bool:
    """Says whether a hub need not be asked to end what it does not do."""
    if one.wanted:
        return False
    runs = one.lease_until is not None and ports.clock.now() < one.lease_until
    return not runs or one.attempts >= LEAVE_ATTEMPTS_MAX


async def _ask(one: Subscription, ports: FetcherPorts) -> None:
    """Sends one request, unless the hub's host is in other hands."""
    now = ports.clock.now()
    host = await ports.frontier.borrow(host_key(one.hub_url), lease_id=ports.new_id(), now=now)
    if host is None:
        return
    visit = Visit(host, ports)
    answer: SignInAnswer | Failed | None = None
    # Before it is sent: a hub may verify while it is asked.
    if await ports.subscriptions.begin(one, due_time=now + _pause(one), now=now):
        answer = await _sent(one, visit)
        _tell(one, answer)
    now = ports.clock.now()
    failure = answer if isinstance(answer, Failed) else None
    await ports.frontier.give_back(host, release=visit.release(failure, now), now=now)


async def _sent(one: Subscription, visit: Visit) -> SignInAnswer | Failed:
    """Posts a request, and follows where the hub has it sent in its place.

    robots.txt is not asked: a hub is named by its publisher to be asked.
    """
    request = SignInRequest(url=one.hub_url, form=_form(one, visit.ports))
    source = visit.ports.sign_in
    answer = await source.send(request, visit)
    for _ in range(HOPS_MAX):
        if isinstance(answer, Failed) or answer.status not in REDIRECTS or not answer.target_url:
            break
        request = SignInRequest(url=answer.target_url, form=request.form)
        if host_key(request.url) == visit.host.host_key:
            answer = await source.send(request, visit)
        else:
            answer = await visit.elsewhere(request.url, partial(source.send, request))
    return answer


def _form(one: Subscription, ports: FetcherPorts) -> tuple[tuple[str, str], ...]:
    callback = f"{ports.settings.callback_url}/websub/{one.subscription_id}"
    fields = (("hub.callback", callback), ("hub.mode", _mode(one)), ("hub.topic", one.topic_url))
    if not one.wanted:
        return fields
    seconds = str(int(LEASE.total_seconds()))
    return (*fields, ("hub.lease_seconds", seconds), ("hub.secret", one.secret))


def _tell(one: Subscription, answer: SignInAnswer | Failed) -> None:
    if isinstance(answer, Failed):
        log.warning("hub_failed", hub=one.hub_url, mode=_mode(one), detail=answer.detail)
    elif answer.status >= 300:
        log.warning("hub_refused", hub=one.hub_url, mode=_mode(one), status=answer.status)
    else:
        log.info("hub_asked", hub=one.hub_url, mode=_mode(one), listing=one.listing_url)


def _mode(one: Subscription) -> str:
    return "subscribe" if one.wanted else "unsubscribe"


def _pause(one: Subscription) -> timedelta:
    pause = RETRY_FIRST
    for _ in range(one.attempts):
        pause = min(pause * RETRY_GROWTH, RETRY_MAX)
    return pause


def _not_asked() -> NotFound:
    return NotFound(
        "The hub was not asked for this by us, or not lately. Deliver nothing here.",
        reason="SUBSCRIPTION_NOT_ASKED",
    )
