"""Stack Exchange is asked as its API says: backoff, throttles, quota, no part beyond the 25th."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import web

from scops.common.contract.errors import InvalidInput
from scops.fetcher.adapters.apis.asking import PAUSE_SECONDS_MAX, TRIES_MAX
from scops.standalone.commands.stackexchange.api import StackExchangeApi
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.stackexchange import SITE, StackExchange

FIRST = datetime(2025, 1, 1, tzinfo=UTC)
COUNT = 70


@pytest.fixture
def exchange() -> Iterator[StackExchange]:
    """More questions than 25 parts of a list hold, of which some came within a second."""
    with running(Origin()) as origin:
        made = StackExchange(origin)
        for number in range(COUNT):
            at = FIRST + timedelta(seconds=number // 5)
            made.ask(number, f"Question {number}", at, "<p>Why?</p>", "bogs")
        made.answer(3, FIRST, "<p>So.</p>")
        made.answer(4, FIRST + timedelta(seconds=1), "<p>So.</p>")
        made.answer(3, FIRST + timedelta(seconds=2), "<p>Or so.</p>")
        yield made


@pytest.fixture
def pauses() -> list[float]:
    """How long was waited for what."""
    return []


@pytest.fixture
def api(exchange: StackExchange, pauses: list[float]) -> Iterator[StackExchangeApi]:
    made = StackExchangeApi(exchange.url, SITE, key="", pause_seconds=0.5, sleep=pauses.append)
    with closing(made) as opened:
        yield opened


def test_each_question_is_told_once(api: StackExchangeApi) -> None:
    """However many there are, and however many of one second."""
    found = [one["question_id"] for part in api.questions("bogs", since=None) for one in part]

    assert list(range(COUNT)) == sorted(found)


def test_what_was_active_before_is_not_asked_for(api: StackExchangeApi) -> None:
    """An instant counts as since then."""
    since = FIRST + timedelta(seconds=COUNT // 5 - 1)
    found = [one["question_id"] for part in api.questions("bogs", since=since) for one in part]

    assert set(range(COUNT - 5, COUNT)) == set(found)


def test_answers_are_told_by_their_questions(
    api: StackExchangeApi, exchange: StackExchange
) -> None:
    """Of many at once, the oldest first; for none nothing is asked."""
    found = api.answers([3, 4, 5])

    assert [["<p>So.</p>", "<p>Or so.</p>"], ["<p>So.</p>"], []] == [
        [one["body"] for one in found[number]] for number in (3, 4, 5)
    ]
    assert 2 == len(exchange.asked)
    assert {} == api.answers([])
    assert 2 == len(exchange.asked)


def test_it_waits_as_long_as_an_answer_says(
    api: StackExchangeApi, exchange: StackExchange, pauses: list[float]
) -> None:
    """Before the next request; else as long as between any two."""
    exchange.backoff = 10
    api.answers([3, 4])
    exchange.backoff = 0
    api.answers([4])
    api.answers([4])

    assert [10, 10, 0.5] == pauses


def test_a_throttle_is_waited_out_where_it_is_short(
    api: StackExchangeApi, exchange: StackExchange, pauses: list[float]
) -> None:
    """A long one is told, with what to do."""
    exchange.throttled += [9, int(PAUSE_SECONDS_MAX) + 1]
    with pytest.raises(OSError, match="STACKEXCHANGE_KEY"):
        api.answers([3])

    assert 9 in pauses
    assert PAUSE_SECONDS_MAX > max(pauses)


def test_a_spent_quota_is_not_asked_beyond(api: StackExchangeApi, exchange: StackExchange) -> None:
    """The API says how many requests are left."""
    exchange.quota = 1
    with pytest.raises(OSError, match="no more requests for today"):
        list(api.questions("bogs", since=None))

    assert 1 == len(exchange.asked)


@pytest.mark.parametrize(
    ("body", "status"), [("<html>A page</html>", 200), ("[]", 200), ('{"items": 1}', 404)]
)
def test_what_is_no_api_is_named(
    api: StackExchangeApi, exchange: StackExchange, body: str, status: int
) -> None:
    """With how to name a site."""

    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(text=body, status=status)

    exchange.origin.handle("/2.3/questions", answer)
    with pytest.raises(InvalidInput, match="such as stackoverflow"):
        list(api.questions("bogs", since=None))


def test_an_api_that_is_down_is_asked_a_few_times(
    api: StackExchangeApi, exchange: StackExchange
) -> None:
    """And named by what it answered."""
    exchange.origin.fail("/2.3/questions", 503)

    with pytest.raises(OSError, match="answered 503"):
        list(api.questions("bogs", since=None))
    assert TRIES_MAX == len(exchange.origin.requests)
