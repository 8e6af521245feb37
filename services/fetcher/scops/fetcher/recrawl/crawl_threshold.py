"""The value above which a crawl is worth its budget, steered by what the crawls are worth.

A budget is spent on whatever is due first. Where pages are crawled before they were due, their
value is below the threshold, and it falls; where they are overdue, it rises. It comes to rest
where what falls due is what the budget pays for, whatever the pages are like.
"""

import math

from scops.fetcher.recrawl.crawl_policy import CrawlPolicy, PageView

# Share of the way to the last crawl's value, on a scale of logarithms.
GAIN = 0.02
# A step is bounded, so that one odd page does not move everything.
STEP_MAX = 1.0


def first_threshold(policy: CrawlPolicy, *, rate: float, crawls_per_page_day: float) -> float:
    """Returns the threshold at which a page of middling rate and weight is crawled as often as
    the budget pays for.

    Args:
        crawls_per_page_day: > 0.
    """
    return policy.value(PageView(rate=rate), 1 / crawls_per_page_day)


def steered(threshold: float, *, value: float, gain: float = GAIN) -> float:
    """Returns the threshold after a crawl of a value.

    Args:
        value: of the page that was taken, at the time that it was; a page that the floor
            alone made due teaches nothing and is not to be passed here.
    """
    if value <= 0:
        return threshold * math.exp(-gain * STEP_MAX)
    step = math.log(value / threshold)
    return threshold * math.exp(gain * min(max(step, -STEP_MAX), STEP_MAX))
