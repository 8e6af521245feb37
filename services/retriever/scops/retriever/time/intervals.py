"""Days from one to another, and the words of a text that name them.

Days are proleptic Gregorian ordinals (`date.toordinal`).
"""

from dataclasses import dataclass
from datetime import date
from enum import Enum

DAY_FIRST = 1
DAY_LAST = date.max.toordinal()


class Third(Enum):
    """A part of an interval: "early", "mid", "late"."""

    FIRST = 1
    MIDDLE = 2
    LAST = 3


@dataclass(frozen=True, slots=True, order=True)
class DateInterval:
    """Days from `begin` to `end`, both within it."""

    begin: int
    end: int

    def gap_years(self, other: "DateInterval") -> float:
        """Returns the years between two intervals; 0 where they touch."""
        days = max(other.begin - self.end, self.begin - other.end, 0)
        return days / 365.25

    def meets(self, other: "DateInterval") -> bool:
        return self.begin <= other.end and other.begin <= self.end

    @property
    def years(self) -> float:
        return (self.end - self.begin + 1) / 365.25


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A calendar expression at text[start:end].

    Attributes:
        cue: the preposition in front, lower case; empty without one.
        bare: a lone number, which without a cue may be part of a name.
        is_open: "present" or "now" as the end of a range; its interval is the reference day.
    """

    start: int
    end: int
    interval: DateInterval
    cue: str
    cue_start: int
    bare: bool
    is_open: bool = False
    connected: bool = False


def year_interval(first: int, last: int) -> DateInterval:
    """Returns the days of some years, bounded by what a calendar holds."""
    first, last = max(first, 1), min(max(last, 1), date.max.year)
    return DateInterval(date(min(first, last), 1, 1).toordinal(), date(last, 12, 31).toordinal())


def open_days(interval: DateInterval) -> tuple[str, str]:
    """Returns the first and the last day as ISO dates; empty at an end that is open."""
    first = "" if interval.begin <= DAY_FIRST else date.fromordinal(interval.begin).isoformat()
    last = "" if interval.end >= DAY_LAST else date.fromordinal(interval.end).isoformat()
    return first, last


def month_days(year: int, month: int) -> DateInterval:
    following = date(year + month // 12, month % 12 + 1, 1)
    return DateInterval(date(year, month, 1).toordinal(), following.toordinal() - 1)


def third_of(interval: DateInterval, part: Third | None) -> DateInterval:
    """Narrows an interval to a third; None is the whole."""
    third = (interval.end - interval.begin + 1) // 3
    match part:
        case Third.FIRST:
            return DateInterval(interval.begin, interval.begin + third)
        case Third.MIDDLE:
            return DateInterval(interval.begin + third, interval.end - third)
        case Third.LAST:
            return DateInterval(interval.end - third, interval.end)
    return interval
