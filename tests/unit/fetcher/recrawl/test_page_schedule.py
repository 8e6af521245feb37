"""When a page is due, from its own past and its priors."""

import pytest

from benchmarks.freshness.policies import POLICIES, PolicyName
from scops.fetcher.recrawl.crawl_policy import PageView
from scops.fetcher.recrawl.crawl_threshold import first_threshold, steered
from scops.fetcher.recrawl.crawl_value import SignalModel
from scops.fetcher.recrawl.page_schedule import (
    PageRecord,
    PlanLimits,
    Priors,
    age_of,
    checked,
    planned,
    signalled,
    staleness,
)
from scops.fetcher.recrawl.signal_trust import SignalCounts, trust

OPTIMAL = POLICIES[PolicyName.OPTIMAL]
TRUSTED = {"sitemap": SignalModel(recall=0.6, precision=0.8)}
PRIORS = Priors(prior_rate=0.1)
PAGE = PageRecord(checked_day=100.0)


@pytest.mark.parametrize("name", list(PolicyName))
def test_value_at_the_due_age_is_the_threshold(name: PolicyName) -> None:
    """Every policy's two functions agree."""
    policy = POLICIES[name]
    view = PageView(rate=0.1, importance=2.0, cost=1.5)
    age = policy.due_age(view, 0.7)

    assert policy.value(view, age) == pytest.approx(0.7, rel=0.01)


def test_optimal_page_is_due_sooner_when_cited_more() -> None:
    """Importance brings a page forward, cost puts it off."""
    cited = Priors(prior_rate=0.1, importance=4.0)
    dear = Priors(prior_rate=0.1, cost=4.0)
    due = [
        planned(PAGE, around, policy=OPTIMAL, threshold=1.0, limits=PlanLimits()).due_day
        for around in (cited, PRIORS, dear)
    ]

    assert due == sorted(due)
    assert len(set(due)) == 3


def test_floor_makes_every_page_due() -> None:
    """A page not worth its threshold ever is due by the longest wait, and the plan says so."""
    restless = Priors(prior_rate=20.0)
    plan = planned(
        PAGE, restless, policy=OPTIMAL, threshold=1.0, limits=PlanLimits(wait_days_max=30.0)
    )

    assert plan.due_day == 130.0
    assert plan.by_floor


def test_page_that_has_hardly_aged_is_not_due_however_low_the_threshold() -> None:
    """Below a share of staleness a fetch would bring nothing."""
    plan = planned(PAGE, PRIORS, policy=OPTIMAL, threshold=1e-9, limits=PlanLimits(stale_min=0.05))

    assert staleness(PAGE, plan, day=plan.due_day) == pytest.approx(0.05)


def test_signal_brings_a_page_forward_and_a_check_forgets_it() -> None:
    """One trusted signal ages the page; the check that follows starts anew."""
    around = Priors(prior_rate=0.1, trust=TRUSTED)
    quiet = PageRecord(checked_day=100.0, signals={"sitemap": 0})
    told = signalled(quiet, "sitemap")
    plans = [
        planned(record, around, policy=OPTIMAL, threshold=1.0, limits=PlanLimits())
        for record in (quiet, told)
    ]
    after = checked(told, day=101.0, changed=True, half_life_days=90.0)

    assert plans[1].due_day < plans[0].due_day
    assert staleness(told, plans[1], day=100.0) == pytest.approx(0.8)
    assert after.signals == {"sitemap": 0}
    assert after.changed_day == 101.0


def test_late_check_teaches_nothing() -> None:
    """A check that is not later than the last changes nothing."""
    assert checked(PAGE, day=100.0, changed=True, half_life_days=90.0) is PAGE


def test_site_that_stamps_every_page_is_not_believed_for_long() -> None:
    """Signals that come whether or not the page changed earn a low precision."""
    counts = SignalCounts(true=10.0, false=190.0)

    assert trust(counts).precision < 0.08


def test_nothing_is_believed_before_a_signal_was_true() -> None:
    """A new kind of signal has no weight."""
    assert trust(SignalCounts(false=3, missed=5)).is_silent


def test_threshold_comes_to_rest_at_the_value_of_what_is_crawled() -> None:
    """Crawls worth more than the threshold raise it, crawls worth less lower it."""
    threshold = first_threshold(OPTIMAL, rate=0.02, crawls_per_page_day=0.1)
    for _ in range(2000):
        threshold = steered(threshold, value=3.0)

    assert threshold == pytest.approx(3.0, rel=0.01)
    assert steered(threshold, value=0.0) < threshold


def test_age_counts_what_signals_add() -> None:
    """The age of a page is its time since the check and what its signals add."""
    told = signalled(PageRecord(checked_day=100.0), "sitemap")
    around = Priors(prior_rate=0.1, trust=TRUSTED)
    plan = planned(told, around, policy=OPTIMAL, threshold=1.0, limits=PlanLimits())

    assert age_of(told, plan, day=103.0) == pytest.approx(3.0 + plan.signalled_days)
