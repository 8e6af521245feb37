"""Years of questions and sentences, and how well the ones fit the others.

Whole years only, which is what questions in words mostly name; who needs days finds them by their
words.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

FIRST_YEAR = 1000
LAST_YEAR = 2099
_YEAR = r"(?:1\d{3}|20\d{2})"
_RANGE = re.compile(
    rf"\b({_YEAR})(?P<decade>s)?(?:\s*[-–—]\s*(?P<short>\d\d)\b(?!\d)|"
    rf"\s*(?:-|–|—|to|until|till|through|and)\s*(?:\w{{3,9}}\.?\s++(?:\d{{1,2}}(?:\s*+,\s++|\s++))?)?"
    rf"(?P<last>{_YEAR}|present|now)\b)?(?![\d%])"
)
_OPEN = re.compile(r"\b(?P<side>before|until|till|by|after|since|from)\s+(?:\w+\s+){0,2}$", re.I)
DECADE_YEARS = 9
# What is not dated neither fits nor contradicts.
UNDATED = 0.5
GAP_YEARS = 2.0
# A year that only the sentence before or the heading names counts less.
CARRIED_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class YearRange:
    """A closed interval of years."""

    first: int
    last: int

    def gap(self, other: "YearRange") -> int:
        """Returns the years between two intervals; 0 when they overlap."""
        return max(self.first - other.last, other.first - self.last, 0)


def years_of(text: str) -> tuple[YearRange, ...]:
    """Returns the years and ranges of years that a text names, in its order."""
    return tuple(_intervals(text))


def asked_years(question: str) -> YearRange | None:
    """Returns the interval that a question asks about, or None where it names no year.

    "Before 1990" is open to the past, "after" and "since" to the future.
    """
    named = list(_RANGE.finditer(question))
    if not named:
        return None
    found = years_of(question)
    first, last = min(years.first for years in found), max(years.last for years in found)
    if len(found) == 1 and (side := _OPEN.search(question, 0, named[0].start())):
        word = side["side"].casefold()
        if word in ("before", "until", "till", "by"):
            return YearRange(FIRST_YEAR, last)
        if word in ("after", "since"):
            return YearRange(first, LAST_YEAR)
    return YearRange(first, last)


def time_fit(asked: YearRange, named: Sequence[YearRange], carried: Sequence[YearRange]) -> float:
    """Returns how well a sentence fits the years asked for, in [0, 1]; one half is no say.

    Args:
        carried: years that what stands around the sentence names.
    """
    if named:
        return max(_kernel(asked, years) for years in named)
    if carried:
        best = max(_kernel(asked, years) for years in carried)
        return UNDATED + CARRIED_SHARE * (best - UNDATED)
    return UNDATED


def _kernel(asked: YearRange, named: YearRange) -> float:
    return math.exp(-asked.gap(named) / GAP_YEARS)


def _intervals(text: str) -> Iterator[YearRange]:
    for match in _RANGE.finditer(text):
        first = int(match[1])
        last = first + DECADE_YEARS if match["decade"] else first
        if match["short"]:
            last = first - first % 100 + int(match["short"])
        elif match["last"]:
            last = int(match["last"]) if match["last"].isdigit() else LAST_YEAR
        yield YearRange(first, max(first, last))
