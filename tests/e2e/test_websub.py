"""A feed names a hub: the hub is asked, tells of an entry, and the entry's page is read anew."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
import requests

from tests.e2e.system import System
from tests.fakes.servers.hub import Hub
from tests.fakes.servers.origin import Origin, running

QUESTION = "How much does the Heron tariff cost?"
LEASE_SECONDS = 20
FEED, TARIFF = "/feed.xml", "/tariff"
# Of a lease that was granted again.
RENEWED_SECONDS = 60.0


def article(price: int) -> str:
    return (
        "<html><title>Tariffs</title><body><h1>Tariffs</h1><p>The Heron tariff costs "
        f"{price} euros a month and may be cancelled at the end of each quarter by a letter to "
        "the office in the old mill.</p></body></html>"
    )


def feed(site: str, *, hub: bool = True, body: str = "") -> str:
    named = f'<link rel="hub" href="{site}/hub"/>' if hub else ""
    now = datetime.now(UTC).isoformat()
    return (
        '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Mill</title>'
        f'{named}<link rel="self" href="{site}{FEED}"/><id>mill</id><updated>{now}</updated>'
        f'<entry><id>tariff</id><title>Tariff</title><link href="{site}{TARIFF}"/>'
        f"<updated>{now}</updated><content>{body}</content></entry></feed>"
    )


@dataclass(frozen=True)
class Place:
    """A system, a site with a feed, and the feed's hub."""

    system: System
    site: Origin
    hub: Hub

    @property
    def topic(self) -> str:
        return f"{self.site.url}{FEED}"

    def deliver(self, price: int, **signed: str) -> int:
        """Changes the page and has the hub tell of it; the body says another price."""
        self.site.replace(TARIFF, article(price))
        body = feed(self.site.url, body="The Heron tariff costs 1 euro a month.")
        return self.hub.deliver(self.topic, body.encode(), **signed)

    def quoted(self) -> str:
        answer = self.system.ask(QUESTION, "tariffs")
        return " ".join(one.quote for one in answer.citations)

    def subscribed(self) -> bool:
        return self.hub.lease_left(self.topic) > 0


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A scope whose feed was crawled, and whose hub has been asked."""
    hub = Hub(lease_seconds=LEASE_SECONDS)
    system = System(tmp_path_factory.mktemp("websub"), SCOPS_LOG_LEVEL="info")
    system.environment["SCOPS_FETCHER_CALLBACK_URL"] = system.http_url
    with running(Origin()) as site, system:
        hub.open_at(site, "/hub")
        site.replace(TARIFF, article(77))
        site.replace(FEED, feed(site.url))
        system.create_scope("tariffs", include=[site.url.split("/")[2]], sitemaps=[site.url + FEED])
        system.crawl("tariffs")
        one = Place(system, site, hub)
        system.until(one.subscribed, seconds=60)
        yield one


def test_what_a_hub_tells_of_is_fetched(place: Place) -> None:
    """The page says what it costs; what the hub's body says of it counts for nothing."""
    status = place.deliver(88)
    place.system.until(lambda: "88 euros" in place.quoted())
    asked = place.hub.asked[0]

    assert 202 == status
    assert ("subscribe", place.topic) == (asked["hub.mode"], asked["hub.topic"])
    assert asked["hub.callback"].startswith(f"{place.system.http_url}/websub/")
    assert "1 euro " not in place.quoted()


def test_a_body_that_another_secret_signed_is_refused(place: Place) -> None:
    """And nothing is fetched for it; nor for one that SHA-1 signed, or nobody."""
    before = place.site.count(path=TARIFF)
    callback = place.hub.subscribers[place.topic].callback
    statuses = [
        place.deliver(99, secret="another"),
        place.deliver(99, method="sha1"),
        requests.post(callback, data=b"<feed/>", timeout=20).status_code,
    ]
    time.sleep(2)

    assert [401, 401, 401] == statuses
    assert before == place.site.count(path=TARIFF)


def test_only_what_was_asked_for_is_confirmed(place: Place) -> None:
    """Another topic, an end that nobody wants, and an address that nobody has."""
    callback = place.hub.subscribers[place.topic].callback
    said = {"hub.topic": place.topic, "hub.challenge": "word", "hub.lease_seconds": "60"}
    other = {**said, "hub.mode": "subscribe", "hub.topic": f"{place.site.url}/other.xml"}
    ends = {**said, "hub.mode": "unsubscribe"}
    begins = {**said, "hub.mode": "subscribe"}
    nowhere = f"{place.system.http_url}/websub/{'0' * 32}"
    answers = [
        requests.get(callback, params=other, timeout=20),
        requests.get(callback, params=ends, timeout=20),
        requests.get(nowhere, params=begins, timeout=20),
    ]

    assert [404, 404, 404] == [one.status_code for one in answers]
    assert not any("word" in one.text for one in answers)
    assert 410 == requests.post(nowhere, headers={"X-Hub-Signature": "sha256=00"}).status_code


def test_subscriptions_outlive_a_restart_and_are_renewed(place: Place) -> None:
    """Before the lease has run out, under the same address; deliveries go on."""
    before = place.hub.subscribers[place.topic]
    asked = len(place.hub.asked)
    place.system.stop()
    place.system.start()
    place.system.until(
        lambda: place.hub.subscribers[place.topic].until > before.until, seconds=RENEWED_SECONDS
    )
    status = place.deliver(111)
    place.system.until(lambda: "111 euros" in place.quoted())

    assert 202 == status
    assert before.callback == place.hub.subscribers[place.topic].callback
    assert len(place.hub.asked) > asked


def test_a_feed_that_the_scope_drops_is_left(place: Place) -> None:
    """The hub is asked to end it, and that is confirmed; what still comes is not taken."""
    gone = place.hub.subscribers[place.topic]
    place.system.run("scope", "delete", "tariffs")
    place.system.until(lambda: ("unsubscribe", True) in place.hub.verified, seconds=90)
    late = requests.post(gone.callback, data=b"x", headers={"X-Hub-Signature": "sha256=0"})

    assert not place.subscribed()
    assert 410 == late.status_code
