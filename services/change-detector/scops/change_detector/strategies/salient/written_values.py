"""Numbers, dates and amounts as what they stand for, however a language writes them.

A date becomes one token (`@2024-06-14`), a number its plain form (`1500`, `2.5`), and what is
counted or paid behind or before a number the key of its unit (`~day`) or currency (`¤EUR`). So
`14. Juni 2024` and `14.06.2024` have the same tokens on a German page, and `2,345` and `2345` only
on a page whose language groups digits by commas.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

import regex
from babel.core import get_global

from scops.change_detector.matching.scripts import WIDE
from scops.change_detector.strategies.salient.notation import MEASURE_WORDS_MAX, Notation
from scops.change_detector.strategies.salient.words import FUNCTION_WORDS, MODALITIES

DATE, UNIT, MONEY = "@", "~", "¤"
YEAR_MIN, YEAR_MAX = 1000, 2999
DATE_FIELDS_MAX = 3
CONNECTORS_MAX = 2
GROUP_DIGITS = 3
SIGNS = {"€": "¤EUR", "$": "¤USD", "£": "¤GBP", "₹": "¤INR", "₽": "¤RUB", "₩": "¤KRW"}
CODES = frozenset(get_global("all_currencies"))
"""Codes of ISO 4217."""

_NUMBER = regex.compile(r"-?\d")
_DOTTED_DATE = regex.compile(r"(\d{1,4})\.(\d{1,2})\.(\d{1,4})")
_GROUPED = regex.compile(r"-?\d{1,3}(?:\D\d{2})*(?:\D\d{3})+")
_DATE_GAP = regex.compile(r"[\s.,/\-‐‑‒–—॰׳]{0,3}")
_MEASURE_GAP = regex.compile(r"\s{0,2}|[\-/‐‑‒–]")
# What stands inside the abbreviation of a unit.
_INNER_GAP = regex.compile(r"[\s\-/‐‑‒–.·॰״׳]{0,2}")
_GROUP_GAP = regex.compile(r"\s{1,2}")
_SUFFIX = regex.compile(rf"(?:(?![{WIDE}])\p{{L}}){{1,2}}")
_UNSEEN = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Cf}]")
_CODE = regex.compile(r"[A-Z]{3}")
_HAN = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_HAN_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}


def with_values(
    original: str, keys: Sequence[str], places: "array[int]", notation: Notation
) -> tuple[list[str], "array[int]"]:
    """Returns keys and places of tokens, those of numbers, dates and amounts read.

    Args:
        places: start and end of each token in the original, in turn.
    """
    reading = _Reading(original, keys, places, notation)
    found: list[str] = []
    spans = array("I")
    for key, first, last in reading.tokens():
        found.append(key)
        spans.extend((places[2 * first], places[2 * last - 1]))
    return found, spans


def plain_number(written: str, decimal: str) -> str:
    """Returns a number without the signs between its digits' groups, and with a decimal point.

    What is no number of the language, such as `3.10.0`, stays as it is written.
    """
    signs = [sign for sign in written.lstrip("-") if not sign.isdigit()]
    if not signs:
        return written
    if len(signs) == 1 and signs[0] == decimal:
        return written.replace(decimal, ".")
    head, sign, tail = written.rpartition(signs[-1])
    if len(set(signs)) == len(signs) == 1:
        grouped = _GROUPED.fullmatch(written) is not None
        return head + tail if grouped else f"{head}.{tail}" if sign in ".,٫" else written
    if len(set(signs)) == 1:
        may_group = sign != "." or decimal != "."
        return _without(written, sign) if may_group and _GROUPED.fullmatch(written) else written
    if signs.count(sign) == 1 and len(set(signs)) == 2 and _GROUPED.fullmatch(head):
        # Of two signs the last one stands before the fraction, whatever the language.
        return f"{_without(head, signs[0])}.{tail}"
    return written


def _without(written: str, sign: str) -> str:
    return written.replace(sign, "")


@dataclass(frozen=True, slots=True)
class _Field:
    """A part of a date: a number with so many digits, or a month by name with none."""

    value: int
    digits: int

    @property
    def is_year(self) -> bool:
        return self.digits == 4 and YEAR_MIN <= self.value <= YEAR_MAX

    @property
    def is_day(self) -> bool:
        return 0 < self.digits <= 2 and 1 <= self.value <= 31

    @property
    def is_month(self) -> bool:
        return self.digits <= 2 and 1 <= self.value <= 12


@dataclass(frozen=True, slots=True)
class _Reading:
    """Reads the tokens of one text."""

    original: str
    keys: Sequence[str]
    places: "array[int]"
    notation: Notation

    def tokens(self) -> Iterator[tuple[str, int, int]]:
        """Yields each token with the places of the first and after the last one it stands for."""
        at = 0
        while at < len(self.keys):
            key = self.keys[at]
            is_number = key[0].isdecimal() or (key[0] == "-" and len(key) > 1)
            is_numeral = key in _HAN or key in _HAN_POWERS
            if is_number or is_numeral or key in self.notation.months:
                date, end = self._date(at)
                if date:
                    yield date, at, end
                    at = end
                    continue
            if is_number or is_numeral:
                for token in self._amount(at):
                    yield token
                    at = token[2]
                continue
            currency = self._currency_before(at)
            if currency:
                number, end = self._number(at + 1)
                yield _money(number), at, end
                yield currency, at, end
                at = end
                continue
            yield key, at, at + 1
            at += 1

    def _amount(self, at: int) -> Iterator[tuple[str, int, int]]:
        number, end = self._number(at)
        measure, after = self._measure(end)
        yield (_money(number) if measure.startswith(MONEY) else number), at, end
        if measure:
            yield measure, end, after

    def _number(self, at: int) -> tuple[str, int]:
        if self.keys[at] in _HAN or self.keys[at] in _HAN_POWERS:
            return self._han(at)
        written, end = self.keys[at], at + 1
        if written.isdecimal() and len(written) <= GROUP_DIGITS:
            while end < len(self.keys) and self._is_group(end):
                written += self.keys[end]
                end += 1
        number = plain_number(written, self.notation.decimal)
        return self._multiplied(number, end)

    def _is_group(self, at: int) -> bool:
        """Whether three digits follow others after a space."""
        whole = self.keys[at].replace(",", ".").partition(".")[0]
        is_group = len(whole) == GROUP_DIGITS and whole.isdecimal()
        return is_group and _GROUP_GAP.fullmatch(self._gap(at)) is not None

    def _multiplied(self, number: str, end: int) -> tuple[str, int]:
        """`3万` is 30000."""
        power = 1
        while self._is_power(end):
            power *= _HAN_POWERS[self.keys[end]]
            end += 1
        if power == 1 or not number.replace(".", "", 1).isdecimal():
            return number, end
        return f"{(Decimal(number) * power).normalize():f}", end

    def _is_power(self, at: int) -> bool:
        """Whether a power of ten stands right there: in `2千克` it begins a unit."""
        if at == len(self.keys) or self.keys[at] not in _HAN_POWERS or self._gap(at):
            return False
        return not self._measure(at)[0]

    def _han(self, at: int) -> tuple[str, int]:
        end = at
        while end < len(self.keys) and (
            end == at or (self.keys[end] in _HAN and not self._gap(end)) or self._is_power(end)
        ):
            end += 1
        return _han_number(self.keys[at:end]), end

    def _measure(self, at: int) -> tuple[str, int]:
        """Returns the key of the unit or currency that stands behind a number, if one does."""
        if at == len(self.keys) or not _MEASURE_GAP.fullmatch(self._gap(at)):
            return "", at
        if currency := self._currency(at):
            return currency, at + 1
        for count in range(min(MEASURE_WORDS_MAX, len(self.keys) - at), 0, -1):
            end = at + count
            joined = all(_INNER_GAP.fullmatch(self._gap(k)) for k in range(at + 1, end))
            words = tuple(self.keys[at:end])
            is_word = count > 1 or words[0] not in FUNCTION_WORDS
            if joined and is_word and words in self.notation.measures:
                return self.notation.measures[words], end
        return "", at

    def _currency_before(self, at: int) -> str:
        if at + 1 == len(self.keys) or not _NUMBER.match(self.keys[at + 1]):
            return ""
        return self._currency(at) if _MEASURE_GAP.fullmatch(self._gap(at + 1)) else ""

    def _currency(self, at: int) -> str:
        """Returns the currency that a sign or a code in capitals names."""
        key = self.keys[at]
        if key in SIGNS:
            return SIGNS[key]
        if key == "¥":
            return "¤CNY" if self.notation.language == "zh" else "¤JPY"
        written = self.original[self.places[2 * at] : self.places[2 * at + 1]]
        is_code = _CODE.fullmatch(written) is not None and written in CODES
        return MONEY + written if is_code else ""

    def _date(self, at: int) -> tuple[str, int]:
        if dotted := _DOTTED_DATE.fullmatch(self.keys[at]):
            parts = [_Field(int(part), len(part)) for part in dotted.groups()]
            return _numeric_date(parts, "dMy"), self._past_connectors(at + 1)
        fields: list[_Field] = []
        ends: list[int] = []
        gaps: list[str] = []
        end = at
        while end < len(self.keys) and len(fields) < DATE_FIELDS_MAX:
            if fields and not _DATE_GAP.fullmatch(self._gap(end)):
                break
            field, after = self._field(end)
            if field is None:
                break
            if fields:
                gaps.append(self._between(ends[-1], end))
            fields.append(field)
            end = self._past_connectors(after)
            ends.append(end)
        for count in range(len(fields), 1, -1):
            if date := self._of_fields(fields[:count], gaps):
                return date, ends[count - 1]
        return "", at

    def _field(self, at: int) -> tuple[_Field | None, int]:
        """Returns the part of a date that stands there, and the place behind it."""
        key = self.keys[at]
        if key.isdecimal() and len(key) <= 4:
            return _Field(int(key), len(key)), at + 1
        if key in _HAN or key in _HAN_POWERS:
            number, end = self._han(at)
            return _Field(int(number), len(number)), end
        # English `may` is a month where it is written like one.
        is_name = key not in MODALITIES or key in self.notation.own_months
        if key in self.notation.months and (is_name or self._is_capital(at)):
            return _Field(self.notation.months[key], 0), at + 1
        return None, at

    def _past_connectors(self, at: int) -> int:
        """`14th`, `1er`, `14 de`, `2024年`: what stands behind a part of a date."""
        last = min(at + CONNECTORS_MAX, len(self.keys))
        while at < last:
            key = self.keys[at]
            is_suffix = (
                not self._gap(at)
                and _SUFFIX.fullmatch(key) is not None
                and self.keys[at - 1].isdecimal()
                and (key,) not in self.notation.measures
            )
            if not is_suffix and key not in self.notation.connectors:
                break
            at += 1
        return at

    def _of_fields(self, fields: Sequence[_Field], gaps: Sequence[str]) -> str:
        named = [place for place, field in enumerate(fields) if not field.digits]
        if len(named) > 1 or (not named and len(fields) < DATE_FIELDS_MAX):
            return ""
        if not named:
            signs = set(gaps[: len(fields) - 1])
            is_written = len(signs) == 1 and signs <= {".", "/", "-"}
            words = [gap for gap in gaps if gap not in {"", ","}]
            is_worded = bool(words) and all(gap in self.notation.connectors for gap in words)
            if not is_written and not is_worded:
                return ""
            return _numeric_date(fields, "dMy" if signs == {"."} else self.notation.order)
        rest = [field for place, field in enumerate(fields) if place != named[0]]
        years = [field.value for field in rest if field.is_year]
        days = [field.value for field in rest if field.is_day]
        if len(years) > 1 or len(days) > 1 or len(years) + len(days) != len(rest):
            return ""
        return _date_key(years[:1], fields[named[0]].value, days[:1])

    def _is_capital(self, at: int) -> bool:
        return self.original[self.places[2 * at]].isupper()

    def _gap(self, at: int) -> str:
        """Returns what stands before a token."""
        gap = self.original[self.places[2 * at - 1] : self.places[2 * at]] if at else ""
        return gap if gap.isascii() else str(_UNSEEN.sub("", gap))

    def _between(self, first: int, at: int) -> str:
        """Returns the sign before a token, or the word there that was passed over."""
        sign = self._gap(at).strip()
        passed = self.keys[first - 1]
        return sign or (passed if passed in self.notation.connectors else "")


def _numeric_date(fields: Sequence[_Field], order: str) -> str:
    """Returns the date of three numbers; none where they are no date of a whole year."""
    if fields[0].is_year:
        year, month, day = fields
    elif not fields[2].is_year:
        return ""
    else:
        day, month, year = fields
        month_first = order.index("M") < order.index("d") and day.is_month
        if month_first or not month.is_month:
            day, month = month, day
    if not (month.is_month and day.is_day and month.digits):
        return ""
    return _date_key([year.value], month.value, [day.value])


def _date_key(years: Sequence[int], month: int, days: Sequence[int]) -> str:
    year = f"{years[0]:04d}" if years else "-"
    day = f"-{days[0]:02d}" if days else ""
    return f"{DATE}{year}-{month:02d}{day}"


def _money(number: str) -> str:
    """`30,00 EUR` are 30 of them."""
    return number.removesuffix(".00")


def _han_number(signs: Sequence[str]) -> str:
    """Returns the value of numerals in a row, by places or by powers of ten."""
    if not any(sign in _HAN_POWERS for sign in signs):
        return "".join(str(_HAN[sign]) for sign in signs)
    total = section = digit = 0
    for sign in signs:
        if sign in _HAN:
            digit = _HAN[sign]
        elif (power := _HAN_POWERS[sign]) >= 10**4:
            total += max(section + digit, 1) * power
            section = digit = 0
        else:
            section += max(digit, 1) * power
            digit = 0
    return str(total + section + digit)
