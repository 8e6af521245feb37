"""How often a page changes its meaning, estimated from checks at irregular intervals.

A check says whether the page has changed at least once since the one before, never when or how
often. Under a Poisson process of rate D an interval of t days has changed with probability
1 - exp(-D t). The estimate is the mode of that likelihood under a Gamma prior whose mean is the
rate of the page's site: where nothing was seen to change, it falls as a / (T + b)
instead of staying at a guess.

Old checks count for less (pages change in bursts). Changed intervals are summed up in bins whose
widths grow by the square root of two, so that a page's evidence stays small for ever.

Source: Cho and Garcia-Molina 2003, frequency of change from censored observations; here the MAP
estimate with an empirical-Bayes Gamma prior.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

PRIOR_SHAPE = 0.5
RATE_MIN = 1e-4
RATE_MAX = 24.0
HALF_LIFE_DAYS = 90.0
# Checks that the whole stands for when a site's rate is estimated, and what all begin with.
SITE_PRIOR_CHANGES = 2.0
FIRST_RATE = 0.02
FIRST_PRIOR_CHANGES = 0.5
BINS_PER_DOUBLING = 2
BIN_FIRST_DAYS = 1 / 96
BIN_COUNT = 48
# Bins that have decayed below this are dropped.
WEIGHT_MIN = 1e-3
STEPS_MAX = 60
PRECISION = 1e-4


@dataclass(frozen=True, slots=True)
class ChangedBin:
    """Intervals of like length in which the page changed.

    Attributes:
        weight: their number, decayed.
        days: their total length, decayed alike.
    """

    weight: float
    days: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RateEvidence:
    """What the checks of a page have shown.

    Attributes:
        unchanged_days: total length of the intervals without a change, decayed.
        changed: the others, by bin.
    """

    unchanged_days: float = 0.0
    changed: Mapping[int, ChangedBin] = field(default_factory=dict)


NO_EVIDENCE = RateEvidence()


@dataclass(frozen=True, slots=True)
class PooledChecks:
    """What the checks of all pages of a site, or of all sites, have shown together.

    Attributes:
        changes: checks that found a change.
        days: total length of the intervals between checks.
    """

    changes: float = 0.0
    days: float = 0.0


NO_CHECKS = PooledChecks()


def with_check(
    evidence: RateEvidence,
    *,
    days: float,
    changed: bool,
    half_life_days: float = HALF_LIFE_DAYS,
) -> RateEvidence:
    """Returns the evidence after one more check.

    Args:
        days: since the check before; an interval that is not positive says nothing.
        half_life_days: after which a check counts half; infinite keeps all alike.
    """
    if days <= 0:
        return evidence
    kept = decayed(evidence, days=days, half_life_days=half_life_days)
    if not changed:
        return replace(kept, unchanged_days=kept.unchanged_days + days)
    number = _bin(days)
    old = kept.changed.get(number, ChangedBin(0.0, 0.0))
    merged = ChangedBin(old.weight + 1.0, old.days + days)
    return replace(kept, changed={**kept.changed, number: merged})


def with_late_change(
    evidence: RateEvidence,
    *,
    days: float,
    ago_days: float,
    half_life_days: float = HALF_LIFE_DAYS,
) -> RateEvidence:
    """Returns the evidence once an interval that counts as unchanged is known to have changed.

    Args:
        days: its length; one that is not positive says nothing.
        ago_days: since its end, up to the last check.
    """
    if days <= 0:
        return evidence
    alone = decayed(
        with_check(NO_EVIDENCE, days=days, changed=True, half_life_days=half_life_days),
        days=ago_days,
        half_life_days=half_life_days,
    )
    unchanged_days, changed = evidence.unchanged_days, dict(evidence.changed)
    for number, late in alone.changed.items():
        old = changed.get(number, ChangedBin(0.0, 0.0))
        changed[number] = ChangedBin(old.weight + late.weight, old.days + late.days)
        unchanged_days = max(unchanged_days - late.days, 0.0)
    return RateEvidence(unchanged_days=unchanged_days, changed=changed)


def decayed(evidence: RateEvidence, *, days: float, half_life_days: float) -> RateEvidence:
    """Returns the evidence as it counts after some more days."""
    factor = 0.5 ** (days / half_life_days)
    return RateEvidence(
        unchanged_days=evidence.unchanged_days * factor,
        changed={
            number: ChangedBin(bin_.weight * factor, bin_.days * factor)
            for number, bin_ in evidence.changed.items()
            if bin_.weight * factor >= WEIGHT_MIN
        },
    )


def pooled_rate(
    group: PooledChecks, *, base_rate: float, base_changes: float = SITE_PRIOR_CHANGES
) -> float:
    """Returns the changes a day and page of a group, shrunk towards a wider group's rate.

    Args:
        base_changes: how many changes the wider group's rate counts for.
    """
    days = group.days + base_changes / base_rate
    return _clamped((group.changes + base_changes) / days)


def prior_rate(site: PooledChecks, everywhere: PooledChecks) -> float:
    """Returns the rate that a page of a site is taken to have before anything is known of it."""
    base = pooled_rate(everywhere, base_rate=FIRST_RATE, base_changes=FIRST_PRIOR_CHANGES)
    return pooled_rate(site, base_rate=base)


def map_rate(
    evidence: RateEvidence, *, prior_rate: float, prior_shape: float = PRIOR_SHAPE
) -> float:
    """Returns the most probable rate, in changes a day.

    The slope of the log posterior falls and is convex in D, so that Newton's method from the
    rate of a page that never changed comes up to the root and never passes it.

    Args:
        prior_rate: mean of the prior, in changes a day; > 0.
        prior_shape: how many changes the prior counts for; > 0.

    Returns:
        A rate in [`RATE_MIN`, `RATE_MAX`].
    """
    exposure = evidence.unchanged_days + prior_shape / prior_rate
    bins = [(bin_.weight, bin_.days / bin_.weight) for bin_ in evidence.changed.values()]
    rate = prior_shape / exposure
    if not bins:
        return _clamped(rate)
    for _ in range(STEPS_MAX):
        slope = prior_shape / rate - exposure
        bend = -prior_shape / rate**2
        for weight, days in bins:
            grown = math.expm1(min(rate * days, 500.0))
            slope += weight * days / grown
            bend -= weight * days * days * (1 + 1 / grown) / grown
        step = -slope / bend
        rate += step
        if step <= PRECISION * rate:
            break
    return _clamped(rate)


def rate_interval(
    evidence: RateEvidence,
    *,
    prior_rate: float,
    prior_shape: float = PRIOR_SHAPE,
    z: float = 1.645,
) -> tuple[float, float]:
    """Returns bounds of the rate, nine times of ten, by a normal posterior of its logarithm."""
    rate = map_rate(evidence, prior_rate=prior_rate, prior_shape=prior_shape)
    information = prior_shape
    for bin_ in evidence.changed.values():
        x = min(rate * bin_.days / bin_.weight, 500.0)
        grown = math.expm1(x)
        information += bin_.weight * x * x * math.exp(x) / grown / grown if x > 1e-9 else 0.0
    spread = math.exp(z / math.sqrt(max(information, prior_shape)))
    return _clamped(rate / spread), _clamped(rate * spread)


def _bin(days: float) -> int:
    number = BINS_PER_DOUBLING * math.log2(max(days, BIN_FIRST_DAYS) / BIN_FIRST_DAYS)
    return min(int(number), BIN_COUNT - 1)


def _clamped(rate: float) -> float:
    return min(max(rate, RATE_MIN), RATE_MAX)
