"""The value of a crawl, its inverse, and what signals do to both."""

import math
import random

import pytest

from scops.fetcher.recrawl.crawl_value import (
    NEVER,
    NO_SIGNALS,
    SignalModel,
    age_of_value,
    stale_probability,
    value_of_age,
)

HEARD = SignalModel(recall=0.6, precision=0.8)


@pytest.mark.parametrize("age", [1e-4, 0.01, 0.5, 3.0, 40.0])
def test_value_without_signals_is_the_closed_form(age: float) -> None:
    """V = (1 - e^-x (1 + x)) / D, also where the difference would cancel."""
    x = 0.3 * age
    series = sum((-1) ** n * x**n * (n - 1) / math.factorial(n) for n in range(2, 12))
    expected = series if x < 1 else 1 - math.exp(-x) * (1 + x)

    assert value_of_age(age, rate=0.3) == pytest.approx(expected / 0.3, rel=1e-6)


@pytest.mark.parametrize("signals", [NO_SIGNALS, HEARD])
def test_due_age_is_where_the_value_is_reached(signals: SignalModel) -> None:
    """The two functions are inverse to each other."""
    for age in (0.5, 5.0, 20.0):
        value = value_of_age(age, rate=0.1, signals=signals)

        assert age_of_value(value, rate=0.1, signals=signals) == pytest.approx(age, rel=0.01)


def test_page_too_restless_for_the_price_is_never_due() -> None:
    """A page whose copy is wrong again at once adds less than 1 / D however long one waits."""
    assert age_of_value(1.01 / 24.0, rate=24.0) == NEVER


@pytest.mark.parametrize("signals", [NO_SIGNALS, HEARD])
def test_value_grows_with_age(signals: SignalModel) -> None:
    """Waiting never makes a crawl worth less."""
    values = [value_of_age(step / 4, rate=0.2, signals=signals) for step in range(200)]

    assert values == sorted(values)


def test_value_with_signals_is_what_a_simulation_finds() -> None:
    """W and P are the expected right time and the expected time until the age is reached."""
    chance = random.Random(11)
    rate, age = 0.2, 9.0
    false = rate * HEARD.recall * (1 - HEARD.precision) / HEARD.precision
    jump = HEARD.days_per_signal(rate)
    waited = right = 0.0
    rounds = 40_000
    for _ in range(rounds):
        now, reached, wrong_at = 0.0, 0.0, math.inf
        while True:
            wait = chance.expovariate(rate + false)
            if reached + wait >= age:
                now += age - reached
                break
            now += wait
            reached += wait
            kind = chance.random() * (rate + false)
            is_change = kind < rate
            if is_change and wrong_at == math.inf:
                wrong_at = now
            if not is_change or chance.random() < HEARD.recall:
                reached += jump
            if reached >= age:
                break
        waited += now
        right += min(now, wrong_at)
    expected = (right - math.exp(-HEARD.silent_rate(rate) * age) * waited) / rounds

    assert value_of_age(age, rate=rate, signals=HEARD) == pytest.approx(expected, rel=0.05)


def test_signal_raises_the_probability_of_a_change_to_its_precision() -> None:
    """Right after one signal the copy is wrong with the probability that signals tell the truth."""
    aged = HEARD.days_per_signal(0.1)

    assert stale_probability(aged, rate=0.1, signals=HEARD) == pytest.approx(HEARD.precision)


def test_silence_of_a_talkative_site_is_news() -> None:
    """Where most changes are signalled, a quiet page is less likely to have changed."""
    quiet = stale_probability(10.0, rate=0.1, signals=HEARD)

    assert quiet == pytest.approx(1 - math.exp(-0.4))
    assert quiet < stale_probability(10.0, rate=0.1)
