"""Replays change logs to the fetcher's own scheduler, crawl by crawl; nothing sees the future.

A policy learns of a page only what a check of it finds (changed since the last one, or not) and
what signals came before now. The oracle is told each page's rate over the window and looks at
every page at every crawl; it does not know when a page changes either.
"""

import heapq
import random
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from benchmarks.freshness.change_logs import PageLog
from scops.fetcher.recrawl.change_rate import (
    FIRST_RATE,
    HALF_LIFE_DAYS,
    NO_CHECKS,
    PooledChecks,
    prior_rate,
)
from scops.fetcher.recrawl.crawl_policy import CrawlPolicy
from scops.fetcher.recrawl.crawl_threshold import first_threshold, steered
from scops.fetcher.recrawl.page_schedule import (
    PageRecord,
    Plan,
    PlanLimits,
    Priors,
    age_of,
    checked,
    planned,
    signalled,
)
from scops.fetcher.recrawl.signal_trust import NOTHING_SIGNALLED, SignalCounts, trust
from scops.fetcher.settings import FetcherSettings

DAYS = 900
WARM_UP_DAYS = 300
# Crawls per page and day.
BUDGETS = (0.05, 0.1, 0.25)
# Of the simulated signals.
RECALL, PRECISION = 0.6, 0.8
KIND = "simulated"
L = TypeVar("L", bound="Learner")
Signals = Sequence[tuple[float, int]]
"""Day and page, ascending."""


def with_pooled(group: PooledChecks, *, days: float, changed: bool) -> PooledChecks:
    """Returns a group's checks after one more, of any of its pages."""
    if days <= 0:
        return group
    return PooledChecks(group.changes + changed, group.days + days)


def with_outcome(counts: SignalCounts, *, signalled: bool, changed: bool) -> SignalCounts:
    """Returns the counts after a check of a page for which this kind of signal exists."""
    if signalled and changed:
        return replace(counts, true=counts.true + 1)
    if signalled:
        return replace(counts, false=counts.false + 1)
    if changed:
        return replace(counts, missed=counts.missed + 1)
    return counts


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCrawl:
    """A decision: which page was crawled when."""

    day: float
    page: int


@dataclass(slots=True)
class Staleness:
    """Time that copies were wrong, between two days of the window.

    Attributes:
        stale_days: by page.
    """

    logs: Sequence[PageLog]
    first_day: float
    last_day: float
    stale_days: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.stale_days = [0.0] * len(self.logs)

    def interval(self, page: int, start: float, end: float) -> bool:
        """Counts the time since a check at `start`; returns whether the page changed until
        `end`."""
        changes = self.logs[page].changes
        place = bisect_right(changes, start)
        if place == len(changes) or changes[place] > end:
            return False
        since = max(changes[place], self.first_day)
        self.stale_days[page] += max(min(end, self.last_day) - since, 0.0)
        return True

    def fresh_share(self, weights: Sequence[float]) -> float:
        """Returns the share of the time, by weight, that copies were right."""
        stale = sum(w * days for w, days in zip(weights, self.stale_days, strict=True))
        return 1 - stale / (sum(weights) * (self.last_day - self.first_day))


class Learner:
    """The service's scheduler over pages in memory: one page at a time, by due day."""

    def __init__(
        self,
        sites: Sequence[str],
        weights: Sequence[float],
        *,
        policy: CrawlPolicy,
        crawls_per_page_day: float,
        has_signals: bool = False,
        half_life_days: float | None = None,
    ) -> None:
        self._half_life_days = half_life_days or HALF_LIFE_DAYS
        self._sites, self._weights, self._policy = sites, weights, policy
        self._limits = PlanLimits(wait_days_max=FetcherSettings().recrawl_days_max)
        self.threshold = first_threshold(
            policy, rate=FIRST_RATE, crawls_per_page_day=crawls_per_page_day
        )
        kinds = {KIND: 0} if has_signals else {}
        self.records = [PageRecord(checked_day=0.0, signals=kinds) for _ in sites]
        self.everywhere = NO_CHECKS
        self.of_site: dict[str, PooledChecks] = defaultdict(lambda: NO_CHECKS)
        self.trust: dict[str, SignalCounts] = defaultdict(lambda: NOTHING_SIGNALLED)
        self.trust_everywhere = NOTHING_SIGNALLED
        self.plans: list[Plan] = []
        self._turns = [0] * len(sites)
        self._heap: list[tuple[float, int, int]] = []
        for page in range(len(sites)):
            self.plans.append(self._plan(page))
            self._push(page)

    def next_page(self, day: float) -> int:
        """Returns the page that is due first, and steers the threshold by what it is worth."""
        while True:
            _, page, turn = heapq.heappop(self._heap)
            if self._turns[page] == turn:
                break
        plan = self.plans[page]
        if not plan.by_floor:
            age = age_of(self.records[page], plan, day=day)
            value = self._policy.value(plan.view, age)
            self.threshold = steered(self.threshold, value=value)
        return page

    def check(self, page: int, day: float, *, changed: bool) -> None:
        """Learns what a check found."""
        before = self.records[page]
        site = self._sites[page]
        days = day - before.checked_day
        half_life = self._half_life_days
        self.everywhere = with_pooled(self.everywhere, days=days, changed=changed)
        self.of_site[site] = with_pooled(self.of_site[site], days=days, changed=changed)
        for count in before.signals.values():
            heard = {"signalled": count > 0, "changed": changed}
            self.trust[site] = with_outcome(self.trust[site], **heard)
            self.trust_everywhere = with_outcome(self.trust_everywhere, **heard)
        self.records[page] = checked(before, day=day, changed=changed, half_life_days=half_life)
        self.replan(page)

    def signal(self, page: int) -> None:
        """Learns that a signal of a page has come."""
        self.records[page] = signalled(self.records[page], KIND)
        self.replan(page)

    def replan(self, page: int) -> None:
        """Plans a page anew."""
        self.plans[page] = self._plan(page)
        self._push(page)

    def _push(self, page: int) -> None:
        self._turns[page] += 1
        heapq.heappush(self._heap, (self.plans[page].due_day, page, self._turns[page]))

    def _importance(self, page: int) -> float:
        return self._weights[page]

    def _plan(self, page: int) -> Plan:
        site = self._sites[page]
        believed = trust(self.trust[site], wider=self.trust_everywhere)
        around = Priors(
            prior_rate=prior_rate(self.of_site[site], self.everywhere),
            importance=self._importance(page),
            trust={KIND: believed},
        )
        return planned(
            self.records[page],
            around,
            policy=self._policy,
            threshold=self.threshold,
            limits=self._limits,
        )


@dataclass(frozen=True, slots=True)
class Scenario:
    """Pages with their importance, crawled at a budget over the whole window.

    Attributes:
        weights: by page, 1 on average.
        budget: crawls per page and day.
    """

    logs: Sequence[PageLog]
    weights: Sequence[float]
    budget: float
    days: int = DAYS

    @property
    def rates(self) -> list[float]:
        """Each page's changes a day over the window: what only the oracle knows."""
        return [len(log.changes) / self.days for log in self.logs]

    def slots(self) -> Iterator[float]:
        """Yields the days of the crawls that the budget pays for, evenly spread."""
        per_day = self.budget * len(self.logs)
        return (slot / per_day for slot in range(1, int(self.days * per_day) + 1))

    def learner(self, kind: type[L], policy: CrawlPolicy, *, has_signals: bool = False) -> L:
        """Returns a scheduler that knows nothing of the pages yet."""
        sites = [log.site for log in self.logs]
        return kind(
            sites,
            self.weights,
            policy=policy,
            crawls_per_page_day=self.budget,
            has_signals=has_signals,
        )

    def crawl(
        self, learner: Learner, staleness: Staleness, signals: Signals = ()
    ) -> list[PageCrawl]:
        """Lets a scheduler crawl; returns what it decided."""
        crawls = []
        heard = 0
        for day in self.slots():
            while heard < len(signals) and signals[heard][0] <= day:
                learner.signal(signals[heard][1])
                heard += 1
            page = learner.next_page(day)
            changed = staleness.interval(page, learner.records[page].checked_day, day)
            learner.check(page, day, changed=changed)
            crawls.append(PageCrawl(day=day, page=page))
        for page, record in enumerate(learner.records):
            staleness.interval(page, record.checked_day, float(self.days))
        return crawls

    def crawl_by_oracle(self, staleness: Staleness) -> None:
        """Crawls what is worth most by the true rates, at every crawl over all pages."""
        rate = np.maximum(np.asarray(self.rates), 1e-9)
        weight = np.asarray(self.weights) / rate
        checked_day = np.zeros(len(rate))
        for day in self.slots():
            x = rate * (day - checked_day)
            page = int(np.argmax(weight * (1 - np.exp(-x) * (1 + x))))
            staleness.interval(page, float(checked_day[page]), day)
            checked_day[page] = day
        for page, start in enumerate(checked_day):
            staleness.interval(page, float(start), float(self.days))


def simulated_signals(
    logs: Sequence[PageLog], chance: random.Random, *, recall: float, precision: float, days: int
) -> Signals:
    """Returns signals that tell of a share of the changes, and false ones."""
    signals = []
    for page, log in enumerate(logs):
        signals += [(day, page) for day in log.changes if chance.random() < recall]
        false_rate = len(log.changes) / days * recall * (1 - precision) / precision
        day = chance.expovariate(false_rate) if false_rate else float(days)
        while day < days:
            signals.append((day, page))
            day += chance.expovariate(false_rate)
    return sorted(signals)
