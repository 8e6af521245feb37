"""When a page is due: a policy that sees only what is past.

A policy is a value that grows with a page's age; the page is due when it reaches the threshold
that the budget sets. `Optimal` is in use; `benchmarks.freshness` measures it against others.
"""

from dataclasses import dataclass
from typing import Protocol

from scops.fetcher.recrawl.crawl_value import NO_SIGNALS, SignalModel, age_of_value, value_of_age


@dataclass(frozen=True, slots=True, kw_only=True)
class PageView:
    """What a policy knows of a page; all of it was learned before now.

    Attributes:
        rate: changes a day; > 0.
        importance: how much answers lean on it, 1 on average; > 0.
        cost: of a fetch, 1 on average; > 0.
        signals: how far its signals are trusted.
    """

    rate: float
    importance: float = 1.0
    cost: float = 1.0
    signals: SignalModel = NO_SIGNALS


class CrawlPolicy(Protocol):
    """Says what a crawl is worth at an age, and at which age it is worth a threshold.

    Both are functions of their arguments alone, and inverse to each other where finite.
    """

    def value(self, page: PageView, age_days: float) -> float:
        """Returns what a crawl is worth; grows with the age, 0 at age 0."""
        ...

    def due_age(self, page: PageView, threshold: float) -> float:
        """Returns the age in days at which the page is due; infinite where it never is."""
        ...


class Optimal:
    """What adds most to the time that answers are right; see `crawl_value`."""

    def value(self, page: PageView, age_days: float) -> float:
        added = value_of_age(age_days, rate=page.rate, signals=page.signals)
        return page.importance * added / page.cost

    def due_age(self, page: PageView, threshold: float) -> float:
        wanted = threshold * page.cost / page.importance
        return age_of_value(wanted, rate=page.rate, signals=page.signals)
