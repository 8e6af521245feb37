"""Whether cited spans support a claim, decided by words alone, without weights.

Every number and name of the claim must stand in the spans, with the unit beside it; the sentence
that it is nearest to must agree in negation and modality; and the spans must hold most of its other
words. Lists of words know the languages of `closed_words`; where a script has no capitals to tell a
name by, every word must stand in the spans. In doubt a claim is not supported.

Names may also stand in the title and the section that a span is cited with, since "He left in
1990." is about whom the page is about.
"""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

import regex

from scops.common.text.sentences import sentence_spans
from scops.common.text.terms import STOP_WORDS, content_terms, stem, words
from scops.explainer.model.closed_words import (
    NEGATIONS,
    NEGATIVE_ENDINGS,
    OBLIGATIONS,
    OPTIONS,
    SPELT,
)

RECALL_MIN = 0.6
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_NAME = regex.compile(
    r"\b[\p{Lu}\p{Lt}][\w’'-]*|\b\w*\p{Ll}\p{Lu}\w*|\b\w*_\w+|[\p{Lo}\p{Lm}][\p{L}\p{M}]*"
)
_UNIT_SIGN = regex.compile(r"[\p{Sc}%‰°]")
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}\b)")
_IDEOGRAPHIC = re.compile(
    r"[〇零一二两兩三四五六七八九十百千万萬]{2,}|[二两兩三四五六七八九十百千万萬]"
)
_DIGITS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
    "兩": 2,
}
_POWERS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = frozenset("万萬")


def is_grounded(claim: str, spans: Sequence[str], *, about: str) -> bool:
    """Returns whether cited spans support a claim.

    Args:
        about: title and headings of the spans; they may name whom the claim is about.
    """
    if not spans:
        return False
    claim, cited, about = map(_in_digits, (claim, "\n".join(spans), about))
    if not numbers(claim) <= numbers(cited) or not _measures_agree(claim, cited):
        return False
    if not _names(claim) <= content_terms(f"{cited}\n{about}"):
        return False
    nearest = _nearest_sentence(claim, cited)
    return _agrees(claim, nearest) and _recall(claim, f"{cited}\n{about}") >= RECALL_MIN


def numbers(text: str) -> frozenset[str]:
    """Returns the numbers of a text, those that are spelt out too; 60,000 is 60000."""
    plain = _GROUPED.sub("", _in_digits(text))
    spelt = {value for word in words(plain) for value in _spelt(word)}
    return frozenset({*_NUMBER.findall(plain), *spelt})


def _in_digits(text: str) -> str:
    """Returns a text whose numbers in ideographs, or in digits of other scripts, are in ASCII."""
    digits = "".join(str(int(sign)) if sign.isdecimal() else sign for sign in text)
    return _IDEOGRAPHIC.sub(lambda match: _value(match.group()), digits)


def _spelt(word: str) -> Iterator[str]:
    """Yields the value of a number that is spelt out; "twenty-one" is 21."""
    parts = word.split("-")
    if all(part in SPELT for part in parts):
        yield str(sum(int(SPELT[part]) for part in parts))


def _value(signs: str) -> str:
    """Returns what ideographs say: 二十三 is 23, 二〇二四 is 2024."""
    if not any(sign in _POWERS or sign in _MYRIADS for sign in signs):
        return "".join(str(_DIGITS[sign]) for sign in signs).lstrip("0") or "0"
    total = section = digit = 0
    for sign in signs:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign in _POWERS:
            section += (digit or 1) * _POWERS[sign]
            digit = 0
        else:
            total += (section + digit or 1) * 10_000
            section = digit = 0
    return str(total + section + digit)


def _measures_agree(claim: str, cited: str) -> bool:
    """Returns whether what is counted is counted likewise: 20 euros are no 20 dollars.

    What the claim counts must stand in the cited text; what is counted there must not be counted by
    a word of the claim's own, whatever number that may be in its language.
    """
    said, held = words(claim), words(cited)
    known = {*held, *map(stem, held)}
    units = {second for first, second in pairwise(held) if _is_number(first)}
    for first, second in pairwise(said):
        if _is_number(second) or second in STOP_WORDS:
            continue
        if _is_number(first) and second not in known and stem(second) not in known:
            return False
        if second in units and not (_is_number(first) or first in known or first in STOP_WORDS):
            return False
    return set(_UNIT_SIGN.findall(claim)) <= set(_UNIT_SIGN.findall(cited))


def _is_number(word: str) -> bool:
    return word[0].isdigit() or any(_spelt(word))


def _names(claim: str) -> frozenset[str]:
    """Returns the stems of capitalised words and identifiers; the first word is in doubt.

    In scripts without capitals every word may be a name.
    """
    named: set[str] = set()
    for match in _NAME.finditer(claim):
        found = match.group()
        if match.start() or not found[1:].islower():
            named |= content_terms(found)
    return frozenset(term for term in named if not term.isdigit())


def _nearest_sentence(claim: str, cited: str) -> str:
    terms = content_terms(claim)
    sentences = [cited[start:end] for start, end in sentence_spans(cited)]
    return max(sentences, key=lambda sentence: len(terms & content_terms(sentence)), default="")


def _agrees(claim: str, sentence: str) -> bool:
    """Returns whether two sentences agree in negation, and no option became an obligation."""
    said, cited = set(_plain_words(claim)), set(_plain_words(sentence))
    if any(bool(said & some) != bool(cited & some) for some in NEGATIONS):
        return False
    if _negative_endings(claim) != _negative_endings(sentence):
        return False
    return not _turned(said, cited, OBLIGATIONS) and not _turned(said, cited, OPTIONS)


def _negative_endings(text: str) -> bool:
    return any(ending in text for ending in NEGATIVE_ENDINGS)


def _turned(said: Set[str], cited: Set[str], modality: Set[str]) -> bool:
    return bool(said & modality) and not cited & modality


def _plain_words(text: str) -> list[str]:
    return words(text.replace("’", "'"))


def _recall(claim: str, cited: str) -> float:
    terms = content_terms(claim)
    if not terms:
        return 0.0
    held = content_terms(cited) | {stem(word) for word in words(cited)}
    return len(terms & held) / len(terms)
