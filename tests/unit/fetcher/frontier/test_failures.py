"""Fetches that fail: tried again with growing pauses, or ended with their reason."""

import pytest

from scops.common.contract.messages.crawl import FetchFailed
from tests.fakes.page_source import failure, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

A = "https://a.test/a"


async def test_repeatable_failure_is_retried_with_growing_delay(world: FetcherWorld) -> None:
    """A page that fails and then answers is indexed; the failures are published."""
    answers = iter([failure("TIMEOUT", retryable=True), failure("TIMEOUT", retryable=True)])
    world.source.answers[A] = lambda: next(answers, page_answer("at last"))
    world.scopes.apply(scope("a.test"))
    await world.fetch(A)
    events = await world.run()
    times = [asked.time for asked in world.source.asked if asked.url == A]

    assert [5.0, 20.0] == [(times[i + 1] - times[i]).total_seconds() for i in (0, 1)]
    assert 2 == sum(isinstance(event, FetchFailed) for event in events)
    assert {A: "indexed"} == await world.outcomes()
    assert 0 == (await world.page(A)).attempts


async def test_repeatable_failure_ends_after_the_last_attempt(world: FetcherWorld) -> None:
    """Three retries, then dead."""
    world.source.serve(A, failure("TIMEOUT", retryable=True))
    world.scopes.apply(scope("a.test"))
    await world.fetch(A)
    await world.run()

    assert {A: "dead(timeout)"} == await world.outcomes()
    assert 4 == world.source.pages_asked().count(A)


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("ADDRESS_DENIED", "blocked(address_denied)"),
        ("UNSUPPORTED_TYPE", "blocked(unsupported_type)"),
        ("HTTP_401", "blocked(http_401)"),
        ("HTTP_403", "blocked(http_403)"),
        ("BODY_TOO_LARGE", "dead(body_too_large)"),
        ("RATIO_TOO_HIGH", "dead(ratio_too_high)"),
        ("REDIRECT_LOOP", "dead(redirect_loop)"),
    ],
)
async def test_final_failures(world: FetcherWorld, reason: str, outcome: str) -> None:
    """A failure that cannot pass ends the page at once, blocked or dead, with its reason."""
    world.source.serve(A, failure(reason))
    world.scopes.apply(scope("a.test"))
    await world.fetch(A)
    await world.run()

    assert {A: outcome} == await world.outcomes()
    assert 1 == world.source.pages_asked().count(A)


async def test_denied_address_is_named_even_where_robots_is_asked_first(
    world: FetcherWorld,
) -> None:
    """A link-local address is blocked as what it is, not as an unreadable robots.txt."""
    world.source.serve("http://169.254.169.254/robots.txt", failure("ADDRESS_DENIED"))
    world.scopes.apply(scope("169.254.169.254"))
    await world.fetch("http://169.254.169.254/latest")
    await world.run()

    assert {"http://169.254.169.254/latest": "blocked(address_denied)"} == await world.outcomes()
