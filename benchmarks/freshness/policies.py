"""The fetcher's policy and those that it is measured against."""

from enum import StrEnum

from scops.fetcher.recrawl.crawl_policy import CrawlPolicy, Optimal, PageView


class Uniform:
    """Every page as often as any other: it is worth its age."""

    def value(self, page: PageView, age_days: float) -> float:
        return age_days / page.cost

    def due_age(self, page: PageView, threshold: float) -> float:
        return threshold * page.cost


class Proportional:
    """Each page as often as it changes: it is worth the changes that are expected."""

    def value(self, page: PageView, age_days: float) -> float:
        return page.rate * age_days / page.cost

    def due_age(self, page: PageView, threshold: float) -> float:
        return threshold * page.cost / page.rate


class PolicyName(StrEnum):
    """What a policy is called."""

    UNIFORM = "uniform"
    PROPORTIONAL = "proportional"
    OPTIMAL = "optimal"


POLICIES: dict[PolicyName, CrawlPolicy] = {
    PolicyName.UNIFORM: Uniform(),
    PolicyName.PROPORTIONAL: Proportional(),
    PolicyName.OPTIMAL: Optimal(),
}
