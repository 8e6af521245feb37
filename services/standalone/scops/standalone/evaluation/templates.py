"""Questions about a sentence, by templates; none repeats the sentence, and none says its answer.

quantity      how many of a unit, by rare words of the sentence; English
year          in which year, by rare words; English
definition    what something is that the sentence defines; English
keywords      rare words, as people type them into a search box; any language, no short answer
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from scops.common.text.terms import STOP_WORDS, content_terms, stem, words

KEYWORDS_MIN, KEYWORDS_MAX = 3, 4
SUBJECT_WORDS_MAX, ANSWER_WORDS_MAX = 5, 16
# What is counted is in the plural; a year counts nothing, nor does what numbers a part of a text.
_QUANTITY = regex.compile(
    r"(?<![\w.,-])(?<!\b(?:[Aa]rticle|[Cc]hapter|[Ff]igure|[Ii]tem|[Pp]age|[Pp]art) )"
    r"(?<!\b(?:[Ss]ection|[Tt]able|[Vv]ersion) )"
    r"(?!(?:1\d|20)\d\d )(\d{1,9}(?:[.,]\d{1,9})?) (\p{Ll}{2,20}s)\b"
)
_YEAR = regex.compile(r"\b(?:in|since|until|by|of) ((?:1\d|20)\d\d)\b(?![.,]\d)")
_DEFINITION = regex.compile(
    r"^((?:The |An? )?[\w'’ -]{3,60}?) (is|are) ((?:an?|the) [^,;:()]{12,160})"
)
_LETTERS = regex.compile(r"\p{L}{3,40}")


@dataclass(frozen=True, slots=True)
class TemplateQuestion:
    """A question that a sentence answers.

    Attributes:
        answers: the first is the shortest; empty where no short one is known.
        asked: stems of the words by which it asks.
    """

    form: str
    text: str
    answers: tuple[str, ...]
    asked: frozenset[str]


Rarity = Callable[[str], int]
Template = Callable[[str, frozenset[str], Rarity], Iterator[TemplateQuestion]]


def quantity(sentence: str, known: frozenset[str], rarity: Rarity) -> Iterator[TemplateQuestion]:
    """Asks how many, where a sentence counts one thing."""
    found = list(_QUANTITY.finditer(sentence))
    if len(found) == 1 and found[0][2] not in STOP_WORDS:
        number, unit = found[0].groups()
        said = _keywords(sentence, known | content_terms(f"{number} {unit}"), rarity)
        if said:
            text = f"How many {unit} does it say for {_listed(said)}?"
            yield _made("quantity", text, (number, f"{number} {unit}"), (*said, unit))


def year(sentence: str, known: frozenset[str], rarity: Rarity) -> Iterator[TemplateQuestion]:
    """Asks for the year, where a sentence names one."""
    found = _YEAR.findall(sentence)
    if len(found) == 1:
        said = _keywords(sentence, known | content_terms(found[0]), rarity)
        if said:
            yield _made("year", f"Which year is it for {_listed(said)}?", (found[0],), said)


def definition(sentence: str, known: frozenset[str], rarity: Rarity) -> Iterator[TemplateQuestion]:
    """Asks what something is, where a sentence begins by saying so."""
    found = _DEFINITION.match(sentence)
    if found is None:
        return
    subject, verb, said = found.groups()
    first = subject.split()[0]
    plain = subject[0].lower() + subject[1:] if first in ("The", "A", "An") else subject
    answer = said.strip().rstrip(".")
    asked = [word for word in words(subject) if word not in STOP_WORDS]
    short = len(subject.split()) <= SUBJECT_WORDS_MAX and len(answer.split()) <= ANSWER_WORDS_MAX
    if asked and short:
        yield _made("definition", f"What {verb} {plain}?", (answer,), asked)


def keywords(sentence: str, known: frozenset[str], rarity: Rarity) -> Iterator[TemplateQuestion]:
    """Asks by rare words alone."""
    said = _keywords(sentence, known, rarity)
    if said:
        yield _made("keywords", " ".join(said), (), said)


ENGLISH: Mapping[str, Template] = {"quantity": quantity, "year": year, "definition": definition}
ANY_LANGUAGE: Mapping[str, Template] = {"keywords": keywords}


def _keywords(sentence: str, known: frozenset[str], rarity: Rarity) -> tuple[str, ...]:
    """Returns the rarest words of a sentence, in its order; none where there are too few.

    Args:
        known: stems that may not be among them: of the title, and of the answer.
    """
    said = dict.fromkeys(
        word
        for word in _LETTERS.findall(sentence)
        if word.casefold() not in STOP_WORDS and stem(word.casefold()) not in known
    )
    chosen = sorted(said, key=lambda word: (rarity(stem(word.casefold())), -len(word), word))
    chosen = chosen[:KEYWORDS_MAX]
    return tuple(word for word in said if word in chosen) if len(chosen) >= KEYWORDS_MIN else ()


def _listed(said: Sequence[str]) -> str:
    return f"{', '.join(said[:-1])} and {said[-1]}"


def _made(form: str, text: str, answers: tuple[str, ...], asked: Sequence[str]) -> TemplateQuestion:
    stems = frozenset(stem(word.casefold()) for word in asked)
    return TemplateQuestion(form, text, answers, stems)
