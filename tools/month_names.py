"""Writes the names of months that sentences and times are read by, from CLDR (babel).

They are files, so that no process reads the locales of so many languages for them.
"""

import textwrap
from collections.abc import Mapping
from pathlib import Path

from babel.localedata import locale_identifiers

from scops.common.text.locales import locale_of

FILE = Path(__file__).parents[1] / "services/common/scops/common/text" / "month_names.py"
# Languages whose dates have "d. MMMM" in CLDR, and that are written on more than a few pages.
LANGUAGES = (
    *("cs", "da", "de", "et", "fi", "fo", "gsw", "hr"),
    *("is", "lb", "lv", "nb", "nds", "nn", "sk", "sl"),
)
# By their numbers, in the languages whose times are read.
NUMBERED_FILE = (
    Path(__file__).parents[1] / "services/retriever/scops/retriever/time/languages/month_names.py"
)
NUMBERED_LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "pl", "ru")
# Prepositions ask for cases that CLDR has not: by the end of the genitive, and what differs.
CASES = {"ru": {"я": "ею", "а": "еу"}, "pl": {"a": "u"}}
OTHER_CASES = {"pl": {2: "lutym", 11: "listopadzie"}}
# With the indent, quotes and a space, 100.
LINE_CHARACTERS = 93


def _months(language: str) -> Mapping[str, Mapping[str, Mapping[int, str]]]:
    locale = locale_of(language)
    assert locale is not None, language
    return locale.months


def month_names(width: str) -> set[str]:
    """Returns the names of a width, `wide` or `abbreviated`, in lower case without full stops."""
    return {
        name.rstrip(".").lower()
        for language in LANGUAGES
        for context in _months(language).values()
        for name in context.get(width, {}).values()
    }


def written() -> str:
    """Returns the file."""
    wide = month_names("wide")
    return (
        '"""Names of months that stand beside a full stop in dates, in lower case.\n\n'
        f"Source: CLDR, of {' '.join(LANGUAGES)},\n"
        "whose days have one, and of all; written by tools/month_names.py.\n"
        '"""\n\n'
        "# Whole names, in every case that dates have.\n"
        + _set("WHOLE", wide)
        + "# Abbreviations that are no whole name, without their full stop.\n"
        + _set("SHORT", month_names("abbreviated") - wide)
        + "# Abbreviations that any language writes with a full stop, without it.\n"
        + _set("DOTTED", dotted_names())
    )


def dotted_names() -> set[str]:
    """Returns the abbreviations of one word that CLDR writes with a full stop, in lower case."""
    languages = sorted(one for one in locale_identifiers() if "_" not in one)
    return {
        name.rstrip(".").lower()
        for language in languages
        for context in _months(language).values()
        for name in context.get("abbreviated", {}).values()
        if name.endswith(".") and name.rstrip(".").isalpha()
    }


def numbered_names(language: str) -> dict[str, int]:
    """Returns the number of each name of a month, in lower case without full stops."""
    names = {
        name.rstrip(".").lower(): number
        for context in _months(language).values()
        for width in ("wide", "abbreviated")
        for number, name in context.get(width, {}).items()
    }
    genitives = _months(language)["format"]["wide"]
    for number, name in genitives.items():
        for letter in CASES.get(language, {}).get(name[-1], ""):
            names[name[:-1] + letter] = number
    return names | {name: month for month, name in OTHER_CASES.get(language, {}).items()}


def numbered() -> str:
    """Returns the file of names with their numbers."""
    return (
        '"""Names of months by language, in lower case, each with its number.\n\n'
        "Source: CLDR, with the cases that prepositions ask for; written by tools/month_names.py.\n"
        '"""\n\n'
        "MONTHS = {\n" + "".join(map(_language, NUMBERED_LANGUAGES)) + "}\n"
    )


def _language(language: str) -> str:
    names = sorted(numbered_names(language).items(), key=lambda entry: (entry[1], entry[0]))
    text = " ".join(f"{name}={number}" for name, number in names)
    lines = textwrap.wrap(text, LINE_CHARACTERS - 4)
    return f'    "{language}": (\n' + "".join(f'        "{line} "\n' for line in lines) + "    ),\n"


def _set(name: str, values: set[str]) -> str:
    lines = textwrap.wrap(" ".join(sorted(values)), LINE_CHARACTERS)
    text = "\n".join(f'    "{line} "' for line in lines)
    return f"{name} = (\n{text}\n)\n"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
    NUMBERED_FILE.write_text(numbered(), encoding="utf-8")
