"""Of the questions that name a year, those whose time is understood."""

import re
from collections.abc import Sequence
from datetime import date

from benchmarks.languages.folders import Asked
from benchmarks.shared.figures import rounded_mean
from scops.retriever.time.constraint import asked_time

# A number of four digits on its own; product codes, parts of dates and amounts are none.
YEAR = re.compile(r"(?<![\d.,-])(?:1\d{3}|20\d\d)(?!\d|[.,]\d)")
TODAY = date(2026, 1, 1)


def years_understood(questions: Sequence[Asked]) -> dict[str, object]:
    """Returns how many questions name a year, and the share whose time holds a day of one."""
    named = [one.text for one in questions if YEAR.search(one.text)]
    understood = [_is_understood(question) for question in named]
    return {"years_named": len(named), "years_understood": rounded_mean(understood)}


def _is_understood(question: str) -> bool:
    constraint = asked_time(question, TODAY).constraint
    if constraint is None:
        return False
    first, last = (
        date.fromordinal(day).year for day in (constraint.interval.begin, constraint.interval.end)
    )
    return any(first <= int(year) <= last for year in YEAR.findall(question))
