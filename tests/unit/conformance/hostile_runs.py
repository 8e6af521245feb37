"""Long texts that make a regular expression look at the same characters again and again.

They are made from the expression itself: each repetition in it is blown up, after a text that
leads to it and before one that ends it; and each of its characters, of each class of characters
and pairs of these are repeated.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

# One of each class that expressions tell apart; most of them stand in what pages are made of.
CLASSES = ' \n\ta1A_-.,é中"(\x00'
PAIRED = 10
VARIANTS = 3
WIDE = 8
_CANDIDATES = CLASSES + "0z;:/?#=&<>[]'!9٣ªßİſK\u00a0\u3000\ufeff"
# Ends a run without matching what most expressions look for after one.
ENDS = ("\x01", "\n", "")


def hostile_units(pattern: Any) -> list[tuple[str, str]]:
    """Returns texts as (what stands once before, what is repeated)."""
    source = pattern.pattern
    text = source.decode("latin-1") if isinstance(source, bytes) else source
    own = list(dict.fromkeys(_own_characters(pattern, text)))
    singles = list(dict.fromkeys([*own, *CLASSES]))
    units = [("", single) for single in singles]
    units += [("", a + b) for a, b in product(own[:PAIRED], singles[:PAIRED]) if a != b]
    if isinstance(pattern, re.Pattern):
        for lead, pump in _blown_up(_parser.parse(source, pattern.flags), [""]):
            units += [(lead, pump), ("", lead + pump), ("", pump)]
    words = re.findall(r"[^\W\d_]{2,}", text)[:PAIRED]
    units += [(word, single) for word in words for single in " .\n-1a"]
    return list(dict.fromkeys(units))


def _own_characters(pattern: Any, text: str) -> Iterator[str]:
    if not isinstance(pattern, re.Pattern):
        yield from (character for character in text if not character.isalnum())
        return
    yield from _literals(_parser.parse(pattern.pattern, pattern.flags))


def _literals(tree: Any) -> Iterator[str]:
    for op, value in tree:
        if op in (_constants.LITERAL, _constants.NOT_LITERAL):
            yield chr(value)
        elif op is _constants.RANGE:
            yield from (chr(value[0]), chr(value[1]))
        elif op is _constants.IN:
            yield from _literals(value)
        else:
            for part in _parts(op, value):
                yield from _literals(part)


def _parts(op: Any, value: Any) -> Sequence[Any]:
    """Returns the trees inside a node."""
    match str(op):
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return [value[2]]
        case "SUBPATTERN":
            return [value[3]]
        case "ATOMIC_GROUP":
            return [value]
        case "ASSERT" | "ASSERT_NOT":
            return [value[1]]
        case "BRANCH":
            return list(value[1])
    return []


def _blown_up(tree: Any, leads: list[str]) -> Iterator[tuple[str, str]]:
    """Yields each repetition of a tree as (text that leads to it, text that it repeats)."""
    for node in tree:
        op, value = node
        if "REPEAT" in str(op) and (value[1] - value[0] >= WIDE):
            yield from product(leads[:VARIANTS], _samples(value[2]))
        for part in _parts(op, value):
            yield from _blown_up(part, leads)
        leads = [a + b for a, b in product(leads, _node_samples(node))][:VARIANTS]


def _samples(tree: Any) -> list[str]:
    """Returns some short texts that a tree matches."""
    found = [""]
    for node in tree:
        found = [a + b for a, b in product(found, _node_samples(node))][: VARIANTS * 2]
    return found


def _node_samples(node: Any) -> list[str]:
    op, value = node
    match str(op):
        case "LITERAL":
            return [chr(value)]
        case "NOT_LITERAL" | "ANY" | "IN" | "CATEGORY" | "RANGE":
            return [c for c in _candidates(op, value) if _is_in(node, c)][:VARIANTS] or ["a"]
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            once = _samples(value[2])
            return [sample * max(value[0], 1) for sample in once] + [""] * (value[0] == 0)
        case "SUBPATTERN" | "ATOMIC_GROUP":
            return _samples(_parts(op, value)[0])
        case "BRANCH":
            return [sample for part in value[1] for sample in _samples(part)[:1]][: VARIANTS * 2]
    return [""]


def _candidates(op: Any, value: Any) -> list[str]:
    return [*_CANDIDATES, *(_literals(value) if op is _constants.IN else ())]


def _is_in(node: Any, character: str) -> bool:
    op, value = node
    match str(op):
        case "LITERAL":
            return bool(ord(character) == value)
        case "NOT_LITERAL":
            return bool(ord(character) != value)
        case "RANGE":
            return bool(value[0] <= ord(character) <= value[1])
        case "CATEGORY":
            return _is_of_category(str(value), character)
        case "IN":
            negated = str(value[0][0]) == "NEGATE"
            return negated != any(_is_in(part, character) for part in value[negated:])
    return character != "\n"


def _is_of_category(category: str, character: str) -> bool:
    letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[category.rsplit("_", 1)[1]]
    shown = letter.upper() if "_NOT_" in category else letter
    return re.fullmatch(rf"\{shown}", character) is not None
