"""Generated edits in six languages: what must be seen as a change, and what must not.

Texts are paragraphs of `qa/xquad-*` and `qa/french`, some with a sentence that holds a date, an
amount, a number or a span of days, written by CLDR as people of the language write them.

Critical edits change a number, date, amount, unit, negation, modality, entity, or where the
fraction begins; harmless ones write the same number, date or amount otherwise, or change white
space, quotes, dashes, composed letters and what nobody sees. Imports nothing of the detector.
"""

import random
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from pathlib import Path

from babel import Locale
from babel.dates import format_date
from babel.numbers import format_currency, format_decimal

from benchmarks.change.edit_words import WORDS, EditWords, Pairs
from benchmarks.shared.json_lines import json_lines
from scops.common.text.locales import locale_of

FOLDERS = {
    "en": "xquad-en",
    "de": "xquad-de",
    "fr": "french",
    "es": "xquad-es",
    "ru": "xquad-ru",
    "zh": "xquad-zh",
}
SEED = 11
# Paragraphs that are edited, each in every way that fits it.
PARAGRAPHS_MAX = 80
FIRST_DAY, DAYS = date(2019, 1, 1), 3_000
_DIGITS = re.compile(r"(?<![\d.,])\d{1,3}(?![\d.,])")
_NAME = re.compile(r"(?<=[\w,] )[A-ZÄÖÜÉА-Я][\w-]{3,}")
_HAN_NAME = re.compile(r"[A-Za-z]{4,}|[一-鿿]{2,3}(?=[·•])")


@dataclass(frozen=True, slots=True)
class GeneratedEdit:
    """A text before and after one edit."""

    language: str
    page: str
    kind: str
    critical: bool
    old: str
    new: str


Change = tuple[str, str]
"""A text before and after."""


def generated_edits(sources: Path) -> dict[str, list[GeneratedEdit]]:
    """Returns the edits of each language whose paragraphs the folder holds."""
    return {
        language: list(_of_language(language, paragraphs))
        for language, folder in FOLDERS.items()
        if (paragraphs := _paragraphs(sources / folder))
    }


def _paragraphs(folder: Path) -> list[tuple[str, str]]:
    rows = (row for path in sorted(folder.glob("paragraphs.jsonl*")) for row in json_lines(path))
    texts = [(str(row["title"]), unicodedata.normalize("NFC", row["text"])) for row in rows]
    random.Random(SEED).shuffle(texts)
    return texts[:PARAGRAPHS_MAX]


def _of_language(language: str, paragraphs: Sequence[tuple[str, str]]) -> Iterator[GeneratedEdit]:
    chance = random.Random(f"{SEED} {language}")
    names = [name for _, text in paragraphs for name in _names(text, language)]
    for page, text in paragraphs:
        for kind, change in _critical(text, language, names, chance).items():
            if change is not None and change[0] != change[1]:
                yield GeneratedEdit(
                    language, page, kind, critical=True, old=change[0], new=change[1]
                )
        for kind, change in _harmless(text, language, chance).items():
            if change[0] != change[1]:
                yield GeneratedEdit(
                    language, page, kind, critical=False, old=change[0], new=change[1]
                )


def _critical(
    text: str, language: str, names: Sequence[str], chance: random.Random
) -> Mapping[str, Change | None]:
    words = WORDS[language]
    values = _Values.drawn(language, chance)
    return {
        "number": _number(text),
        "negation": _either(text, words.negations, language, chance),
        "modality": _either(text, words.modalities, language, chance),
        "unit": _unit(text, words, values),
        "entity": _entity(text, names, language, chance),
        "date": _carried(text, words, 0, values.written(), values.later().written()),
        "amount": _carried(text, words, 1, values.written(), values.dearer().written()),
        "fraction": _carried(text, words, 2, values.fraction(), values.written()),
        "span": _carried(text, words, 3, values.written(), values.longer().written()),
    }


def _harmless(text: str, language: str, chance: random.Random) -> Mapping[str, Change]:
    words = WORDS[language]
    values = _Values.drawn(language, chance)
    plain = values.written()
    ways: dict[str, Callable[[str], str]] = {
        "white_space": lambda said: said.replace(" ", "  ").replace("。", "。 "),
        "line_breaks": partial(_broken, chance=chance),
        "no_break_space": lambda said: said.replace(" ", "\u00a0"),
        "zero_width": lambda said: said[: len(said) // 2] + "\u200b" + said[len(said) // 2 :],
        "composition": lambda said: unicodedata.normalize("NFD", said),
        "quotes": lambda said: said.replace('"', "“").replace("'", "’"),
        "dashes": lambda said: said.replace(" - ", " – ").replace("-", "\u2010"),
    }
    return {
        **{way: (text, change(text)) for way, change in ways.items()},
        "number_ungrouped": _carried(text, words, 2, plain, values.ungrouped()),
        "date_numeric": _carried(text, words, 0, plain, values.dated("short")),
        "date_iso": _carried(text, words, 0, plain, plain | {"date": values.day.isoformat()}),
        "amount_by_code": _carried(text, words, 1, plain, values.by_code()),
    }


@dataclass(frozen=True, slots=True)
class _Values:
    """What stands in carrier sentences."""

    language: str
    day: date
    amount: int
    number: int
    count: int

    @classmethod
    def drawn(cls, language: str, chance: random.Random) -> "_Values":
        return cls(
            language,
            FIRST_DAY + timedelta(days=chance.randrange(DAYS)),
            chance.randint(11, 9_999),
            chance.randint(1_001, 99_999),
            chance.randint(2, 60),
        )

    def later(self) -> "_Values":
        day = self.day + timedelta(days=self.count)
        return _Values(self.language, day, self.amount, self.number, self.count)

    def dearer(self) -> "_Values":
        return _Values(self.language, self.day, self.amount + 5, self.number, self.count)

    def longer(self) -> "_Values":
        return _Values(self.language, self.day, self.amount, self.number, self.count + 7)

    @property
    def locale(self) -> Locale | None:
        return locale_of(self.language)

    def written(self) -> dict[str, str]:
        return {
            "date": format_date(self.day, "long", locale=self.locale),
            "money": format_currency(self.amount, "EUR", locale=self.locale),
            "number": format_decimal(self.number, locale=self.locale),
            "count": str(self.count),
        }

    def fraction(self) -> dict[str, str]:
        """The digits of `number` with the sign of the fraction before the last three."""
        thousandth = format_decimal(self.number / 1_000, "#,##0.000", locale=self.locale)
        return self.written() | {"number": thousandth}

    def ungrouped(self) -> dict[str, str]:
        return self.written() | {"number": str(self.number)}

    def dated(self, width: str) -> dict[str, str]:
        """The date in figures, its year in four digits and the parts in the language's order."""
        short = {"en": "M/d/y", "zh": "y-MM-dd", "de": "dd.MM.y", "ru": "dd.MM.y"}
        pattern = short.get(self.language, "dd/MM/y") if width == "short" else width
        return self.written() | {"date": format_date(self.day, pattern, locale=self.locale)}

    def by_code(self) -> dict[str, str]:
        return self.written() | {"money": f"{self.amount} EUR"}


def _carried(
    text: str, words: EditWords, carrier: int, old: Mapping[str, str], new: Mapping[str, str]
) -> Change:
    sentence = words.carriers[carrier]
    space = "" if sentence.endswith("。") else " "
    return text + space + sentence.format(**old), text + space + sentence.format(**new)


def _number(text: str) -> Change | None:
    found = _DIGITS.search(text)
    if found is None:
        return None
    raised = str(int(found.group()) + 1)
    return text, text[: found.start()] + raised + text[found.end() :]


def _either(text: str, pairs: Pairs, language: str, chance: random.Random) -> Change | None:
    """Replaces a word by the other of its pair; negations come and go as often as not."""
    for one, other in pairs:
        bound = "" if language == "zh" else r"(?<!\w)"
        found = re.search(bound + re.escape(one) + bound.replace("<", ""), text)
        if found is not None:
            changed = text[: found.start()] + other + text[found.end() :]
            return (text, changed) if chance.random() < 0.5 else (changed, text)
    return None


def _unit(text: str, words: EditWords, values: _Values) -> Change:
    one, other = words.units[0]
    old, _ = _carried(text, words, 3, values.written(), values.written())
    head, _, tail = old.rpartition(one)
    return old, head + other + tail


def _names(text: str, language: str) -> list[str]:
    return (_HAN_NAME if language == "zh" else _NAME).findall(text)


def _entity(text: str, names: Sequence[str], language: str, chance: random.Random) -> Change | None:
    there = _names(text, language)
    others = sorted({name for name in names if name.casefold() not in text.casefold()})
    if not there or not others:
        return None
    return text, text.replace(there[0], chance.choice(others))


def _broken(text: str, *, chance: random.Random) -> str:
    """Breaks the lines of a text at some of its spaces."""
    return "".join("\n" if sign == " " and chance.random() < 0.1 else sign for sign in text)
