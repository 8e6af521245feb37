"""Values are read in languages that nobody wrote a rule for: sentences made of CLDR's own words.

A sentence is the name of a country, a value and the name of a language, in the language itself.
"""

import random
import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial

import pytest
from babel import Locale
from babel.dates import format_date
from babel.numbers import format_currency, format_decimal
from babel.units import format_unit

from scops.change_detector.strategies.salient.edits import typed_edits
from scops.change_detector.strategies.salient.strategy import SalientStrategy
from scops.change_detector.strategies.salient.update_words import UPDATE_WORDS
from tests.fakes.worlds.change import body_of

LANGUAGES = (
    *("nl", "pl", "sv", "tr", "ko", "pt", "it", "ja", "cs", "fi", "da", "uk"),
    *("hu", "ro", "he", "hi", "vi", "ar", "bg", "id", "lt"),
)
DRAWS = 6
FIRST_DAY, DAYS = date(2019, 1, 1), 3_000
UNITS = ("length-kilometer", "mass-kilogram", "length-centimeter")
Change = tuple[str, str]


def is_news(language: str, change: Change) -> bool:
    """Returns whether an edit of a page's only sentence counts."""
    old, new = change
    edits = typed_edits(
        old, body_of(old).blocks, new, body_of(new).blocks, languages=(language, language)
    )
    return SalientStrategy(salience_min=0.25).summary(edits).semantic


class Sentences:
    """Draws sentences of a language."""

    def __init__(self, language: str) -> None:
        self.language, self.locale = language, Locale.parse(language)
        self.chance = random.Random(language)
        self.countries = [v for k, v in self.locale.territories.items() if k.isalpha()]
        self.languages = list(self.locale.languages.values())

    def draws(self) -> Iterator[random.Random]:
        """Yields what chance is needed, some times."""
        for _ in range(DRAWS):
            yield self.chance

    def of(self, old: str, new: str) -> Change:
        """Returns a sentence with one value and with another."""
        country = self.chance.choice(self.countries)
        name = self.chance.choice(self.languages)
        return f"{country} ({old}) {name}.", f"{country} ({new}) {name}."

    def days(self) -> tuple[date, date]:
        """Returns two days."""
        day = FIRST_DAY + timedelta(days=self.chance.randrange(DAYS))
        return day, day + timedelta(days=self.chance.randint(1, 27))

    def figures(self) -> str:
        """Returns the pattern of a date in figures, with a year of four digits."""
        pattern: str = self.locale.date_formats["short"].pattern
        return re.sub("y+", "y", pattern)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_value_in_another_format_is_no_news(language: str) -> None:
    """Dates, numbers, amounts and units, each as CLDR writes them."""
    said = Sentences(language)
    written = partial(format_date, locale=said.locale)
    changes: list[Change] = []
    for chance in said.draws():
        day, number = said.days()[0], chance.randint(10_001, 99_999)
        amount, count = chance.randint(11, 9_999), chance.choice((2, 3, 5, 7, 11, 21, 30))
        long = written(day, "long")
        formats = (written(day, "medium"), written(day, said.figures()), day.isoformat())
        changes += [said.of(long, other) for other in formats]
        changes.append(said.of(format_decimal(number, locale=said.locale), str(number)))
        money = format_currency(amount, "EUR", locale=said.locale)
        changes.append(said.of(money, f"{amount} EUR"))
        for unit in UNITS:
            whole, short = (
                format_unit(count, unit, length=length, locale=said.locale)
                for length in ("long", "short")
            )
            changes.append(said.of(whole, short))

    assert [] == [change for change in changes if is_news(language, change)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_value_is_news(language: str) -> None:
    """Whatever is a number, and where its fraction begins, which unit and which money."""
    said = Sentences(language)
    changes: list[Change] = []
    for chance in said.draws():
        number, amount = chance.randint(10_001, 99_999), chance.randint(11, 9_999)
        days = [format_date(day, "long", locale=said.locale) for day in said.days()]
        decimal = partial(format_decimal, locale=said.locale)
        money = partial(format_currency, locale=said.locale)
        unit = partial(format_unit, length="long", locale=said.locale)
        changes += [
            said.of(*days),
            said.of(decimal(number), decimal(number + 1)),
            said.of(decimal(number), decimal(number / 1_000, "#,##0.000")),
            said.of(money(amount, "EUR"), money(amount + 5, "EUR")),
            said.of(money(amount, "EUR"), money(amount, "USD")),
            said.of(unit(4, "duration-day"), unit(4, "duration-week")),
            said.of(unit(4, "duration-day"), unit(11, "duration-day")),
        ]

    assert [] == [change for change in changes if not is_news(language, change)]


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) & UPDATE_WORDS.keys()))
def test_another_value_beside_a_word_of_updating_is_news(language: str) -> None:
    """Only where the sentence is the stamp, and no more, time may pass in silence."""
    said = Sentences(language)
    words = UPDATE_WORDS[language].split()
    changes: list[Change] = []
    for chance in said.draws():
        count, amount = chance.randint(2, 60), chance.randint(11, 9_999)
        money = partial(format_currency, currency="EUR", locale=said.locale)
        values = (
            (str(count), str(count + 7)),
            tuple(format_date(day, "long", locale=said.locale) for day in said.days()),
            (money(amount), money(amount + 5)),
        )
        for old, new in values:
            word, (before, after) = chance.choice(words), said.of(old, new)
            changes.append((f"{word} {before}", f"{word} {after}"))

    assert [] == [change for change in changes if not is_news(language, change)]


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("fr", "Dernière mise à jour : 11 février 2021", "Dernière mise à jour : 15 mars 2021"),
        ("fr", "Ouvert dès le 2 févr. 2022 ici.", "Ouvert dès le 02/02/2022 ici."),
        ("zh", "一袋重2千克。", "一袋重2 kg。"),
        ("ja", "距離は3キロメートルです。", "距離は3 kmです。"),
        ("vi", "Cập nhật: 18 tháng 6, 2024", "Cập nhật: 21 tháng 7, 2024"),
    ],
)
def test_what_is_written_otherwise_is_no_news(language: str, old: str, new: str) -> None:
    """A stamp with the name of a unit, units whose name begins like a number, numbered months."""
    assert not is_news(language, (old, new))
    assert not is_news(language, (new, old))
