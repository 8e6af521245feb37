"""When a research run ends: enough found, nothing gained, nothing left, or its budget used."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.explanation import Coverage
from scops.gateway.chats.chat import ChatId
from scops.gateway.research.research import (
    BATCH,
    Research,
    ResearchBudget,
    ResearchId,
    ResearchPage,
    ResearchStep,
    StopReason,
)
from scops.gateway.research.stopping import (
    COVERED,
    EXPECTED_MIN,
    STEPS_WITHOUT_GAIN_MAX,
    room_of,
    stop_after_links,
    stop_before_links,
    total_of,
)
from scops.gateway.watches.watch import WatchBounds

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
BUDGET = ResearchBudget(pages=10, seconds=60)


def step(number: int, coverage: float, *, words: float = 0.0) -> ResearchStep:
    return ResearchStep(
        number=number, fetched=number, coverage=coverage, probability=0, words=words, time=AT
    )


def run(
    *steps: ResearchStep, pages: int = 1, budget: ResearchBudget = BUDGET, **values: Any
) -> Research:
    return Research(
        research_id=ResearchId("r"),
        organisation_id="main",
        principal_id="local",
        bounds=WatchBounds(),
        question="how much?",
        start_url="https://a.test/",
        scope_id=ScopeId("s"),
        chat_id=ChatId("c"),
        budget=budget,
        pages=tuple(ResearchPage(url=f"https://a.test/{number}") for number in range(pages)),
        steps=steps,
        created_time=AT,
        **values,
    )


def test_what_suffices_ends_it_first() -> None:
    """Even where the budget is used up at the same look."""
    over = AT + timedelta(hours=1)

    assert StopReason.COVERED is stop_before_links(run(pages=10), step(1, COVERED), over)


@pytest.mark.parametrize(
    ("pages", "seconds", "reason"),
    [
        (9, 59, StopReason.NONE),
        (10, 0, StopReason.PAGES),
        (9, 60, StopReason.SECONDS),
    ],
)
def test_a_budget_ends_it(pages: int, seconds: int, reason: StopReason) -> None:
    """Of pages and of seconds."""
    now = AT + timedelta(seconds=seconds)

    assert reason is stop_before_links(run(pages=pages), step(1, 0.1), now)


def test_a_budget_of_bytes_ends_it() -> None:
    """Once what came is as much; without one nothing does."""
    bounded = ResearchBudget(bytes=100)

    assert StopReason.NONE is stop_before_links(
        run(budget=bounded, fetched_bytes=99), step(1, 0.1), AT
    )
    assert StopReason.BYTES is stop_before_links(
        run(budget=bounded, fetched_bytes=100), step(1, 0.1), AT
    )
    assert StopReason.NONE is stop_before_links(run(fetched_bytes=10**12), step(1, 0.1), AT)


@pytest.mark.parametrize(
    ("pages", "fetched", "room"),
    [(1, 0, 1), (1, 20, 4), (1, 30, 2), (2, 60, 1), (2, 90, 1), (9, 9, 1)],
)
def test_so_many_pages_are_fetched_as_may_fit(pages: int, fetched: int, room: int) -> None:
    """By the mean of those before, of 100 bytes and ten pages; at least one."""
    bounded = ResearchBudget(pages=10, bytes=100)

    assert room == room_of(run(pages=pages, budget=bounded, fetched_bytes=fetched))
    assert min(BATCH, 10 - pages) == room_of(run(pages=pages, fetched_bytes=fetched))


def test_steps_that_gain_nothing_end_it() -> None:
    """Several in a row; words that come nearer count as half a gain."""
    still = [step(number, 0.3) for number in range(1, STEPS_WITHOUT_GAIN_MAX + 1)]
    last = STEPS_WITHOUT_GAIN_MAX + 1

    assert StopReason.NONE is stop_before_links(run(*still[:-1]), still[-1], AT)
    assert StopReason.LOW_GAIN is stop_before_links(run(*still), step(last, 0.3), AT)
    assert StopReason.NONE is stop_before_links(run(*still), step(last, 0.4), AT)
    assert StopReason.NONE is stop_before_links(run(*still), step(last, 0.3, words=0.9), AT)


def test_links_that_promise_nothing_end_it() -> None:
    """The less is missing, the more a link has to promise."""
    assert StopReason.NOTHING_LEFT is stop_after_links([], 0.0)
    assert StopReason.NONE is stop_after_links([EXPECTED_MIN], 0.0)
    assert StopReason.COST is stop_after_links([EXPECTED_MIN], 0.5)


def test_missing_words_take_from_what_a_reader_believes() -> None:
    """And what is not answered is not covered."""
    coverage = Coverage(probability=0.9, words=0.5)

    assert 0.45 == total_of(coverage, answered=True)
    assert 0.0 == total_of(coverage, answered=False) == total_of(None, answered=True)
