"""What kind of token a token is, in its place: a number, a name, a "not", or just a word."""

from enum import StrEnum

import regex

from scops.change_detector.matching.scripts import WIDE
from scops.change_detector.strategies.salient.tokens import Tokens
from scops.change_detector.strategies.salient.words import (
    COMPARATORS,
    DATE_WORDS,
    FUNCTION_WORDS,
    MODALITIES,
    NEGATIONS,
    NUMBER_WORDS,
    ORDINALS,
    QUANTIFIERS,
    UNITS,
)
from scops.change_detector.strategies.salient.written_values import DATE, UNIT

CONTEXT_CHARACTERS = 48
TELLING_LETTERS_MIN = 4


class Kind(StrEnum):
    """Kinds of tokens; those that are reasons carry the reason's name."""

    NUMBER = "number"
    MONEY = "money"
    PERCENT = "percent"
    UNIT = "unit"
    DATE = "date"
    VERSION = "version"
    NEGATION = "negation"
    QUANTIFIER = "quantifier"
    MODALITY = "modality"
    COMPARATOR = "comparator"
    ENTITY = "entity"
    IDENTIFIER = "identifier"
    LINK = "link_target"
    SIGN = "sign"
    CONTENT = "content"
    FUNCTION = "function"


_YEAR = regex.compile(r"(?:1[5-9]|20|21)\d\d")
_CURRENCY = regex.compile(r"\p{Sc}")
_WIDE = regex.compile(rf"[{WIDE}]")
_WORD_BEFORE = regex.compile(r"[^\s\"'“”‘’()\[\]{}<>,;|]*$")
_WORD_AFTER = regex.compile(r"[^\s\"'“”‘’()\[\]{}<>,;|]*")
_ADDRESS = regex.compile(r"://|^www\.|^[\w.+-]+@[\w-]+\.\w|^[/~][\w.-]+/|\w/[\w-]+(?:/|\.\w)")
_IDENTIFIER = regex.compile(
    r"[\p{L}\p{N}]_[\p{L}\p{N}]|__\w|::|->|\w\(\)?|\p{Ll}\p{Lu}|[\p{L}\p{N}]\.\p{Ll}"
    r"|\p{Lu}\p{Lu}\p{Ll}|^--?\p{L}|^[@#$]\p{L}|\p{L}\p{N}|\p{N}\p{L}|\\\p{L}"
)
_VERSION = regex.compile(r"^[vV]?\p{N}+(?:\.\p{N}+)+(?:[-.]?\p{L}+\.?\p{N}*)?$|^[vV]\p{N}+$")
_DATE = regex.compile(
    r"^\p{N}{4}([-./])\p{N}{1,2}\1\p{N}{1,2}|^\p{N}{1,2}([-./])\p{N}{1,2}\2\p{N}{4}"
    r"|^\p{N}{1,2}([-/])\p{N}{1,2}\3\p{N}{2}$|^\p{N}{1,2}[:h]\p{N}{2}|^\p{N}{4}-\p{N}{2}$"
)


def kind_of(tokens: Tokens, place: int, *, in_title: bool = False) -> Kind:
    """Returns the kind of a token where it stands.

    Args:
        in_title: capitals say nothing here: a heading, or a text written in capitals.
    """
    key = tokens.keys[place]
    if key[0].isdigit() or key[0] == "-":
        return _number_kind(tokens, place)
    if key[0] == DATE:
        return Kind.DATE
    if key[0] == UNIT:
        return Kind.UNIT
    if not key[0].isalpha():
        return Kind.MONEY if _CURRENCY.match(key) else Kind.PERCENT if key == "%" else Kind.SIGN
    if "/" in key or "@" in key:
        return Kind.LINK
    around = _written_word(tokens, place)
    if _ADDRESS.search(around):
        return Kind.LINK
    if _IDENTIFIER.search(around.strip(".:!?*_`-")):
        return Kind.IDENTIFIER
    return _word_kind(tokens, place, in_title=in_title)


def _number_kind(tokens: Tokens, place: int) -> Kind:
    key = tokens.keys[place]
    around = _written_word(tokens, place).strip(".:!?*_`")
    if _ADDRESS.search(around):
        return Kind.LINK
    before, after = _neighbour(tokens, place, -1), _neighbour(tokens, place, +1)
    if _CURRENCY.match(before) or _CURRENCY.match(after) or after in tokens.notation.currencies:
        return Kind.MONEY
    if after == "%":
        return Kind.PERCENT
    if _DATE.search(around) or _is_date_word(tokens, before) or _is_date_word(tokens, after):
        return Kind.DATE
    if _VERSION.match(around) and ("." in around or around[:1] in "vV"):
        return Kind.VERSION
    if _YEAR.fullmatch(key):
        return Kind.DATE
    if _IDENTIFIER.search(around):
        return Kind.IDENTIFIER
    return Kind.NUMBER


def _word_kind(tokens: Tokens, place: int, *, in_title: bool) -> Kind:
    key, written = tokens.keys[place], tokens.written(place)
    is_capital = written[:1].isupper() and place > 0 and not in_title
    by_number = any(_is_number(_neighbour(tokens, place, step)) for step in (-1, 1))
    if kind := _closed_class(tokens, key, by_number=by_number, is_capital=is_capital):
        return kind
    is_acronym = written.isupper() and len(written) > 1 and not in_title
    if key in FUNCTION_WORDS and not is_acronym:
        return Kind.FUNCTION
    return Kind.ENTITY if is_capital or is_acronym else Kind.CONTENT


def _closed_class(tokens: Tokens, key: str, *, by_number: bool, is_capital: bool) -> Kind | None:
    """The first class that holds a word; short words that mean two things need a sign of it."""
    is_telling = len(key) >= TELLING_LETTERS_MIN or _WIDE.match(key) is not None
    if key in NEGATIONS:
        return Kind.NEGATION
    is_unit = key in UNITS or key in tokens.notation.units
    if (key in NUMBER_WORDS and key != "one") or (key in ORDINALS and not is_unit):
        return Kind.NUMBER
    if _is_date_word(tokens, key) and (is_capital or by_number or (is_telling and not is_unit)):
        return Kind.DATE
    if key in MODALITIES:
        return Kind.MODALITY
    if key in QUANTIFIERS:
        return Kind.QUANTIFIER
    if key in tokens.notation.currencies and is_telling:
        return Kind.MONEY
    if is_unit and (by_number or is_telling):
        return Kind.UNIT
    return Kind.COMPARATOR if key in COMPARATORS else None


def _is_date_word(tokens: Tokens, key: str) -> bool:
    notation = tokens.notation
    return key in DATE_WORDS or key in notation.months or key in notation.weekdays


def _is_number(key: str) -> bool:
    return key[:1].isdigit() or key in NUMBER_WORDS


def _neighbour(tokens: Tokens, place: int, step: int) -> str:
    at = place + step
    return tokens.keys[at] if 0 <= at < len(tokens.keys) else ""


def _written_word(tokens: Tokens, place: int) -> str:
    """Returns what stands around a token without white space, brackets and quotes."""
    start, end = tokens.spans[place]
    before = tokens.original[max(start - CONTEXT_CHARACTERS, 0) : start]
    after = tokens.original[end : end + CONTEXT_CHARACTERS]
    head, tail = _WORD_BEFORE.search(before), _WORD_AFTER.match(after)
    return (
        (head.group() if head else "") + tokens.original[start:end] + (tail.group() if tail else "")
    )
