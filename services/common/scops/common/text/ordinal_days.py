"""Says whether a full stop is of a date: "14. Juni", "14. 6. 2020", "2 févr. 2022", "2022. 9"."""

import re

from scops.common.text.month_names import DOTTED, SHORT, WHOLE

# "13./14." and "13.-14." are days too.
_DAY = re.compile(r"(?:(?:[12]\d|3[01]|0?[1-9])\.?[/–-])?(?:[12]\d|3[01]|0?[1-9])")
_DAY_BEFORE = re.compile(r"(?<!\d)(?:[12]\d|3[01]|0?[1-9])\. ?$")
_MONTH_NUMBER = re.compile(r"1[0-2]|0?[1-9]")
_YEAR = re.compile(r"[12]\d{3}(?!\d)")
_MONTH_AND_YEAR = re.compile(r"(?:1[0-2]|0?[1-9])\. ?[12]\d{3}(?!\d)")
_WHOLE, _SHORT = frozenset(WHOLE.split()), frozenset(SHORT.split())
_ALL = _WHOLE | _SHORT
_DOTTED = frozenset(DOTTED.split())
_DAY_NUMBER_BEFORE = re.compile(r"(?<!\d)(?:[12]\d|3[01]|0?[1-9]) (?:de )?$")
# Where the year comes first, each part has its full stop.
_YEAR_ALONE = re.compile(r"[12]\d{3}")
_YEAR_BEFORE = re.compile(r"(?<!\d)[12]\d{3}\. ?$")
_YEAR_AND_MONTH_BEFORE = re.compile(r"(?<!\d)[12]\d{3}\. ?(?:1[0-2]|0?[1-9])\. ?$")
_DAY_NEXT = re.compile(r"(?:[12]\d|3[01]|0?[1-9])(?!\d)")
_MONTH_AND_DAY_NEXT = re.compile(r"(?:1[0-2]|0?[1-9])\. ?(?:[12]\d|3[01]|0?[1-9])(?!\d)")
_WORD = re.compile(r"[^\W\d_]{1,20}")
_AFTER_SHORT = re.compile(r"\.| [12]\d{3}(?!\d)")
# Longer than what the expressions above look for before a full stop.
_BEFORE_CHARACTERS = 12


def is_in_date(before: str, token: str, text: str, following: int) -> bool:
    """Says whether the full stop after `token` is one of a date.

    Args:
        before: the text in front of the token; its last characters count.
        following: where the next word begins in `text`.
    """
    if not (token[-1].isdigit() or text[following].isdigit()):
        return False
    if _DAY.fullmatch(token):
        if _is_month(text, following):
            return True
        if _MONTH_AND_YEAR.match(text, following):
            return True
    if _is_in_year_first(before[-_BEFORE_CHARACTERS:], token, text, following):
        return True
    if not _YEAR.match(text, following):
        return False
    if _MONTH_NUMBER.fullmatch(token):
        return _DAY_BEFORE.search(before[-_BEFORE_CHARACTERS:]) is not None
    if token.lower() in _ALL:
        return True
    # Short names of many languages are words of others: here a day has to stand before.
    is_after_day = _DAY_NUMBER_BEFORE.search(before[-_BEFORE_CHARACTERS:]) is not None
    return is_after_day and token.lower() in _DOTTED


def _is_in_year_first(before: str, token: str, text: str, following: int) -> bool:
    """Says whether a full stop is one of "2022. 9. 26." or "2022. okt. 24."."""
    if _YEAR_ALONE.fullmatch(token):
        word = _WORD.match(text, following)
        is_month = word is not None and word[0].lower() in _DOTTED
        return is_month or _MONTH_AND_DAY_NEXT.match(text, following) is not None
    if _YEAR_BEFORE.search(before):
        is_month = _MONTH_NUMBER.fullmatch(token) is not None or token.lower() in _DOTTED
        return is_month and _DAY_NEXT.match(text, following) is not None
    is_day = _DAY.fullmatch(token) is not None
    return is_day and _YEAR_AND_MONTH_BEFORE.search(before) is not None


def _is_month(text: str, start: int) -> bool:
    """Says whether a month's name begins here; a short one is also a word, as "led" or "pro"."""
    word = _WORD.match(text, start)
    if word is None:
        return False
    name = word[0].lower()
    return name in _WHOLE or (name in _SHORT and _AFTER_SHORT.match(text, word.end()) is not None)
