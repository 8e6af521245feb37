"""The pure parts: delays, links, endings, releases, settings."""

from dataclasses import replace
from datetime import timedelta

import pytest
from pydantic import ValidationError

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.content import Link, LinkList
from scops.fetcher.discovery.links import followed_urls
from scops.fetcher.frontier.leases import HostLease
from scops.fetcher.frontier.outcomes import Outcome, Retry, after_failure
from scops.fetcher.politeness.delays import HostDelays, parse_delays
from scops.fetcher.politeness.politeness import after_answer, smoothed, untouched
from scops.fetcher.settings import FetcherSettings
from tests.fakes.clock import START
from tests.fakes.page_source import failure, page_answer

SETTINGS = FetcherSettings()
FIRST = SETTINGS.backoff_first_seconds
HOST = HostLease(
    lease_id="lease",
    host_key="a.test",
    delay_seconds=1.0,
    free_before=START,
    backoff=0,
    send_before=START,
)


@pytest.mark.parametrize(
    ("host", "seconds"),
    [
        ("127.0.0.1", 0.02),
        ("localhost", 0.02),
        ("10.1.2.3", 0.5),
        ("8.8.8.8", 1.0),
        ("::1", 0.1),
        ("a.test", 1.0),
    ],
)
def test_delay_by_range(host: str, seconds: float) -> None:
    """Literal addresses take the delay of the first range that holds them."""
    ranges = parse_delays("127.0.0.0/8=0.02, 10.0.0.0/8=0.5,::1/128=0.1")

    assert seconds == HostDelays(1.0, ranges).seconds(host)


@pytest.mark.parametrize("text", ["127.0.0.1/8=1", "x=1", "127.0.0.0/8", "127.0.0.0/8=-1", "=1"])
def test_malformed_delay(text: str) -> None:
    """A delay that is no CIDR=seconds is refused, at the start of the process too."""
    with pytest.raises(InvalidInput):
        parse_delays(text)
    with pytest.raises((InvalidInput, ValidationError)):
        FetcherSettings(delays=text)


async def test_followed_urls() -> None:
    """Links come canonical, once and in order; nofollow, malformed and traps are left out."""
    urls = (
        "https://a.test/b#part",
        "https://A.test/b",
        "mailto:a@b.test",
        "https://a.test/" + "d/" * 20,
        "https://a.test/x/y/x/y/x/y",
        "https://a.test/?" + "&".join(f"p{number}=1" for number in range(9)),
        "https://a.test/c",
    )
    links = (
        *(Link(url=url) for url in urls),
        Link(url="https://a.test/n", rel="noopener NoFollow"),
    )

    assert ("https://a.test/b", "https://a.test/c") == await followed_urls(LinkList(links=links))
    assert () == await followed_urls(LinkList(links=links, nofollow=True))


async def test_links_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more links than the bound are taken from a page."""
    links = tuple(Link(url=f"https://a.test/{number}") for number in range(10))

    monkeypatch.setattr("scops.fetcher.discovery.links.LINKS_PER_PAGE_MAX", 3)

    assert 3 == len(await followed_urls(LinkList(links=links)))


def test_retry_waits_for_retry_after_up_to_a_bound() -> None:
    """A page is not asked again before the time that its host names, within reason."""
    asked = failure("HTTP_429", retryable=True, retry_after_seconds=1e9)

    assert Retry(due_time=START + timedelta(hours=1)) == after_failure(
        asked, attempts=0, now=START, settings=SETTINGS
    )


def test_unknown_failures_are_dead() -> None:
    """What nobody forbids is dead, with the reason in lower case."""
    ending = after_failure(failure("HTTP_500"), attempts=0, now=START, settings=SETTINGS)

    assert (Outcome.DEAD, "http_500") == (ending.outcome, ending.reason)  # type: ignore[union-attr]


def test_backoff_doubles_up_to_its_bound() -> None:
    """A strained host rests longer each time; an answer ends it."""
    strained = failure("HTTP_503", host_fault=True)
    waits = []
    for backoff in (0, 1, 2, 60):
        host = HostLease(
            lease_id="",
            host_key="a.test",
            delay_seconds=1.0,
            free_before=START,
            backoff=backoff,
            send_before=START,
        )
        release = after_answer(
            host, strained, delay_seconds=1.0, now=START, backoff_first_seconds=5.0
        )
        waits.append((release.next_allowed_time - START).total_seconds())
        assert backoff + 1 == release.backoff

    assert [5.0, 10.0, 20.0, 600.0] == waits


def test_answered_host_rests_its_delay() -> None:
    """After an answer the host rests as long as robots.txt or the setting say."""
    release = after_answer(
        HOST, page_answer(), delay_seconds=7.0, now=START, backoff_first_seconds=5.0
    )

    assert (START + timedelta(seconds=7), 0) == (release.next_allowed_time, release.backoff)


def test_untouched_host_is_left_as_it_was() -> None:
    """A lease that sent nothing costs the host nothing."""
    assert START == untouched(HOST).next_allowed_time


def test_lease_outlives_the_longest_request() -> None:
    """The lease is longer than any request under it, whatever the settings."""
    assert FetcherSettings(request_seconds_max=600).lease_seconds > 600


@pytest.mark.parametrize(
    ("asked", "took", "pause"),
    [(0.0, 0.05, 1.0), (0.0, 0.5, 5.0), (7.0, 0.5, 7.0), (0.0, 20.0, 30.0)],
)
def test_slow_host_rests_longer(asked: float, took: float, pause: float) -> None:
    """A host rests ten times as long as it takes to answer, within bounds."""
    delays = HostDelays(1.0, response_factor=10.0)

    assert pause == delays.pause_seconds("a.test", asked_seconds=asked, response_seconds=took)


def test_stated_delay_is_not_stretched() -> None:
    """Who names a range of addresses has said what its hosts bear."""
    delays = HostDelays(1.0, parse_delays("127.0.0.0/8=0.02"), response_factor=10.0)

    assert 0.02 == delays.pause_seconds("127.0.0.1", asked_seconds=0.0, response_seconds=3.0)


def test_response_time_is_smoothed() -> None:
    """One slow answer counts half; where nothing was answered, what was known stands."""
    slow = replace(page_answer(), response_seconds=3.0)
    known = replace(HOST, response_seconds=1.0)

    assert [3.0, 2.0, 1.0] == [smoothed(HOST, slow), smoothed(known, slow), smoothed(known, None)]
