"""How well the times of a text fit the time asked for, in [0, 1].

Source: MRAG (first and last within the interval). Differs: what began before the interval may still
hold in it, so distances into the past count less than those into the future.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scops.retriever.time.constraint import Relation, TimeConstraint
from scops.retriever.time.event_times import EventTime
from scops.retriever.time.intervals import DateInterval

ORDER_FLOOR = 0.6
# "2009" neither begins nor ends when "2010" does, but a month of 2010 begins with it.
SAME_DAYS = 300
# Years named one after the other lie so far apart, not a day.
APART_YEARS = 0.5
BEGINS = 0.75
HOLDS = 0.5
# What lasted longer says little of a day within it.
HOLDS_YEARS_MAX = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelShape:
    """Constants of the kernel, by `benchmarks.reference.fit_kernel` on TimeQA (ADR 30).

    Attributes:
        past_years, future_years: distance at which a time before, or after, the interval asked
            for counts 1/e.
        undated: what a text without any time counts.
        begins_share: how much of the fit is whether both intervals begin, and end, together.
        begins_share_range: the same where the question names a begin and an end.
    """

    past_years: float = 20.0
    future_years: float = 4.0
    undated: float = 0.05
    begins_share: float = 0.29
    begins_share_range: float = 0.5


KERNEL = KernelShape()


def time_fit(times: Sequence[EventTime], constraint: TimeConstraint, shape: KernelShape) -> float:
    """Returns the fit of a text's best time; `shape.undated` where it names none."""
    if not times:
        return shape.undated
    return max(_time_fit(time, constraint, shape) for time in times)


def best_time(
    times: Sequence[EventTime], constraint: TimeConstraint, shape: KernelShape
) -> EventTime | None:
    """Returns the time that decides a text's fit; None where it names none."""
    return max(times, key=lambda time: _time_fit(time, constraint, shape), default=None)


def _time_fit(time: EventTime, constraint: TimeConstraint, shape: KernelShape) -> float:
    return time.strength * _fit(time.interval, constraint, shape)


def _fit(interval: DateInterval, constraint: TimeConstraint, shape: KernelShape) -> float:
    window = constraint.window
    together = _together(interval, constraint.interval)
    if interval.meets(window):
        near = _in_order(interval, window, constraint.order)
    else:
        years = interval.gap_years(window) + APART_YEARS
        is_past = interval.end < window.begin
        near = math.exp(-years / (shape.past_years if is_past else shape.future_years))
    is_range = constraint.relation is Relation.BETWEEN
    share = shape.begins_share_range if is_range else shape.begins_share
    return (1.0 - share) * near + share * together


def _together(interval: DateInterval, asked: DateInterval) -> float:
    """Returns 1 where both intervals begin and end together, 3/4 where they only begin so.

    Who asks for the years from A to B often asks for what began in A, and who asks for a day
    within them for what held on it: a closed interval around the one asked for counts half.
    """
    begins = abs(interval.begin - asked.begin) <= SAME_DAYS
    ends = abs(interval.end - asked.end) <= SAME_DAYS
    same = BEGINS * begins + (1.0 - BEGINS) * ends
    around = interval.begin <= asked.begin and interval.end >= asked.end
    return max(same, HOLDS * (around and interval.years <= HOLDS_YEARS_MAX))


def _in_order(interval: DateInterval, window: DateInterval, order: int) -> float:
    """Returns the slope from 0.6 to 1 by place in the window, for first and last."""
    if not order or window.end <= window.begin:
        return 1.0
    # The window of "before" and "after" has no far end; there the order tells nothing.
    if window.years > 500:
        return 1.0
    place = (min(max(interval.begin, window.begin), window.end) - window.begin) / (
        window.end - window.begin
    )
    slope = place if order > 0 else 1.0 - place
    return ORDER_FLOOR + (1.0 - ORDER_FLOOR) * slope
