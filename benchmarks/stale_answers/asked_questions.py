"""Questions asked over pages that change, at a fetch budget; nothing but answers tells demand.

Each question leans on a few pages. Pages are chosen, and questions asked, by Zipf's law: some
pages carry many answers, most carry few. The scheduler learns which from the citations alone, as
the service does from `PageCited`.
"""

import random
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.freshness.change_logs import PageLog, zipf_weights
from benchmarks.freshness.replay import Learner, Scenario
from scops.fetcher.recrawl.crawl_demand import UNIT_DAY, demand_of, importance
from scops.fetcher.recrawl.page_schedule import staleness

QUESTIONS = 300
PAGES_MAX = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """A question on a day, and the pages that its answer cites."""

    day: float
    pages: Sequence[int]


@dataclass(slots=True)
class Answers:
    """What became of the answers.

    Attributes:
        stale: whether a cited page had changed since it was checked, by answer.
        risks: what the answer said of it, by answer.
    """

    stale: list[bool] = field(default_factory=list)
    risks: list[float] = field(default_factory=list)


class AskedLearner(Learner):
    """A scheduler that learns importance from citations; see `crawl_demand`."""

    def begin(self) -> None:
        """Forgets importance: nobody has asked anything yet."""
        self._demand = [0.0] * len(self.records)
        self._total = 0.0
        self._day = 0.0

    def cite(self, pages: Sequence[int], day: float) -> None:
        """Learns that an answer cited pages."""
        self._day = day
        for page in pages:
            added = demand_of(1, day=UNIT_DAY + day)
            self._demand[page] += added
            self._total += added
            self.replan(page)

    def risk(self, pages: Sequence[int], day: float) -> float:
        """Returns the probability that one of the pages has changed since it was checked."""
        fresh = 1.0
        for page in pages:
            fresh *= 1 - staleness(self.records[page], self.plans[page], day=day)
        return 1 - fresh

    def _importance(self, page: int) -> float:
        if not hasattr(self, "_demand"):
            return 1.0
        return importance(
            self._demand[page],
            demand_sum=self._total,
            page_count=len(self.records),
            day=UNIT_DAY + self._day,
        )


def questions(count: int, *, per_day: float, days: int, chance: random.Random) -> list[Asked]:
    """Returns the questions of some days, over `count` pages."""
    pages, weights = range(count), zipf_weights(count, chance)
    known = [
        tuple(set(chance.choices(pages, weights, k=chance.randint(1, PAGES_MAX))))
        for _ in range(QUESTIONS)
    ]
    often = zipf_weights(QUESTIONS, chance)
    asked = []
    day = chance.expovariate(per_day)
    while day < days:
        asked.append(Asked(day, chance.choices(known, often)[0]))
        day += chance.expovariate(per_day)
    return asked


def answered(
    learner: AskedLearner, scenario: Scenario, asked: Sequence[Asked], *, first_day: float
) -> Answers:
    """Lets a scheduler crawl while questions are asked; what is asked from `first_day` counts."""
    learner.begin()
    answers, logs = Answers(), scenario.logs
    heard = 0
    for day in scenario.slots():
        while heard < len(asked) and asked[heard].day <= day:
            one = asked[heard]
            if one.day >= first_day:
                answers.stale.append(_is_stale(learner, logs, one))
                answers.risks.append(learner.risk(one.pages, one.day))
            learner.cite(one.pages, one.day)
            heard += 1
        page = learner.next_page(day)
        changed = _changed(logs[page], learner.records[page].checked_day, day)
        learner.check(page, day, changed=changed)
    return answers


def _is_stale(learner: AskedLearner, logs: Sequence[PageLog], one: Asked) -> bool:
    return any(
        _changed(logs[page], learner.records[page].checked_day, one.day) for page in one.pages
    )


def _changed(log: PageLog, since: float, until: float) -> bool:
    place = bisect_right(log.changes, since)
    return place < len(log.changes) and log.changes[place] <= until
