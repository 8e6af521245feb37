"""Texts as those were mapped that multilingual-e5-small was trained on, and where they stand.

NFKC after `nmt`, which drops control characters and turns what is no sign into spaces.
Source: the map of single characters in the file of weights says the same (tests hold it to that).
"""

import unicodedata
from collections.abc import Iterator
from itertools import repeat

import regex

_DROPPED = (*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F)
_SPACES = (
    *(0x09, 0x0A, 0x0C, 0x0D, 0x1680, *range(0x200B, 0x2010)),
    *(0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD),
)
_NMT = dict.fromkeys(_DROPPED, "") | dict.fromkeys(_SPACES, " ")
# What is one sign to a reader: nothing is composed across two of them.
_SIGN = regex.compile(r"\X")

Span = tuple[int, int]


def mapped(text: str) -> str:
    """Returns a text as the model reads it."""
    return unicodedata.normalize("NFKC", text.translate(_NMT))


def places(text: str) -> list[Span]:
    """Returns where each character of the mapped text stands in the text itself.

    A character that is made of several has the place of all, several that are made of one have
    its place.
    """
    whole = mapped(text)
    if len(whole) == len(text) and whole == text.translate(_NMT):
        return [(place, place + 1) for place in range(len(text))]
    found = list(_places_by_sign(text))
    # Signs that were composed across each other after all, in an alphabet that is not known here.
    return found if len(found) == len(whole) else _spread(len(text), len(whole))


def _places_by_sign(text: str) -> Iterator[Span]:
    for sign in _SIGN.finditer(text):
        start, end = sign.span()
        made = len(mapped(sign[0]))
        if made == end - start:
            yield from ((place, place + 1) for place in range(start, end))
        else:
            yield from repeat((start, end), made)


def _spread(length: int, mapped_length: int) -> list[Span]:
    """Returns places in proportion, where nothing better is known."""
    bounds = [place * length // mapped_length for place in range(mapped_length + 1)]
    return [(bounds[place], bounds[place + 1]) for place in range(mapped_length)]
