"""Says whether a full stop belongs to a day's date: "14. Juni", "14. Okt. 2020", "14. 6. 2020".

Names and abbreviations of months are CLDR's (babel), of the languages that write days so; they are
read when the first number with a full stop is met.
"""

import re
from functools import lru_cache

from babel import Locale

# Languages whose dates have "d. MMMM" in CLDR, and that are written on more than a few pages.
LANGUAGES = (
    "cs",
    "da",
    "de",
    "et",
    "fi",
    "fo",
    "gsw",
    "hr",
    "is",
    "lb",
    "lv",
    "nb",
    "nds",
    "nn",
    "sk",
    "sl",
)
_WIDTHS = ("wide", "abbreviated")
# "13./14." and "13.-14." are days too.
_DAY = re.compile(r"(?:(?:[12]\d|3[01]|0?[1-9])\.?[/–-])?(?:[12]\d|3[01]|0?[1-9])")
_DAY_BEFORE = re.compile(r"(?<!\d)(?:[12]\d|3[01]|0?[1-9])\. ?$")
_MONTH_NUMBER = re.compile(r"1[0-2]|0?[1-9]")
_YEAR = re.compile(r"[12]\d{3}(?!\d)")
_MONTH_AND_YEAR = re.compile(r"(?:1[0-2]|0?[1-9])\. ?[12]\d{3}(?!\d)")
_WORD = re.compile(r"[^\W\d_]{1,20}")
# Longer than what the expressions above look for before a full stop.
_BEFORE_CHARACTERS = 8


def is_in_date(before: str, token: str, text: str, following: int) -> bool:
    """Says whether the full stop after `token` is one of a date.

    Args:
        before: the text in front of the token; its last characters count.
        following: where the next word begins in `text`.
    """
    if not (token[-1].isdigit() or text[following].isdigit()):
        return False
    if _DAY.fullmatch(token):
        word = _WORD.match(text, following)
        if word and word[0].lower() in _months():
            return True
        if _MONTH_AND_YEAR.match(text, following):
            return True
    if not _YEAR.match(text, following):
        return False
    if _MONTH_NUMBER.fullmatch(token):
        return _DAY_BEFORE.search(before[-_BEFORE_CHARACTERS:]) is not None
    return token.isalpha() and token.lower() in _months()


@lru_cache(maxsize=1)
def _months() -> frozenset[str]:
    """Returns names and abbreviations in lower case, without their full stops."""
    return frozenset(
        name.rstrip(".").lower()
        for language in LANGUAGES
        for context in Locale(language).months.values()
        for width in _WIDTHS
        for name in context.get(width, {}).values()
    )
