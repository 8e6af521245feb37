"""Change rates from checks at irregular intervals."""

import math
import random

import pytest

from scops.fetcher.recrawl.change_rate import (
    NO_CHECKS,
    NO_EVIDENCE,
    RATE_MAX,
    PooledChecks,
    RateEvidence,
    map_rate,
    prior_rate,
    rate_interval,
    with_check,
    with_late_change,
)

ENDLESS = math.inf


def test_page_that_never_changed_decays_like_its_prior() -> None:
    """Without a change the rate is a / (T + a / prior)."""
    evidence = with_check(NO_EVIDENCE, days=75.0, changed=False, half_life_days=ENDLESS)

    assert map_rate(evidence, prior_rate=0.02) == pytest.approx(0.5 / (75.0 + 25.0))


def test_root_is_where_the_slope_of_the_log_posterior_is_zero() -> None:
    """The mode solves sum t / (e^(Dt) - 1) - T + a / D - b = 0."""
    evidence = RateEvidence()
    for days, changed in ((10.0, True), (3.0, False), (25.0, True), (7.0, False)):
        evidence = with_check(evidence, days=days, changed=changed, half_life_days=ENDLESS)
    rate = map_rate(evidence, prior_rate=0.05)
    slope = sum(t / math.expm1(rate * t) for t in (10.0, 25.0)) - 10.0 + 0.5 / rate - 10.0

    assert slope == pytest.approx(0.0, abs=0.05)


def test_irregular_checks_recover_the_rate() -> None:
    """Many checks of a Poisson page at random intervals bring the estimate near its rate."""
    chance = random.Random(3)
    evidence = NO_EVIDENCE
    for _ in range(3000):
        days = chance.uniform(0.5, 20.0)
        changed = chance.random() < 1 - math.exp(-0.1 * days)
        evidence = with_check(evidence, days=days, changed=changed, half_life_days=ENDLESS)
    low, high = rate_interval(evidence, prior_rate=0.01)

    assert map_rate(evidence, prior_rate=0.01) == pytest.approx(0.1, rel=0.06)
    assert low < 0.1 < high


def test_page_that_changed_at_every_check_stays_finite() -> None:
    """A page faster than its checks is bounded by the prior, and by the largest rate."""
    evidence = NO_EVIDENCE
    for _ in range(200):
        evidence = with_check(evidence, days=1 / 24, changed=True, half_life_days=ENDLESS)

    assert 12.0 < map_rate(evidence, prior_rate=1.0) <= RATE_MAX


def test_old_checks_count_half_after_a_half_life() -> None:
    """What lies a half-life back weighs half."""
    evidence = with_check(NO_EVIDENCE, days=1.0, changed=True, half_life_days=90.0)
    later = with_check(evidence, days=90.0, changed=False, half_life_days=90.0)

    assert sum(bin_.weight for bin_ in later.changed.values()) == pytest.approx(0.5)
    assert later.unchanged_days == 90.0


def test_a_change_that_is_known_late_counts_as_if_known_at_once() -> None:
    """Whatever checks came since, and however long ago it was."""
    chance = random.Random(6)
    for _ in range(50):
        lengths = [10 ** chance.uniform(-1, 1.5) for _ in range(8)]
        late = chance.randrange(len(lengths))
        known = found = NO_EVIDENCE
        for number, days in enumerate(lengths):
            known = with_check(known, days=days, changed=number == late)
            found = with_check(found, days=days, changed=False)
        ago = sum(lengths[late + 1 :])
        found = with_late_change(found, days=lengths[late], ago_days=ago)

        assert known.unchanged_days == pytest.approx(found.unchanged_days)
        assert map_rate(known, prior_rate=0.1) == pytest.approx(map_rate(found, prior_rate=0.1))


def test_evidence_stays_small_whatever_the_number_of_checks() -> None:
    """Changed intervals share bins."""
    chance = random.Random(5)
    evidence = NO_EVIDENCE
    for _ in range(2000):
        days = 10 ** chance.uniform(-3, 3)
        evidence = with_check(evidence, days=days, changed=True, half_life_days=ENDLESS)

    assert len(evidence.changed) <= 48


def test_checks_without_an_interval_teach_nothing() -> None:
    """A check at the same instant or before changes nothing."""
    assert with_check(NO_EVIDENCE, days=0.0, changed=True) is NO_EVIDENCE


def test_site_backs_off_to_all_sites() -> None:
    """A site nobody knows has the rate of all; one with many checks has its own."""
    everywhere = PooledChecks(changes=1000, days=10_000)

    assert prior_rate(NO_CHECKS, everywhere) == pytest.approx(0.1, rel=0.01)
    assert prior_rate(PooledChecks(10, 10_000), everywhere) == pytest.approx(0.001, rel=0.25)
