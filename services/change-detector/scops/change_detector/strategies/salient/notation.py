"""How a language writes numbers, dates, units and currencies, by CLDR.

Read once a language and process; a language that CLDR lacks is read like English, and English
names are known beside those of every language.

Source: CLDR by babel.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import regex
from babel import Locale
from babel.dates import format_timedelta
from babel.numbers import get_currency_name
from babel.units import format_unit

from scops.change_detector.matching.scripts import WORDS
from scops.common.text.locales import locale_of

Words = tuple[str, ...]
NOTATIONS_MAX = 64
FALLBACK = "en"
PERCENT = "concentr-percent"
# Numbers that take every plural form of a noun between them.
COUNTS = (1, 2, 5, 20)
PASSED_SECONDS = (3_600, 60, 86_400, 604_800, 2_629_800, 31_557_600)
# Currencies that share their noun: what two names have in common is that noun.
NAMESAKES = (
    ("USD", "CAD"),
    ("GBP", "EGP"),
    ("CHF", "GNF"),
    ("SEK", "NOK"),
    ("MXN", "ARS"),
    ("INR", "PKR"),
    ("RUB", "BYN"),
)
# A script without spaces has a word a character.
MEASURE_WORDS_MAX = 8

_PRIMARY = regex.compile(r"[a-z]{2,3}")
_QUOTED = regex.compile(r"'([^']*)'")
_FIELDS = regex.compile(r"[A-Za-z]")
_NUMBERED = regex.compile(r"\d+(\D+)|(\D+)\d+")
_COUNT = regex.compile(r"\p{Nd}+")
# A letter that is written in front of the name of a month, such as Hebrew "in".
_BEFORE_MONTH = regex.compile(r"(?<!\p{L})([^\x00-\x7f]+)M{3,}")
_ORDER = regex.compile(r"[dMy]")


# One object a language: compared by identity, so that what follows from it may be kept.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Notation:
    """What CLDR says of a language, all of it casefolded.

    Attributes:
        language: primary subtag, as it was asked for.
        decimal: the sign before the fraction.
        months: numbers of months by their names.
        own_months: the names among them that are the language's own; none in English.
        weekdays: names of days.
        connectors: words and signs of dates that are no part of their value: `de`, `г`, `年`.
        order: of day, month and year in numeric dates, such as `dMy`.
        measures: keys of units (`~day`, `%`) and currencies (`¤EUR`) by the words that name them.
        units: words of units, those that name several too.
        currencies: words of currencies.
        passed: words of "3 days ago" beside number and unit, a set a phrase.
    """

    language: str
    decimal: str
    months: Mapping[str, int]
    own_months: frozenset[str]
    weekdays: frozenset[str]
    connectors: frozenset[str]
    order: str
    measures: Mapping[Words, str]
    units: frozenset[str]
    currencies: frozenset[str]
    passed: frozenset[frozenset[str]]


def notation_of(language: str) -> Notation:
    """Returns how a language is written, by its tag; English where it is not known."""
    primary = _PRIMARY.match(language.lower())
    return _read(primary.group() if primary else FALLBACK)


@lru_cache(maxsize=NOTATIONS_MAX)
def _read(language: str) -> Notation:
    locale = locale_of(language)
    if locale is None:
        return notation_of(FALLBACK)
    english = None if language == FALLBACK else notation_of(FALLBACK)
    measures, units = _units(locale)
    currencies = _currencies(locale)
    measures |= currencies
    money = {word for words in currencies for word in words if len(words) == 1}
    months = _months(locale)
    passed = set(_passed(locale, units))
    own_months = frozenset(months) if english else frozenset()
    if english:
        measures = {**english.measures, **measures}
        months = {**english.months, **months}
        units |= english.units
        money |= english.currencies
        passed |= english.passed
    return Notation(
        language=language,
        decimal=str(locale.number_symbols["latn"]["decimal"]),
        months=MappingProxyType(months),
        own_months=own_months,
        weekdays=frozenset(_weekdays(locale)) | (english.weekdays if english else frozenset()),
        connectors=frozenset(_connectors(locale)),
        order="".join(dict.fromkeys(_ORDER.findall(locale.date_formats["short"].pattern))),
        measures=MappingProxyType(measures),
        units=frozenset(units),
        currencies=frozenset(money | set(_nouns_of_money(locale))),
        passed=frozenset(passed),
    )


def _words(text: str) -> Words:
    """The words of a text in small letters, without its numbers."""
    return tuple(WORDS.findall(_COUNT.sub(" ", text.casefold())))


def _months(locale: Locale) -> dict[str, int]:
    pattern = locale.date_formats["long"].pattern
    fronts = ("", *_BEFORE_MONTH.findall(pattern))
    return {
        front + words[0]: number
        for context in locale.months.values()
        for width in ("abbreviated", "wide")
        for number, name in context.get(width, {}).items()
        if len(words := _words(name)) == 1 and not _COUNT.search(name)
        for front in fronts
    }


def _weekdays(locale: Locale) -> Iterator[str]:
    for context in locale.days.values():
        for width in ("abbreviated", "wide"):
            for name in context.get(width, {}).values():
                words = _words(name)
                if len(words) == 1:
                    yield words[0]


def _connectors(locale: Locale) -> Iterator[str]:
    for width in ("medium", "long"):
        pattern = locale.date_formats[width].pattern
        yield from (word for quoted in _QUOTED.findall(pattern) for word in _words(quoted))
        yield from _words(_FIELDS.sub(" ", _QUOTED.sub(" ", pattern)))
    months = locale.months["format"]
    for name in (*months["wide"].values(), *months["abbreviated"].values()):
        # `6月`, `tháng 6`: the name of a month is its number and a sign.
        if numbered := _NUMBERED.fullmatch(name):
            yield from _words(numbered.group(1) or numbered.group(2))
    if locale.language == FALLBACK:
        # English of Britain, which CLDR writes without it: "14th of June".
        yield "of"


def _units(locale: Locale) -> tuple[dict[Words, str], set[str]]:
    """Returns units by the words that name only one, and all of the single words."""
    named: defaultdict[Words, set[str]] = defaultdict(set)
    for unit in map(str, locale.unit_display_names):
        for length in ("long", "short"):
            for count in COUNTS:
                words = _words(format_unit(count, unit, length=length, locale=locale))
                if 0 < len(words) <= MEASURE_WORDS_MAX:
                    named[words].add("%" if unit == PERCENT else "~" + unit.partition("-")[2])
    measures = {words: keys.pop() for words, keys in named.items() if len(keys) == 1}
    return measures, {words[0] for words in named if len(words) == 1}


def _currencies(locale: Locale) -> dict[Words, str]:
    """Returns currencies by their names of one word and by the noun of the dollar."""
    found: dict[Words, str] = {}
    for code in map(str, locale.currencies):
        for count in COUNTS:
            words = _words(get_currency_name(code, count=count, locale=locale))
            if len(words) == 1 or (locale.language in {"zh", "ja"} and len(words) <= 3):
                found[words] = f"¤{code}"
    return {**{(word,): "¤USD" for word in _shared(locale, NAMESAKES[0])}, **found}


def _nouns_of_money(locale: Locale) -> Iterator[str]:
    for namesakes in NAMESAKES:
        yield from _shared(locale, namesakes)


def _shared(locale: Locale, codes: Iterable[str]) -> set[str]:
    """Returns the words that the names of all of some currencies have."""
    names = [
        {
            word
            for count in COUNTS
            for word in _words(get_currency_name(code, count=count, locale=locale))
        }
        for code in codes
    ]
    return set.intersection(*names)


def _passed(locale: Locale, units: set[str]) -> Iterator[frozenset[str]]:
    """Yields the words of "3 days ago" without its number and its unit."""
    for seconds in PASSED_SECONDS:
        for count in COUNTS:
            phrase = format_timedelta(
                -seconds * count, granularity="second", add_direction=True, locale=locale
            )
            if words := frozenset(_words(phrase)) - units:
                yield words
