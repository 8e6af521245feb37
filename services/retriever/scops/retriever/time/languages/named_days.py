"""Reads the days that the pieces of a text name: years, months, dates, decades and centuries.

Every look is at some pieces beside a number, so that a text takes time in proportion to its length.
"""

import re
from dataclasses import dataclass, replace
from datetime import date

from scops.retriever.time.intervals import (
    DateInterval,
    Third,
    month_days,
    third_of,
    year_interval,
)
from scops.retriever.time.languages.grammar import Grammar
from scops.retriever.time.languages.tokens import TextPieces, length_after, length_before

YEAR_MIN, YEAR_MAX = 1000, 2199
CENTURY_MAX = 21
DAYS_MAX, MONTHS_MAX = 31, 12
# Phrases one after another that are looked over.
LINKS_MAX = 3
DASHES = frozenset("-–—−~～")
OPENERS = frozenset("([{\"'«»“„”‘¿¡–—…,;:")
MONEY = frozenset("$€£¥₽#№")
_ROMAN = re.compile(r"(?=[IVX])(X{0,2})(IX|IV|V?I{0,3})")
_ROMAN_ONES = {"IX": 9, "IV": 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDays:
    """Pieces `first` to `end` that name days.

    Attributes:
        sure: more than a number: a noun or a month says that it is a time.
        single: nothing but the number of a year.
    """

    first: int
    end: int
    interval: DateInterval
    sure: bool = False
    single: bool = False


def named_days(tokens: TextPieces, place: int, grammar: Grammar) -> NamedDays | None:
    """Returns what is named around a piece: the number of a year, or the noun of a century."""
    if tokens.word(place).isdecimal():
        return _around_year(tokens, place, grammar)
    if (tokens.word(place),) in grammar.century:
        return _century(tokens, place, grammar)
    return None


def _around_year(tokens: TextPieces, place: int, grammar: Grammar) -> NamedDays | None:
    digits = tokens.word(place)
    year = int(digits) if len(digits) in (3, 4) else 0
    if year > YEAR_MAX:
        return None
    iso = _iso(tokens, place) if year >= YEAR_MIN else None
    if iso is not None:
        return iso
    right = _to_the_right(tokens, place, year, grammar)
    if right is None or length_after(grammar.before_christ, tokens.words, right.end):
        return None
    found = _to_the_left(tokens, place, right, grammar)
    if found is None or (len(digits) < len(str(YEAR_MIN)) and not found.sure):
        return None
    if not YEAR_MIN <= max(year, YEAR_MIN) <= YEAR_MAX or not year:
        return None
    return _with_third(tokens, found, grammar)


def _iso(tokens: TextPieces, place: int) -> NamedDays | None:
    pieces = tokens.words[place : place + 5]
    glued = all(tokens.glued(place + step) for step in range(4)) and not tokens.glued(place - 1)
    if len(pieces) < 5 or not glued or (pieces[1], pieces[3]) != ("-", "-"):
        return None
    try:
        day = date.fromisoformat("".join(pieces)).toordinal()
    except ValueError:
        return None
    return NamedDays(first=place, end=place + 5, interval=DateInterval(day, day), sure=True)


def _to_the_right(tokens: TextPieces, place: int, year: int, grammar: Grammar) -> NamedDays | None:
    """Returns the year with what follows: the end of a span, a decade's ending, a noun."""
    interval = year_interval(year, year)
    found = NamedDays(first=place, end=place + 1, interval=interval, single=True)
    last = _span_end(tokens, place, year)
    if last is not None:
        found = replace(found, end=place + 3, interval=year_interval(year, last), single=False)
    elif tokens.glued(place) and (
        count := length_after(grammar.decade_after, tokens.words, place + 1)
    ):
        interval = year_interval(year, year + 9)
        found = NamedDays(first=place, end=place + 1 + count, interval=interval, sure=True)
        return found if year % 10 == 0 and year >= YEAR_MIN else None
    if count := length_after(grammar.year_after, tokens.words, found.end):
        return replace(found, end=found.end + count, sure=True, single=False)
    return None if _grows(tokens, found.end - 1) else found


def _span_end(tokens: TextPieces, place: int, year: int) -> int | None:
    """Returns the last year of "1990-1995" and "1990/91"."""
    sign, digits = tokens.word(place + 1), tokens.word(place + 2)
    if not (sign in DASHES or sign == "/") or not digits.isdecimal():
        return None
    if len(digits) == len(str(year)):
        return int(digits) if year <= int(digits) <= YEAR_MAX else None
    glued = tokens.glued(place) and tokens.glued(place + 1)
    if len(digits) != 2 or not glued or int(digits) <= year % 100:
        return None
    return year - year % 100 + int(digits)


def _grows(tokens: TextPieces, place: int) -> bool:
    """Says whether a number goes on: "1990.5", "1990x", "1990-beta", "1990/7"."""
    if not tokens.glued(place):
        return False
    sign = tokens.word(place + 1)
    if sign.isalpha():
        return True
    followed = tokens.glued(place + 1) and tokens.word(place + 2).isalnum()
    return sign in MONEY or sign in "%°_+" or (followed and sign in ".,-/:'")


def _to_the_left(
    tokens: TextPieces, place: int, found: NamedDays, grammar: Grammar
) -> NamedDays | None:
    numeric = _numeric_date(tokens, place)
    if numeric is not None:
        return replace(numeric, end=found.end) if found.single or found.sure else None
    if _is_part(tokens, place):
        return None
    at = place
    for _ in range(LINKS_MAX):
        month = _month_at(tokens, at - 1, grammar)
        if month is not None:
            return _dated(tokens, month, at - 1, found, grammar)
        count = length_before(grammar.month_links, tokens.words, at)
        if not count:
            break
        at -= count
    if count := length_before(grammar.decade_before, tokens.words, place):
        return _decade(tokens, found, place - count, grammar)
    if count := length_before(grammar.year_before, tokens.words, place):
        return replace(found, first=place - count, sure=True, single=False)
    return found


def _is_part(tokens: TextPieces, place: int) -> bool:
    """Says whether a number belongs to what stands in front of it: "AS-2061", "$2000", "3.1990"."""
    sign = tokens.word(place - 1)
    return sign in MONEY or (tokens.glued(place - 1) and sign not in OPENERS)


def _decade(tokens: TextPieces, found: NamedDays, first: int, grammar: Grammar) -> NamedDays:
    year = int(tokens.word(found.first))
    relation = length_after(grammar.relations, tokens.words, found.end)
    goes_on = relation and tokens.word(found.end + relation).isdecimal()
    if found.single and year % 10 == 0 and not goes_on:
        end = found.end + (tokens.word(found.end) == "." and tokens.glued(found.end - 1))
        end = end if end < len(tokens) else found.end
        interval = year_interval(year, year + 9)
        return NamedDays(first=first, end=end, interval=interval, sure=True)
    return replace(found, first=first, sure=True, single=False)


def _numeric_date(tokens: TextPieces, place: int) -> NamedDays | None:
    """Reads "14.06.2024", "14/6/2024" and "06/2024", the day first."""
    sign, month = tokens.word(place - 1), _number(tokens, place - 2, MONTHS_MAX)
    if sign not in ("/", ".", "-") or month is None or not tokens.glued(place - 2):
        return None
    year = int(tokens.word(place))
    day = _number(tokens, place - 4, DAYS_MAX) if tokens.word(place - 3) == sign else None
    if day is not None and not tokens.glued(place - 5):
        return _day(place - 4, place + 1, year, month, day)
    if sign != "/" or not tokens.glued(place - 1) or tokens.glued(place - 3):
        return None
    return NamedDays(first=place - 2, end=place + 1, interval=month_days(year, month), sure=True)


def _number(tokens: TextPieces, place: int, most: int) -> int | None:
    digits = tokens.word(place)
    return (
        int(digits) if digits.isdecimal() and len(digits) < 3 and 0 < int(digits) <= most else None
    )


def _day(first: int, end: int, year: int, month: int, day: int) -> NamedDays | None:
    try:
        ordinal = date(year, month, day).toordinal()
    except ValueError:
        return None
    return NamedDays(first=first, end=end, interval=DateInterval(ordinal, ordinal), sure=True)


@dataclass(frozen=True, slots=True)
class _Month:
    first: int
    number: int


def _month_at(tokens: TextPieces, place: int, grammar: Grammar) -> _Month | None:
    at = place - 1 if tokens.word(place) == "." and tokens.glued(place - 1) else place
    number = grammar.months.get(tokens.word(at))
    return None if number is None else _Month(at, number)


def _dated(
    tokens: TextPieces, month: _Month, place: int, found: NamedDays, grammar: Grammar
) -> NamedDays | None:
    """Returns the month or the day of a year, or the days from another to it."""
    if not (found.single or found.sure) or tokens.glued(month.first - 1):
        return None
    year = int(tokens.word(found.first))
    day = _day_before(tokens, month.first, grammar)
    dated: NamedDays | None
    if day is None:
        interval = month_days(year, month.number)
        dated = NamedDays(first=month.first, end=found.end, interval=interval, sure=True)
    else:
        dated = _day(day[0], found.end, year, month.number, day[1])
    if dated is None:
        return None
    return _from_another(tokens, dated, year, month, has_day=day is not None, grammar=grammar)


def _day_before(tokens: TextPieces, place: int, grammar: Grammar) -> tuple[int, int] | None:
    """Returns where the number of a day stands in front of a month, and that number."""
    at = place - length_before(grammar.of, tokens.words, place)
    at -= length_before(grammar.day_endings, tokens.words, at)
    day = _number(tokens, at - 1, DAYS_MAX)
    return None if day is None or tokens.glued(at - 2) else (at - 1, day)


def _from_another(
    tokens: TextPieces,
    dated: NamedDays,
    year: int,
    month: _Month,
    *,
    has_day: bool,
    grammar: Grammar,
) -> NamedDays:
    """Adds the beginning of "January to March 2019" and "5 to 10 May 1990"."""
    at = dated.first - length_before(grammar.articles, tokens.words, dated.first)
    if tokens.word(at - 1) in DASHES:
        at -= 1
    else:
        count = length_before(grammar.relations, tokens.words, at)
        names = grammar.relations.get(tuple(tokens.words[at - count : at]), frozenset())
        if not names & {"to", "and"}:
            return dated
        at -= count
    begin = _month_at(tokens, at - 1, grammar)
    day = _day_before(tokens, begin.first if begin else at, grammar)
    if begin is None and not (has_day and day):
        return dated
    number = begin.number if begin else month.number
    begin_year = year if number <= month.number else year - 1
    first = begin.first if begin else at
    earlier = month_days(begin_year, number).begin
    if day is not None:
        first, earlier = day[0], earlier + day[1] - 1
    interval = DateInterval(min(earlier, dated.interval.end), dated.interval.end)
    return replace(dated, first=first, interval=interval)


def _century(tokens: TextPieces, place: int, grammar: Grammar) -> NamedDays | None:
    """Reads "19. Jahrhundert", "XIXe siècle" and "siglo XIX"."""
    after = _ordinal(tokens, place + 1)
    at = place
    if tokens.word(at - 1) in grammar.century_endings or tokens.word(at - 1) == ".":
        at -= 1
        at -= tokens.word(at - 1) == "-"
    before = _ordinal(tokens, at - 1, grammar)
    if before is not None and not tokens.glued(at - 2):
        number, first, end = before, at - 1, place + 1
    elif after is not None:
        number, first, end = after, place, place + 2
    else:
        return None
    end += tokens.word(end) == "." and end < len(tokens) - 1 and end == place + 1
    if length_after(grammar.before_christ, tokens.words, end):
        return None
    interval = year_interval(100 * (number - 1), 100 * number - 1)
    found = NamedDays(first=first, end=end, interval=interval, sure=True)
    return _with_third(tokens, found, grammar)


def _ordinal(tokens: TextPieces, place: int, grammar: Grammar | None = None) -> int | None:
    """Returns the number of a century in digits or Roman capitals, an ending stuck to it or not."""
    word = tokens.word(place)
    if word.isdecimal():
        return int(word) if len(word) < 3 and 0 < int(word) <= CENTURY_MAX else None
    if not word:
        return None
    written = tokens.written(place)
    capitals = written.rstrip("".join({letter for letter in written if letter.islower()}))
    ending = written[len(capitals) :]
    if ending and (grammar is None or ending not in grammar.century_endings):
        return None
    roman = _ROMAN.fullmatch(capitals)
    if roman is None:
        return None
    ones = _ROMAN_ONES.get(roman[2], 5 * ("V" in roman[2]) + roman[2].count("I"))
    return 10 * len(roman[1]) + ones


def _with_third(tokens: TextPieces, found: NamedDays, grammar: Grammar) -> NamedDays:
    """Takes in "at the beginning of" and "end of" in front of a time."""
    at = found.first
    for _ in range(2):
        for third, known in ((Third.FIRST, grammar.early), (Third.LAST, grammar.late)):
            if count := length_before(known, tokens.words, at):
                interval = third_of(found.interval, third)
                return replace(found, first=at - count, interval=interval, sure=True, single=False)
        at -= length_before(grammar.articles | grammar.of, tokens.words, at)
    return found
