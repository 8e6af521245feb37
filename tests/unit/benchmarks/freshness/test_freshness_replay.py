"""The replay of change logs: the future decides nothing, and learning pays."""

import random

import pytest

from benchmarks.freshness.change_logs import PageLog
from benchmarks.freshness.policies import POLICIES, PolicyName
from benchmarks.freshness.replay import (
    Learner,
    PageCrawl,
    Scenario,
    Signals,
    Staleness,
    simulated_signals,
)

DAYS = 200
HALF = 100.0


@pytest.mark.parametrize("with_signals", [False, True])
@pytest.mark.parametrize("name", list(PolicyName))
def test_permuted_future_leaves_past_decisions_unchanged(
    name: PolicyName, *, with_signals: bool
) -> None:
    """What happens after an instant, and to which page, decides nothing before it."""
    chance = random.Random(1)
    logs = _logs(chance)
    decided = _crawls(logs, name, with_signals=with_signals)
    futures = [tuple(day for day in log.changes if day > HALF) for log in logs]
    chance.shuffle(futures)
    permuted = [
        PageLog(log.name, log.site, (*(day for day in log.changes if day <= HALF), *future))
        for log, future in zip(logs, futures, strict=True)
    ]
    again = _crawls(permuted, name, with_signals=with_signals)

    assert _before(decided, HALF) == _before(again, HALF)
    assert name is PolicyName.UNIFORM or decided != again


def test_learner_keeps_copies_fresher_than_turns() -> None:
    """On pages of very different rates, the learned schedule beats equal turns."""
    logs = _logs(random.Random(2))
    fresh = {name: _staleness(logs, name).fresh_share([1.0] * len(logs)) for name in PolicyName}

    assert fresh[PolicyName.OPTIMAL] > fresh[PolicyName.UNIFORM]


def test_staleness_counts_from_the_first_change_in_the_measured_window() -> None:
    """A copy is wrong from the page's first change after the check until the next check."""
    staleness = Staleness([PageLog("a", "a", (5.0, 7.0, 20.0))], 6.0, 30.0)

    assert staleness.interval(0, 0.0, 10.0)
    assert not staleness.interval(0, 10.0, 15.0)
    assert staleness.interval(0, 15.0, 40.0)
    assert staleness.stale_days == [4.0 + 10.0]


def _logs(chance: random.Random) -> list[PageLog]:
    logs = []
    for page in range(30):
        rate = 10 ** chance.uniform(-3, 0.5)
        changes, day = [], chance.expovariate(rate)
        while day < DAYS:
            changes.append(day)
            day += chance.expovariate(rate)
        logs.append(PageLog(f"p{page}", f"s{page % 3}", tuple(changes)))
    return logs


def _crawls(logs: list[PageLog], name: PolicyName, *, with_signals: bool) -> list[PageCrawl]:
    signals: Signals = ()
    if with_signals:
        # Of the past alone: the future's signals differ with the future.
        known = [
            PageLog(log.name, log.site, tuple(day for day in log.changes if day <= HALF))
            for log in logs
        ]
        signals = simulated_signals(known, random.Random(4), recall=0.6, precision=0.8, days=DAYS)
    scenario = _scenario(logs)
    learner = scenario.learner(Learner, POLICIES[name], has_signals=with_signals)
    return scenario.crawl(learner, Staleness(logs, 0.0, DAYS), signals)


def _staleness(logs: list[PageLog], name: PolicyName) -> Staleness:
    scenario, staleness = _scenario(logs), Staleness(logs, 50.0, DAYS)
    scenario.crawl(scenario.learner(Learner, POLICIES[name]), staleness)
    return staleness


def _scenario(logs: list[PageLog]) -> Scenario:
    return Scenario(logs, [1.0] * len(logs), 0.2, days=DAYS)


def _before(crawls: list[PageCrawl], day: float) -> list[PageCrawl]:
    return [crawl for crawl in crawls if crawl.day <= day]
