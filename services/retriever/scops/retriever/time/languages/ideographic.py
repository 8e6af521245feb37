"""Finds the times in a Chinese or Japanese text: 年 says what is a year, 月 what a month.

What counts years is none: "2000年間" lasts so long, "2000年前" may be so long ago.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from scops.common.text.bounded import bounded
from scops.retriever.time.intervals import DateInterval, TimeExpression, month_days, year_interval
from scops.retriever.time.languages.tokens import plain

YEAR_MAX = 2199
CENTURY_MAX = 21
# The year before the first of each era.
ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
FIRST_OF_ERA = "元"
SUFFIXES = {
    **dict.fromkeys(("之前", "以前", "より前", "よりも前", "前"), "before"),
    **dict.fromkeys(("まで", "为止", "為止"), "until"),
    **dict.fromkeys(("以来", "以來", "から", "起"), "since"),
    **dict.fromkeys(("之后", "之後", "以后", "以後", "以降", "より後", "后", "後"), "after"),
    **dict.fromkeys(("までに", "時点で", "時点"), "as of"),
    "に": "in",
    "の": "of",
}
PREFIXES = {
    **dict.fromkeys(("截至", "截止", "截止到", "截止至"), "as of"),
    **dict.fromkeys(("到", "至"), "by"),
    **dict.fromkeys(("直到", "直至"), "until"),
    **dict.fromkeys(("自从", "自從", "自", "从", "從"), "since"),
    **dict.fromkeys(("在", "于", "於"), "in"),
    **dict.fromkeys(("早于", "早於"), "before"),
    **dict.fromkeys(("晚于", "晚於"), "after"),
}
# With a whole hundred these mean as often that so many years have passed.
PASSED = frozenset({"前", "后", "後"})

_YEAR = r"(?<![\d.,:/-])(?:1\d{3}|2[01]\d{2})(?!\d)"
_TO = r"(?:到|至|から|～|~|-|–|—)"
_TIME = re.compile(
    bounded(
        r"(?<![\d.])(?P<century>\d{1,2})\s*(?:世纪|世紀)(?:\s*(?P<tens>[1-9]0)\s*年代)?"
        rf"|(?P<first>{_YEAR})\s*(?:年\s*)?{_TO}\s*(?P<last>\d{{4}}|\d\d)\s*年(?!\s*\d{{1,2}}\s*月)"
        rf"|(?P<decade>{_YEAR})\s*年代"
        rf"|(?P<year>{_YEAR}|(?:公元|西元|西暦)\s*[1-9]\d{{2,3}}(?!\d)"
        r"|(?P<era>明治|大正|昭和|平成|令和)\s*(?:\d{1,2}|元))\s*年度?"
        r"(?:\s*(?P<month>1[0-2]|0?[1-9])\s*月份?(?:\s*(?P<day>3[01]|[12]\d|0?[1-9])\s*[日号號])?)?"
    )
)
_NUMBER = re.compile(r"\d{1,4}")
_PREFIX = re.compile(
    bounded(r"(?P<cue>" + "|".join(sorted(PREFIXES, key=len, reverse=True)) + r")\s*$")
)
_SUFFIX = re.compile(
    bounded(r"\s*(?P<cue>" + "|".join(sorted(SUFFIXES, key=len, reverse=True)) + r")(?!半)の?")
)
_LASTS = re.compile(bounded(r"\s*(?:間|间(?!的)|多(?!少)|余|的?(?:历史|歷史)|の歴史|もの)"))
_NO_YEAR = re.compile(bounded(r"(?:公元前|紀元前|第|近|超过|长达)\s*$"))
_TO_NEXT = re.compile(bounded(rf"\s*{_TO}\s*"))
_AND_NEXT = re.compile(bounded(r"\s*(?:和|与|與|跟|と|及)\s*"))
_BETWEEN = re.compile(bounded(r"\s*(?:之间|之間|期间|期間|の間|间|間)"))
_GOES_ON = re.compile(bounded(rf"\s*(?:{_TO}|和|与|與|と)\s*\d"))
_WENT_ON = re.compile(bounded(rf"\d\s*(?:年\s*)?(?:{_TO}|和|与|與|と)\s*$"))
# More than any of the words beside a time.
BESIDE_CHARACTERS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    start: int
    end: int
    interval: DateInterval
    is_range: bool = False


def ideographic_times(text: str) -> list[TimeExpression]:
    """Returns the expressions of a text in order; ranges are one expression."""
    same = plain(text)
    found = _joined(same, list(_found(same)))
    made = (_expression(same, one) for one in found)
    return [one for one in made if one is not None]


def _found(text: str) -> Iterator[_Found]:
    for match in _TIME.finditer(text):
        interval = _interval(match)
        if interval is not None:
            yield _Found(
                start=match.start(),
                end=match.end(),
                interval=interval,
                is_range=match["first"] is not None,
            )


def _interval(match: re.Match[str]) -> DateInterval | None:
    try:
        if match["century"]:
            return _century(int(match["century"]), match["tens"])
        if match["first"]:
            return _span(int(match["first"]), match["last"])
        if match["decade"]:
            year = int(match["decade"])
            return None if year % 10 else year_interval(year, year + 9)
        return _days(_year(match), match["month"], match["day"])
    except ValueError:
        # The 31st of February.
        return None


def _century(number: int, tens: str | None) -> DateInterval | None:
    first = 100 * (number - 1) + int(tens or 0)
    return year_interval(first, first + (9 if tens else 99)) if 0 < number <= CENTURY_MAX else None


def _span(first: int, digits: str) -> DateInterval | None:
    last = int(digits) if len(digits) == 4 else first - first % 100 + int(digits)
    return year_interval(first, last) if first <= last <= YEAR_MAX else None


def _year(match: re.Match[str]) -> int:
    number = _NUMBER.search(match["year"])
    if match["era"]:
        return ERAS[match["era"]] + (int(number[0]) if number else 1)
    return int(number[0]) if number else 0


def _days(year: int, month: str | None, day: str | None) -> DateInterval:
    if month is None:
        return year_interval(year, year)
    if day is None:
        return month_days(year, int(month))
    ordinal = date(year, int(month), int(day)).toordinal()
    return DateInterval(ordinal, ordinal)


def _joined(text: str, found: Sequence[_Found]) -> list[_Found]:
    """Makes one of two times that a connector joins."""
    joined: list[_Found] = []
    for one in found:
        last = joined[-1] if joined else None
        if last is not None and not last.is_range and _connects(text, last, one):
            interval = DateInterval(last.interval.begin, max(last.interval.begin, one.interval.end))
            joined[-1] = _Found(start=last.start, end=one.end, interval=interval, is_range=True)
        else:
            joined.append(one)
    return joined


def _connects(text: str, last: _Found, one: _Found) -> bool:
    if one.start - last.end > BESIDE_CHARACTERS:
        return False
    if _TO_NEXT.fullmatch(text, last.end, one.start):
        return True
    both = _AND_NEXT.fullmatch(text, last.end, one.start)
    return both is not None and _BETWEEN.match(text, one.end) is not None


def _expression(text: str, one: _Found) -> TimeExpression | None:
    """Returns the expression with the words beside it; None where it may be none."""
    least = max(0, one.start - BESIDE_CHARACTERS)
    if _NO_YEAR.search(text, least, one.start) or _WENT_ON.search(text, least, one.start):
        return None
    prefix, suffix = _PREFIX.search(text, least, one.start), _SUFFIX.match(text, one.end)
    end = suffix.end() if suffix else one.end
    if one.is_range:
        between = _BETWEEN.match(text, one.end)
        end = between.end() if between else end
    elif (
        _LASTS.match(text, one.end)
        or _GOES_ON.match(text, one.end)
        or (suffix and suffix["cue"] in PASSED and _years_passed(one.interval))
    ):
        return None
    cue = PREFIXES[prefix["cue"]] if prefix else ""
    return TimeExpression(
        start=one.start,
        end=end,
        interval=one.interval,
        cue=SUFFIXES[suffix["cue"]] if suffix else cue,
        cue_start=prefix.start() if prefix else one.start,
        bare=False,
        connected=one.is_range,
    )


def _years_passed(interval: DateInterval) -> bool:
    return date.fromordinal(interval.begin).year % 100 == 0
