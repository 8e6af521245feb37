"""What a passage says of the time asked for, as it is shown: which sentences, which days."""

from dataclasses import replace
from datetime import date

from scops.common.contract.messages.retrieval import TimeMatch
from scops.retriever.scoring.score import TimeSignals
from scops.retriever.time.constraint import TimeConstraint
from scops.retriever.time.expressions import DAY_FIRST, DAY_LAST, DateInterval
from scops.retriever.time.kernel import KernelShape, best_time


def time_match(
    signals: TimeSignals, constraint: TimeConstraint, shape: KernelShape, *, start: int
) -> TimeMatch:
    """Returns the sentences that fit the time asked for best, with the time they speak of.

    Args:
        start: of the passage in its version's text.
    """
    asked_from, asked_to = _days(constraint.window)
    match = TimeMatch(relation=constraint.relation.value, asked_from=asked_from, asked_to=asked_to)
    window = signals.window
    if window is None:
        return match
    match = replace(match, start=start + window.start, end=start + window.end)
    time = best_time(window.times, constraint, shape)
    if time is None:
        return match
    named_from, named_to = _days(time.interval)
    return replace(
        match, dated=True, named_from=named_from, named_to=named_to, confidence=time.strength
    )


def _days(interval: DateInterval) -> tuple[str, str]:
    """Returns the first and the last day; empty at an open end."""
    first, last = interval.begin, interval.end
    return "" if first <= DAY_FIRST else _day(first), "" if last >= DAY_LAST else _day(last)


def _day(ordinal: int) -> str:
    return date.fromordinal(ordinal).isoformat()
