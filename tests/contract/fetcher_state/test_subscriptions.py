"""What every fetcher state makes of hubs: asked, confirmed, renewed, left, and what they deliver.

Run on SQLite in memory, on a file and on PostgreSQL.
"""

import hashlib
import hmac
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from scops.common.archive.ports import Exchange
from scops.common.contract.errors import NotAuthenticated, NotFound
from scops.common.contract.messages.crawl import ConfirmSubscriptionRequest, TakeDeliveryRequest
from scops.common.db.address import Address
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.discovery import listing_tables
from scops.fetcher.adapters.sql.transaction import Row
from scops.fetcher.ports.page_source import Failed, Fetched
from scops.fetcher.ports.sign_in import SignInAnswer, SignInRequest
from scops.fetcher.settings import FetcherSettings
from scops.fetcher.subscribing import (
    LEASE,
    RETRY_FIRST,
    ask_hubs,
    confirm_subscription,
    leave_dropped,
    take_delivery,
)
from tests.fakes.page_source import failure, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

FEED, HUB, OTHER_HUB = "https://a.test/feed.xml", "https://hub.test/", "https://hub.test/other"
PAGE, FRESH = "https://a.test/page", "https://a.test/fresh"
SELF = "HTTPS://a.test/feed.xml?by=self"
SETTINGS = FetcherSettings(callback_url="https://scops.test/")
NAMED = f'<link rel="hub" href="{HUB}"/><link rel="self" href="{SELF}"/>'


def feed(*entries: tuple[str, str], named: str = NAMED) -> str:
    """Returns a feed of addresses with when they changed."""
    listed = "".join(
        f'<entry><link href="{url}"/><updated>{updated}</updated></entry>'
        for url, updated in entries
    )
    return f'<feed xmlns="http://www.w3.org/2005/Atom">{named}{listed}</feed>'


def answer(text: str, *links: str) -> Fetched:
    """Returns a feed as it comes, with its `Link` headers."""
    headers = tuple(("Link", link) for link in links)
    sent = Exchange(
        url=FEED,
        request_line="GET /feed.xml HTTP/1.1",
        request_headers=(),
        status_line="HTTP/1.1 200 OK",
        response_headers=headers,
    )
    return replace(page_answer(text, media_type="application/atom+xml"), exchange=sent)


def accepted(request: SignInRequest) -> SignInAnswer:
    return SignInAnswer(url=request.url, status=202)


@pytest.fixture
async def world(address: str | Address) -> AsyncIterator[FetcherWorld]:
    """A scope with a feed that names a hub, which takes every request."""
    async with FetcherWorld.opened(address, settings=SETTINGS) as opened:
        opened.source.serve(PAGE, page_answer(PAGE))
        opened.source.serve(FRESH, page_answer(FRESH))
        opened.sign_in.serve(HUB, accepted, posts=True)
        opened.sign_in.serve(OTHER_HUB, accepted, posts=True)
        opened.scopes.apply(scope("a.test", sitemaps=(FEED,)))
        await crawl(opened, answer(feed((PAGE, "2026-01-01T00:00:00Z"))))
        yield opened


async def crawl(world: FetcherWorld, of_feed: Fetched | None, job_id: str = "job") -> None:
    if of_feed is not None:
        world.source.serve(FEED, of_feed)
    await world.crawl(job_id)
    await world.run()


async def only(world: FetcherWorld) -> Row:
    (row,) = await world.rows(listing_tables.subscription)
    return row


async def asked(world: FetcherWorld) -> list[Mapping[str, str]]:
    """Lets hubs be asked; returns the requests of this round."""
    before = len(world.sign_in.sent)
    await ask_hubs(world.ports)
    return [dict(one.form or ()) for one in world.sign_in.sent[before:]]


async def confirm(world: FetcherWorld, mode: str = "subscribe", **values: object) -> None:
    """Has the hub verify what it was asked for."""
    row = await only(world)
    said = {"subscription_id": row.subscription_id, "mode": mode, "topic": row.topic_url}
    request = ConfirmSubscriptionRequest(**{**said, **values})  # type: ignore[arg-type]
    await confirm_subscription(request, world.ports)


async def leave(world: FetcherWorld) -> None:
    """Lets those that are dropped be left, with every scope known."""
    world.scopes.complete, world.scopes.vouched_time = True, world.clock.now()
    await leave_dropped(world.ports)


async def subscribed(world: FetcherWorld, *, lease_seconds: int = 864_000) -> None:
    await asked(world)
    await confirm(world, lease_seconds=lease_seconds)


async def deliver(
    world: FetcherWorld, body: str, *, secret: str = "", method: str = "sha256"
) -> int:
    row = await only(world)
    digest = hmac.new((secret or row.secret).encode(), body.encode(), getattr(hashlib, method))
    request = TakeDeliveryRequest(
        subscription_id=row.subscription_id,
        signature=f"{method}={digest.hexdigest()}",
        body=body.encode(),
    )
    return (await take_delivery(request, world.ports)).pages


async def test_a_hub_is_asked_for_the_topic_as_the_feed_writes_it(world: FetcherWorld) -> None:
    """Once; the address that it is to call cannot be guessed, and neither can the secret."""
    (first,) = await asked(world)
    again = await asked(world)
    row = await only(world)

    assert {
        "hub.callback": f"https://scops.test/websub/{row.subscription_id}",
        "hub.mode": "subscribe",
        "hub.topic": SELF,
        "hub.lease_seconds": str(int(LEASE.total_seconds())),
        "hub.secret": row.secret,
    } == first
    assert [] == again
    assert (32, 64) == (len(row.subscription_id), len(row.secret))


async def test_without_a_public_address_no_hub_is_asked(address: str | Address) -> None:
    """Nothing is even noted."""
    async with FetcherWorld.opened(address) as world:
        world.scopes.apply(scope("a.test", sitemaps=(FEED,)))
        await crawl(world, answer(feed()))

        assert [] == await asked(world)
        assert [] == list(await world.rows(listing_tables.subscription))


async def test_headers_count_before_the_feed(world: FetcherWorld) -> None:
    """Another hub is another subscription, whose address and secret are others, too."""
    before = await only(world)
    links = f'<{OTHER_HUB}>; rel="hub", <{FEED}>; rel=self'
    await crawl(world, answer(feed(), links), "second")
    after = await only(world)

    assert (OTHER_HUB, FEED) == (after.hub_url, after.topic_url)
    assert before.subscription_id != after.subscription_id
    assert before.secret != after.secret


async def test_a_hub_that_does_not_answer_is_asked_again_later(world: FetcherWorld) -> None:
    """After a pause that grows."""

    def down(request: SignInRequest) -> Failed:
        return failure("HTTP_500", retryable=True)

    world.sign_in.serve(HUB, down, posts=True)
    rounds = [len(await asked(world))]
    world.clock.advance(RETRY_FIRST.total_seconds() + 1)
    rounds.append(len(await asked(world)))
    world.clock.advance(RETRY_FIRST.total_seconds() + 1)
    rounds.append(len(await asked(world)))

    assert [1, 1, 0] == rounds


async def test_a_hub_that_has_moved_is_asked_where_it_leads(world: FetcherWorld) -> None:
    """With the same form, on another host under that host's clock."""
    target = "https://moved.test/hub"

    def moved(request: SignInRequest) -> SignInAnswer:
        return SignInAnswer(url=request.url, status=308, target_url=target)

    world.sign_in.serve(HUB, moved, posts=True)
    world.sign_in.serve(target, accepted, posts=True)
    first, second = await asked(world)

    assert first == second
    assert [HUB, target] == [one.url for one in world.sign_in.sent]


async def test_a_lease_is_renewed_before_it_runs_out(world: FetcherWorld) -> None:
    """After two thirds; by another process on the same state as well."""
    await subscribed(world, lease_seconds=3000)
    row = await only(world)
    world.clock.advance(1990)
    early = await asked(world)
    world.clock.advance(20)
    before = len(world.sign_in.sent)
    await ask_hubs(world.new_ports(seed=7))
    (renewal,) = [dict(one.form or ()) for one in world.sign_in.sent[before:]]
    await confirm(world, lease_seconds=3000)
    renewed = await only(world)

    assert [] == early
    assert row.secret == renewal["hub.secret"]
    assert row.lease_until < renewed.lease_until
    assert world.clock.now() < row.lease_until


@pytest.mark.parametrize(
    "said",
    [
        {"topic": "https://a.test/other"},
        {"mode": "unsubscribe"},
        {"subscription_id": "0" * 32},
    ],
)
async def test_what_was_not_asked_for_is_not_confirmed(
    world: FetcherWorld, said: dict[str, str]
) -> None:
    """Another topic, another mode, another address."""
    await asked(world)

    with pytest.raises(NotFound):
        await confirm(world, **said)
    assert (await only(world)).lease_until is None


async def test_nothing_is_confirmed_before_it_was_asked_for_or_long_after(
    world: FetcherWorld,
) -> None:
    """A hub that was never asked cannot know the address, and one that is late is asked anew."""
    with pytest.raises(NotFound):
        await confirm(world)
    await asked(world)
    world.clock.advance(timedelta(days=1).total_seconds())
    with pytest.raises(NotFound):
        await confirm(world)


async def test_a_denied_subscription_takes_nothing_and_is_asked_for_again(
    world: FetcherWorld,
) -> None:
    """After a day."""
    await subscribed(world)
    await confirm(world, "denied", reason="not today")
    with pytest.raises(NotFound):
        await deliver(world, feed((FRESH, "2026-01-01T00:00:00Z")))
    soon = await asked(world)
    world.clock.advance(timedelta(days=1, seconds=1).total_seconds())

    assert ([], 1) == (soon, len(await asked(world)))


async def test_what_is_delivered_is_fetched_where_it_may_have_changed(world: FetcherWorld) -> None:
    """New pages and changed ones of the scope; not those that were fetched since, nor others'."""
    await subscribed(world)
    later = (world.clock.now() + timedelta(minutes=1)).isoformat()
    world.clock.advance(timedelta(days=3).total_seconds())
    before = len(world.source.pages_asked())
    taken = [
        await deliver(world, feed((FRESH, later), ("https://b.test/x", later), (PAGE, later))),
    ]
    await world.run()
    first = sorted(world.source.pages_asked()[before:])
    taken.append(await deliver(world, feed((PAGE, later), (FRESH, later))))
    (job,) = [row for row in await world.rows(tables.job) if row.kind == "signal"][:1]

    assert [2, 0] == taken
    assert [FRESH, PAGE] == first
    assert "now" == job.lane


@pytest.mark.parametrize("body", ["", "<html><body>changed</body></html>", feed()])
async def test_a_body_without_pages_has_the_feed_read(world: FetcherWorld, body: str) -> None:
    """And what it says has changed is fetched; what has not is left alone."""
    await subscribed(world)
    world.clock.advance(timedelta(days=3).total_seconds())
    now = world.clock.now().isoformat()
    world.source.serve(FEED, answer(feed((FRESH, now), (PAGE, "2026-01-01T00:00:00Z"))))
    before = len(world.source.pages_asked())
    await deliver(world, body)
    await world.run()

    assert [FEED, FRESH] == world.source.pages_asked()[before:]


@pytest.mark.parametrize("method", ["sha256", "sha384", "sha512"])
async def test_signatures_are_by_sha_2(world: FetcherWorld, method: str) -> None:
    """Each that WebSub names beside SHA-1."""
    await subscribed(world)

    assert 1 == await deliver(world, feed((FRESH, "2026-01-01T00:00:00Z")), method=method)


@pytest.mark.parametrize(("secret", "method"), [("other", "sha256"), ("", "sha1"), ("", "md5")])
async def test_another_signature_counts_for_nothing(
    world: FetcherWorld, secret: str, method: str
) -> None:
    """Neither by another secret nor by a weak digest."""
    await subscribed(world)

    with pytest.raises(NotAuthenticated):
        await deliver(world, feed((FRESH, "2026-01-01T00:00:00Z")), secret=secret, method=method)
    assert [] == [row for row in await world.rows(tables.job) if row.kind == "signal"]


async def test_nothing_is_taken_after_the_lease(world: FetcherWorld) -> None:
    """Nor before the first."""
    body = feed((FRESH, "2026-01-01T00:00:00Z"))
    with pytest.raises(NotFound):
        await deliver(world, body)
    await subscribed(world, lease_seconds=100)
    world.clock.advance(101)
    with pytest.raises(NotFound):
        await deliver(world, body)


@pytest.mark.parametrize("dropped", ["deleted", "unlisted", "crawled", "unnamed"])
async def test_a_feed_that_a_scope_drops_is_left(world: FetcherWorld, dropped: str) -> None:
    """Its hub is asked to end it, and then it is forgotten."""
    await subscribed(world)
    world.clock.advance(60)
    if dropped == "deleted":
        world.scopes.apply(replace(scope(revision=2), deleted=True))
    elif dropped == "unlisted":
        world.scopes.apply(scope("a.test", revision=2))
    elif dropped == "crawled":
        world.scopes.apply(scope("a.test", seeds=[PAGE], revision=2))
        await crawl(world, None, "second")
    else:
        await crawl(world, answer(feed(named="")), "second")
    await leave(world)
    (request,) = await asked(world)
    await confirm(world, "unsubscribe")

    assert ("unsubscribe", SELF) == (request["hub.mode"], request["hub.topic"])
    assert "hub.secret" not in request
    assert [] == list(await world.rows(listing_tables.subscription))


async def test_a_feed_that_stays_is_not_left(world: FetcherWorld) -> None:
    """Not after another crawl, nor one in which it could not be read."""
    await subscribed(world)
    world.clock.advance(60)
    await crawl(world, None, "second")
    await leave(world)
    world.source.serve(FEED, failure("HTTP_404"))
    world.clock.advance(60)
    await crawl(world, None, "third")
    await leave(world)

    assert (await only(world)).wanted


async def test_nothing_is_left_while_scopes_may_be_missing(world: FetcherWorld) -> None:
    """A projection that is made anew lacks them for a while."""
    await subscribed(world)
    world.scopes.apply(replace(scope(revision=2), deleted=True))
    world.scopes.complete = False
    await leave_dropped(world.ports)

    assert (await only(world)).wanted


async def test_a_hub_that_ends_nothing_is_left_to_its_lease(world: FetcherWorld) -> None:
    """It is asked three times; what was never begun is forgotten at once."""
    await subscribed(world)
    world.scopes.apply(replace(scope(revision=2), deleted=True))
    await leave(world)
    rounds = 0
    for _ in range(6):
        rounds += len(await asked(world))
        world.clock.advance(timedelta(hours=6).total_seconds())

    assert 3 == rounds
    assert [] == list(await world.rows(listing_tables.subscription))
