"""A page's place in the recrawl: what its checks have taught, and when it is due again.

It is worked out anew only when there is news of the page: a check, a citation or a signal.
Times are in days on any one scale.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from scops.fetcher.recrawl.change_rate import (
    HALF_LIFE_DAYS,
    NO_EVIDENCE,
    RateEvidence,
    map_rate,
    with_check,
    with_late_change,
)
from scops.fetcher.recrawl.crawl_policy import CrawlPolicy, PageView
from scops.fetcher.recrawl.crawl_value import NO_SIGNALS, SignalModel, stale_probability


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecord:
    """What is known of a page.

    Attributes:
        checked_day: of the last check.
        changed_day: of the check that found the last change; None where none has.
        evidence: of its rate.
        signals: signals since the last check, by kind; kinds that exist for the page.
    """

    checked_day: float
    changed_day: float | None = None
    evidence: RateEvidence = NO_EVIDENCE
    signals: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Priors:
    """What is taken of a page before its own checks count.

    Attributes:
        prior_rate: changes a day of a page like it.
        trust: in each kind of signal of its site.
        importance: of the page, 1 on average.
        cost: of its fetch, 1 on average.
    """

    prior_rate: float
    trust: Mapping[str, SignalModel] = field(default_factory=dict)
    importance: float = 1.0
    cost: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanLimits:
    """Bounds that hold whatever a crawl is worth.

    Attributes:
        wait_days_min: no page is due sooner after its last check, whatever signals say.
        wait_days_max: every page is due by then: nothing starves.
        stale_min: probability of a change below which a page is not due.
    """

    wait_days_min: float = 0.0
    wait_days_max: float = math.inf
    stale_min: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """When a page is due, and why.

    Attributes:
        due_day: when its value reaches the threshold, within the limits.
        rate: changes a day.
        signalled_days: by which signals have aged it.
        by_floor: whether only the floor makes it due.
    """

    due_day: float
    rate: float
    view: PageView
    signalled_days: float
    by_floor: bool


def checked(
    record: PageRecord,
    *,
    day: float,
    changed: bool,
    half_life_days: float = HALF_LIFE_DAYS,
) -> PageRecord:
    """Returns the record after a check; one that is not later than the last teaches nothing."""
    days = day - record.checked_day
    if days <= 0:
        return record
    return replace(
        record,
        checked_day=day,
        changed_day=day if changed else record.changed_day,
        evidence=with_check(
            record.evidence, days=days, changed=changed, half_life_days=half_life_days
        ),
        signals=dict.fromkeys(record.signals, 0),
    )


def found_changed(
    record: PageRecord, *, day: float, days: float, half_life_days: float = HALF_LIFE_DAYS
) -> PageRecord:
    """Returns the record once a check that found no change is known to have found one after all.

    Args:
        day: of that check.
        days: between it and the one before.
    """
    return replace(
        record,
        changed_day=day if record.changed_day is None else max(record.changed_day, day),
        evidence=with_late_change(
            record.evidence,
            days=days,
            ago_days=max(record.checked_day - day, 0.0),
            half_life_days=half_life_days,
        ),
    )


def signalled(record: PageRecord, kind: str) -> PageRecord:
    """Returns the record after a signal that is newer than the last check."""
    return replace(record, signals={**record.signals, kind: record.signals.get(kind, 0) + 1})


def planned(
    record: PageRecord,
    priors: Priors,
    *,
    policy: CrawlPolicy,
    threshold: float,
    limits: PlanLimits,
    rate: float | None = None,
) -> Plan:
    """Returns when the page is due.

    Args:
        threshold: of its budget.
        rate: a known rate instead of the learned one.
    """
    if rate is None:
        rate = map_rate(record.evidence, prior_rate=priors.prior_rate)
    trust = {kind: priors.trust.get(kind, NO_SIGNALS) for kind in record.signals}
    together = combined(tuple(trust.values()))
    aged = sum(
        count * _days_per_signal(trust[kind], together, rate)
        for kind, count in record.signals.items()
    )
    view = PageView(rate=rate, importance=priors.importance, cost=priors.cost, signals=together)
    age = max(policy.due_age(view, threshold), stale_age(view, limits.stale_min))
    wait = min(max(age - aged, limits.wait_days_min), limits.wait_days_max)
    return Plan(
        due_day=record.checked_day + wait,
        rate=rate,
        view=view,
        signalled_days=aged,
        by_floor=age - aged > limits.wait_days_max,
    )


def combined(models: tuple[SignalModel, ...]) -> SignalModel:
    """Returns what several kinds of signals amount to: a change is told by any."""
    heard = [model for model in models if not model.is_silent]
    if not heard:
        return NO_SIGNALS
    if len(heard) == 1:
        return heard[0]
    missed = math.prod(1 - model.recall for model in heard)
    true = sum(model.recall for model in heard)
    sent = sum(model.recall / model.precision for model in heard)
    return SignalModel(recall=1 - missed, precision=true / sent)


def age_of(record: PageRecord, plan: Plan, *, day: float) -> float:
    """Returns a page's age in days at an instant, with what signals add."""
    return max(day - record.checked_day, 0.0) + plan.signalled_days


def stale_age(view: PageView, share: float) -> float:
    """Returns the age at which a page has changed with a given probability; 0 for 0."""
    return -math.log1p(-share) / view.signals.silent_rate(view.rate)


def staleness(record: PageRecord, plan: Plan, *, day: float) -> float:
    """Returns the probability that the page has changed since its last check."""
    age = age_of(record, plan, day=day)
    return stale_probability(age, rate=plan.rate, signals=plan.view.signals)


def _days_per_signal(own: SignalModel, together: SignalModel, rate: float) -> float:
    if own.is_silent:
        return 0.0
    return -math.log1p(-own.precision) / together.silent_rate(rate)
