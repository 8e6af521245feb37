"""Says whether a full stop belongs to a day's date: "14. Juni", "14. Okt. 2020", "14. 6. 2020"."""

import re

from scops.common.text.month_names import SHORT, WHOLE

# "13./14." and "13.-14." are days too.
_DAY = re.compile(r"(?:(?:[12]\d|3[01]|0?[1-9])\.?[/–-])?(?:[12]\d|3[01]|0?[1-9])")
_DAY_BEFORE = re.compile(r"(?<!\d)(?:[12]\d|3[01]|0?[1-9])\. ?$")
_MONTH_NUMBER = re.compile(r"1[0-2]|0?[1-9]")
_YEAR = re.compile(r"[12]\d{3}(?!\d)")
_MONTH_AND_YEAR = re.compile(r"(?:1[0-2]|0?[1-9])\. ?[12]\d{3}(?!\d)")
_WHOLE, _SHORT = frozenset(WHOLE.split()), frozenset(SHORT.split())
_ALL = _WHOLE | _SHORT
_WORD = re.compile(r"[^\W\d_]{1,20}")
_AFTER_SHORT = re.compile(r"\.| [12]\d{3}(?!\d)")
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
        if _is_month(text, following):
            return True
        if _MONTH_AND_YEAR.match(text, following):
            return True
    if not _YEAR.match(text, following):
        return False
    if _MONTH_NUMBER.fullmatch(token):
        return _DAY_BEFORE.search(before[-_BEFORE_CHARACTERS:]) is not None
    return token.isalpha() and token.lower() in _ALL


def _is_month(text: str, start: int) -> bool:
    """Says whether a month's name begins here; a short one is also a word, as "led" or "pro"."""
    word = _WORD.match(text, start)
    if word is None:
        return False
    name = word[0].lower()
    return name in _WHOLE or (name in _SHORT and _AFTER_SHORT.match(text, word.end()) is not None)
