"""What a crawl of a page is worth now, and when it will be worth a given price.

Of a page whose copy has aged since its last check, with weight w and change rate D, the value of
a crawl is what it adds to the time that the copy is right, per crawl:

    V(t) = w / D · (1 - exp(-D t) (1 + D t)) / cost

Crawling whatever is worth most gives every page the same value at the time of its crawl, which
is the condition of the best periodic schedule (Cho and Garcia-Molina 2003).

Signals (a sitemap's lastmod, a feed) tell of a share `recall` of the changes, and a share
`precision` of them tell the truth. Until n signals have come, the copy is right with probability
exp(-a t) (1 - precision)^n, a = (1 - recall) D: each signal ages the page by
-ln(1 - precision) / a days. The value at an age x is then w (W(x) - exp(-a x) P(x)), with P the
expected time until the age x is reached and W the expected time that the copy is right until
then, both sums over the number of signals on the way.

Source: Busa-Fekete and others, arXiv 2502.02430.
"""

import math
from dataclasses import dataclass

# Terms of the sums over signals; what is left out lies beyond the age that one crawl reaches.
SIGNALS_MAX = 6
AGE_STEPS = 50
AGE_PRECISION = 1e-3
# A page that even an endless wait does not make worth the price.
NEVER = math.inf
TINY = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalModel:
    """How far the signals of a page can be trusted; without any, both are 0.

    Attributes:
        recall: share of the changes that a signal tells of; in [0, 1).
        precision: share of the signals that tell of a change; in [0, 1).
    """

    recall: float = 0.0
    precision: float = 0.0

    @property
    def is_silent(self) -> bool:
        """Whether signals carry no news."""
        return self.recall <= TINY or self.precision <= TINY

    def silent_rate(self, rate: float) -> float:
        """Changes a day that no signal tells of."""
        return rate * (1 - self.recall)

    def days_per_signal(self, rate: float) -> float:
        """Days by which one signal ages the page."""
        if self.is_silent:
            return 0.0
        return -math.log1p(-self.precision) / max(self.silent_rate(rate), TINY)


NO_SIGNALS = SignalModel()


def value_of_age(age_days: float, *, rate: float, signals: SignalModel = NO_SIGNALS) -> float:
    """Returns V of weight and cost 1, in days of a right copy that a crawl adds.

    Args:
        age_days: since the last check, and what signals have added; >= 0.
        rate: changes a day; > 0.
    """
    if age_days <= 0:
        return 0.0
    if signals.is_silent:
        return _waning(1, rate * age_days) / rate
    silent = signals.silent_rate(rate)
    false = rate * signals.recall * (1 - signals.precision) / signals.precision
    arriving = rate * signals.recall + false
    per_signal = signals.days_per_signal(rate)
    waited, right = 0.0, 0.0
    share = 1.0
    for count in range(SIGNALS_MAX):
        left = age_days - count * per_signal
        if left <= 0:
            break
        waited += _waning(count, arriving * left) / arriving
        right += share * _waning(count, (rate + false) * left) / (rate + false)
        share *= false / (rate + false)
    return max(right - math.exp(-silent * age_days) * waited, 0.0)


def age_of_value(value: float, *, rate: float, signals: SignalModel = NO_SIGNALS) -> float:
    """Returns the age in days at which V of weight and cost 1 reaches a value; maybe `NEVER`."""
    if value <= 0:
        return 0.0
    low, high = 0.0, 1.0 / rate
    while value_of_age(high, rate=rate, signals=signals) < value:
        low, high = high, high * 2
        if high > 60.0 / (rate * (1 - signals.recall)):
            return NEVER
    for _ in range(AGE_STEPS):
        middle = (low + high) / 2
        if value_of_age(middle, rate=rate, signals=signals) < value:
            low = middle
        else:
            high = middle
        if high - low <= AGE_PRECISION * high:
            break
    return high


def stale_probability(age_days: float, *, rate: float, signals: SignalModel = NO_SIGNALS) -> float:
    """Returns the probability that the page has changed since it was checked.

    Args:
        age_days: since the last check, and what signals have added.
    """
    return -math.expm1(-signals.silent_rate(rate) * max(age_days, 0.0))


def _waning(order: int, x: float) -> float:
    """Returns 1 - exp(-x) (1 + x + … + x^order / order!): P(more than `order` events)."""
    if x < 0.1:
        # The difference would cancel: the series of what is left.
        term = x ** (order + 1) / math.factorial(order + 1)
        total = term
        for step in range(order + 2, order + 6):
            term *= x / step
            total += term
        return math.exp(-x) * total
    term = total = 1.0
    for step in range(1, order + 1):
        term *= x / step
        total += term
    return 1 - math.exp(-x) * total
