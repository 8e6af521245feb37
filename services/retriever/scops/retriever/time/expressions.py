"""Finds calendar expressions in a text: dates, months, quarters, seasons, decades, ranges.

Days are proleptic Gregorian ordinals (`date.toordinal`). Rules for English; a number that a unit
follows, or that belongs to a longer number, is no year. Relative expressions need a reference day.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from scops.common.text.bounded import bounded
from scops.retriever.time.intervals import (
    DAY_FIRST,
    DAY_LAST,
    DateInterval,
    Third,
    TimeExpression,
    month_days,
    third_of,
    year_interval,
)

YEAR_MAX = 2199
# A bare number below this is a year only where a preposition or a month says so.
YEAR_PLAIN_MIN = 1500

MONTHS = """
january jan, february feb, march mar, april apr, may, june jun, july jul, august aug,
september sept sep, october oct, november nov, december dec
"""
MONTH_NUMBERS = {
    name: number for number, names in enumerate(MONTHS.split(","), 1) for name in names.split()
}
ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
NUMBERS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "a": 1,
    "an": 1,
    "few": 3,
    "several": 4,
    "couple of": 2,
}
THIRDS = {
    "early": Third.FIRST,
    "beginning": Third.FIRST,
    "mid": Third.MIDDLE,
    "middle": Third.MIDDLE,
    "late": Third.LAST,
    "end": Third.LAST,
}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365, "decade": 3652}

_MONTH = "(?:" + "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True)) + r")\b\.?"
_YEAR = r"(?<![\d.,$€£#/])(?<!\d-)(?:1\d{3}|2[01]\d{2})(?![\d]|[.,]\d)"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_DASH = r"\s*(?:[-–—−/]|to|until|till|through|thru)\s*"
_UNITS = (
    r"(?!\s*(?:%|°|km|kms|k[gmw]\b|m\b|mm\b|cm\b|metres?|meters?|miles?|feet|ft\b|acres?|hectares?|"
    r"euros?|dollars?|pounds?|rupees?|yen|cents?|tons?|tonnes?|grams?|people|men\b|women|soldiers|"
    r"troops|inhabitants|residents|students|members|employees|seats|votes|copies|units|items|"
    r"chunks|pages|words|characters|bytes|bits|[kmgt]i?b\b|ms\b|seconds?|minutes?|hours?|hz|mhz|"
    r"volts?|watts?|points|runs|times\b))"
)
_PART = r"(?:(?P<part>early|mid|middle|late|beginning|end)(?:\s+of)?(?:\s+the)?[\s-]+)?"

_PATTERNS = (
    r"(?P<iso>(?<!\d)(?:1\d{3}|2[01]\d{2})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d))",
    rf"(?P<mm>\b{_MONTH}(?:\s+{_DAY})?{_DASH}{_MONTH}(?:\s+{_DAY})?\s*,?\s*{_YEAR})",
    rf"(?P<dmy>\b{_DAY}\s+(?:of\s+)?{_MONTH}\s*,?\s*{_YEAR})",
    rf"(?P<mdy>\b{_MONTH}\s+{_DAY}\s*,?\s+{_YEAR})",
    rf"(?P<my>\b{_MONTH}\s*,?\s*(?:of\s+)?(?:the\s+year\s+)?{_YEAR})",
    rf"(?P<quarter>\b(?:q[1-4]|(?:first|second|third|fourth)\s+quarter(?:\s+of|\s+in)?)\s*[,/-]?\s*"
    rf"{_YEAR}|{_YEAR}\s*[-/]?\s*q[1-4]\b)",
    rf"(?P<season>\b(?:spring|summer|autumn|fall|winter)(?:\s+of)?\s+{_YEAR})",
    r"(?P<decade>(?<!\d)(?:1\d{2}0|20\d0)\s*['’]?s\b)",
    r"(?P<century>\b(?:[1-9]|1\d|2[01])(?:st|nd|rd|th)[\s-]+century\b)",
    rf"(?P<span>{_YEAR}\s*[-–—−/]\s*(?:\d{{4}}|\d{{2}})(?![\d]|[.,]\d|-\d){_UNITS})",
    rf"(?P<year>\b{_YEAR}(?!\s*['’]?s\b){_UNITS})",
    r"(?P<small>(?<=\bin )\d{3}(?=\s*(?:[?.;,)]|$|ad\b|ce\b)))",
    r"(?P<ago>\b(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|few|several|"
    r"couple of)\s+(?:day|week|month|quarter|year|decade)s?\s+ago\b)",
    r"(?P<past>\b(?:last|past|previous)\s+(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|"
    r"few|several|couple of)\s+(?:day|week|month|quarter|year|decade)s\b)",
    r"(?P<relative>\b(?:last|previous|this|next)\s+(?:day|week|month|quarter|year|decade)\b)",
    r"(?P<word>\b(?:yesterday|today|tomorrow)\b)",
    r"(?P<open>\b(?:present|now|ongoing)\b)",
)
# What an expression begins with: without it every pattern is tried at every character.
_BEGIN = (
    r"(?=\d|\b(?:early|mid|late|beginning|end|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|"
    r"q[1-4]|first|second|third|fourth|spring|summer|autumn|fall|winter|an?\s|one|two|three|four|"
    r"five|six|seven|eight|nine|ten|few|several|couple|last|past|previous|this|next|yesterday|"
    r"today|tomorrow|present|now|ongoing))"
)
# All of them read lower case: ignoring case costs more than making it.
EXPRESSION = re.compile(bounded(_BEGIN + _PART + "(?:" + "|".join(_PATTERNS) + ")"))
YEAR = re.compile(_YEAR)
MONTH = re.compile(_MONTH)
CONNECTED = re.compile(bounded(r"\s*(?:[-–—−]|to|until|till|through|thru|and)\s*"))
# Longer than any connector with the spaces around it.
CONNECTOR_CHARACTERS_MAX = 32
_CUE = (
    r"(?P<cue>\b(?:prior to|up to|as of|as at|later than|earlier than|no later than|starting in|"
    r"starting from|beginning in|between|before|until|till|through|by|after|since|from|following|"
    r"in|on|during|throughout|within|around|circa|about|at|of|to|and|the year)\b|\bc\.|[(,])"
    r"\s*(?:the\s+)?(?:(?:year|month|period|season|start|end|beginning)\s+(?:of\s+)?)?$"
)
CUE = re.compile(bounded(_CUE))
# The only letter that is two characters in lower case.
_DOTTED_I = "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"


def time_expressions(text: str, reference: date | None = None) -> list[TimeExpression]:
    """Returns the expressions of a text in order; ranges ("from A to B") are one expression.

    Args:
        reference: the day that relative expressions count from; without it they are left out.
    """
    lowered = text.replace(_DOTTED_I, "i").lower()
    return _joined(lowered, list(_found(lowered, reference)))


def _found(text: str, reference: date | None) -> Iterator[TimeExpression]:
    for match in EXPRESSION.finditer(text):
        kind = match.lastgroup or ""
        interval = _interval(kind, match[kind], reference)
        if interval is None:
            continue
        cue = CUE.search(text, max(0, match.start() - 40), match.start())
        word = cue["cue"] if cue else ""
        bare = kind in ("year", "small")
        if bare and not word and interval.begin < date(YEAR_PLAIN_MIN, 1, 1).toordinal():
            continue
        yield TimeExpression(
            start=match.start(),
            end=match.end(),
            interval=third_of(interval, THIRDS.get(match["part"] or "")),
            cue=word,
            cue_start=cue.start() if cue else match.start(),
            bare=bare,
            is_open=kind == "open",
        )


def _joined(text: str, found: list[TimeExpression]) -> list[TimeExpression]:
    """Makes one range of two expressions that a connector joins."""
    joined: list[TimeExpression] = []
    for expression in found:
        last = joined[-1] if joined else None
        near = last is not None and expression.start - last.end <= CONNECTOR_CHARACTERS_MAX
        between = text[last.end : expression.start] if last and near else ""
        if last and not last.connected and _connects(between, last):
            joined[-1] = TimeExpression(
                start=last.start,
                end=expression.end,
                interval=DateInterval(
                    last.interval.begin, max(expression.interval.end, last.interval.begin)
                ),
                cue=last.cue,
                cue_start=last.cue_start,
                bare=False,
                is_open=expression.is_open,
                connected=True,
            )
        elif not expression.is_open:
            joined.append(expression)
    return joined


def _connects(between: str, last: TimeExpression) -> bool:
    if not CONNECTED.fullmatch(between):
        return False
    return between.strip() != "and" or last.cue == "between"


def _interval(kind: str, text: str, reference: date | None) -> DateInterval | None:
    """Returns the days that an expression names; None for days that no calendar has."""
    try:
        if kind in RELATIVE:
            return RELATIVE[kind](text, reference) if reference else None
        return ABSOLUTE[kind](text)
    except ValueError:
        # The 31st of February, or a relative date before the first year.
        return None


def _years_in(text: str) -> list[int]:
    return [int(year) for year in re.findall(r"\d{4}", text)]


def _iso(text: str) -> DateInterval:
    day = date.fromisoformat(text).toordinal()
    return DateInterval(day, day)


def _months_in(text: str) -> list[int]:
    return [MONTH_NUMBERS[match.group().rstrip(".")] for match in MONTH.finditer(text)]


def _month_range(text: str) -> DateInterval:
    first, last = _months_in(text)[:2]
    year = _years_in(text)[-1]
    begin = month_days(year if first <= last else year - 1, first).begin
    return DateInterval(begin, month_days(year, last).end)


def _full_date(text: str) -> DateInterval:
    day = next(int(found) for found in re.findall(r"\d{1,2}(?!\d)(?<!\d{3})", text))
    ordinal = date(_years_in(text)[-1], _months_in(text)[0], day).toordinal()
    return DateInterval(ordinal, ordinal)


def _month(text: str) -> DateInterval:
    return month_days(_years_in(text)[-1], _months_in(text)[0])


def _quarter(text: str) -> DateInterval:
    year = _years_in(text)[-1]
    named = next((ORDINALS[word] for word in ORDINALS if word in text), None)
    number = named or int(re.findall(r"q([1-4])", text)[0])
    return DateInterval(month_days(year, 3 * number - 2).begin, month_days(year, 3 * number).end)


def _season(text: str) -> DateInterval:
    year = _years_in(text)[-1]
    first = next(month for word, month in SEASONS.items() if word in text)
    last_year = year + (first + 2) // 13
    return DateInterval(
        month_days(year, first).begin, month_days(last_year, (first + 1) % 12 + 1).end
    )


def _decade(text: str) -> DateInterval:
    year = _years_in(text)[0]
    return year_interval(year, year + 99 if year % 100 == 0 and year < 1900 else year + 9)


def _century(text: str) -> DateInterval:
    number = int(re.findall(r"\d{1,2}", text)[0])
    return year_interval(100 * (number - 1), 100 * number - 1)


def _year_span(text: str) -> DateInterval:
    first, second = re.findall(r"\d+", text)[:2]
    last = int(second) if len(second) == 4 else int(first[:2] + second)
    if last < int(first):
        last += 100 if len(second) == 2 else 0
    if not int(first) <= last <= YEAR_MAX:
        return year_interval(int(first), int(first))
    return year_interval(int(first), last)


def _year(text: str) -> DateInterval:
    year = int(re.findall(r"\d{3,4}", text)[0])
    return year_interval(year, year)


def _count(text: str) -> int:
    digits = re.findall(r"\d+", text)
    if digits:
        return int(digits[0])
    return next(number for word, number in NUMBERS.items() if re.search(rf"\b{word}\b", text))


def _unit_days(text: str) -> int:
    return next(days for unit, days in UNIT_DAYS.items() if unit in text)


def _ago(text: str, reference: date) -> DateInterval:
    unit = _unit_days(text)
    middle = _before(reference, _count(text) * unit)
    return DateInterval(max(middle - unit // 2, DAY_FIRST), middle + unit // 2)


def _past(text: str, reference: date) -> DateInterval:
    return DateInterval(_before(reference, _count(text) * _unit_days(text)), reference.toordinal())


def _before(reference: date, days: int) -> int:
    return max(reference.toordinal() - days, DAY_FIRST)


def _relative(text: str, reference: date) -> DateInterval:
    step = {"this": 0, "next": 1}.get(text.split()[0], -1)
    if "year" in text:
        return year_interval(reference.year + step, reference.year + step)
    if "decade" in text:
        first = reference.year // 10 * 10 + 10 * step
        return year_interval(first, first + 9)
    if "month" in text:
        months = reference.year * 12 + reference.month - 1 + step
        return month_days(months // 12, months % 12 + 1)
    days = _unit_days(text)
    begin = reference - timedelta(days=reference.weekday() if days == 7 else 0)
    first_day = begin.toordinal() + step * days
    return DateInterval(first_day, first_day + days - 1)


def _word(text: str, reference: date) -> DateInterval:
    day = reference.toordinal() + {"yesterday": -1, "tomorrow": 1}.get(text, 0)
    return DateInterval(day, day)


ABSOLUTE: dict[str, Callable[[str], DateInterval]] = {
    "iso": _iso,
    "mm": _month_range,
    "dmy": _full_date,
    "mdy": _full_date,
    "my": _month,
    "quarter": _quarter,
    "season": _season,
    "decade": _decade,
    "century": _century,
    "span": _year_span,
    "year": _year,
    "small": _year,
    # The end of a range that is still open.
    "open": lambda _: DateInterval(DAY_LAST, DAY_LAST),
}
RELATIVE: dict[str, Callable[[str, date], DateInterval]] = {
    "ago": _ago,
    "past": _past,
    "relative": _relative,
    "word": _word,
}
