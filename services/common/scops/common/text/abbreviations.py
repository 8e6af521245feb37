"""Abbreviations of some seventy languages, as sentencex knows them."""

import re
from functools import lru_cache

from sentencex import get_sentence_boundaries

TOKEN_CHARACTERS_MAX = 8
# Letters, and full stops between them. A capital alone is an initial or none, by what is before.
_WORD = re.compile(r"(?:[^\W\d_]+\.)*[^\W\d_]+")


def is_abbreviation(token: str, language: str) -> bool:
    """Says whether a full stop after a token belongs to the token rather than ends a sentence.

    Args:
        token: what stands before the full stop, up to the space before it.
        language: by its tag; nothing where it is not known, and then nothing is one.
    """
    if not language or len(token) > TOKEN_CHARACTERS_MAX or not _WORD.fullmatch(token):
        return False
    if len(token) == 1 and token.isupper():
        return False
    return _is_known(token, language.partition("-")[0].lower())


@lru_cache(maxsize=16_384)
def _is_known(token: str, language: str) -> bool:
    return len(get_sentence_boundaries(language, f"{token}. Aa bb.")) == 1
