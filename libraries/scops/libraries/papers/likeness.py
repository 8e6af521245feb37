"""How sure it is that two records without a common id are of one paper: titles, then authors."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from scops.libraries.papers.record import PaperAuthor, PaperRecord

# From here on two records are joined.
CONFIDENCE_MIN = 0.85
TITLE_LIKENESS_MIN = 0.95
WORD_LIKENESS_MIN = 0.75
# A title of fewer words, such as "Editorial", is that of many papers.
TITLE_WORDS_MIN = 3
# A year between preprint and journal is common, and so is another until the issue.
YEARS_APART_MAX = 2
TITLE_WEIGHT, AUTHORS_WEIGHT, YEAR_WEIGHT = 0.6, 0.3, 0.1
# Numbers of parts and years tell papers apart by few characters.
SHORT_WORD_CHARACTERS = 3
# What is about a paper has its title.
NOTICES = (
    *("retraction", "retracted", "correction", "corrigendum", "erratum", "withdrawal"),
    *("comment", "reply", "response", "review", "addendum", "expression"),
)
_WORD = re.compile(r"\w+")


def joining_confidence(one: PaperRecord, other: PaperRecord) -> float:
    """Returns how sure it is that two records are of one paper, in [0, 1].

    0 where ids contradict each other, titles differ, or no author is common; 1 for the same title,
    authors and year.
    """
    if any(other.ids.get(kind, value) != value for kind, value in one.ids.items()):
        return 0.0
    titles = title_likeness(one.title, other.title)
    authors = author_overlap(one.authors, other.authors)
    if titles < TITLE_LIKENESS_MIN or not authors:
        return 0.0
    years = (one.year, other.year)
    near = 0.5
    if years[0] is not None and years[1] is not None:
        apart = abs(years[0] - years[1])
        if apart > YEARS_APART_MAX:
            return 0.0
        near = 1.0 - apart / (2 * YEARS_APART_MAX)
    return round(TITLE_WEIGHT * titles + AUTHORS_WEIGHT * authors + YEAR_WEIGHT * near, 3)


def title_likeness(one: str, other: str) -> float:
    """Returns how alike two titles are, in [0, 1]; 0 where a number or a short word differs."""
    words, others = folded_words(one), folded_words(other)
    if min(len(words), len(others)) < TITLE_WORDS_MIN:
        return 0.0
    if words == others:
        return 1.0
    if (words[0] in NOTICES) != (others[0] in NOTICES):
        return 0.0
    left, right = set(words) - set(others), set(others) - set(words)
    if any(not _has_twin(word, right) for word in left) or any(
        not _has_twin(word, left) for word in right
    ):
        return 0.0
    return SequenceMatcher(None, " ".join(words), " ".join(others), autojunk=False).ratio()


def author_overlap(one: Sequence[PaperAuthor], other: Sequence[PaperAuthor]) -> float:
    """Returns which share of the shorter list's family names the other list has."""
    few, many = sorted((one, other), key=len)
    if not few:
        return 0.0
    families = [folded_words(family_name(author))[-1:] for author in few]
    names = {word for author in many for word in folded_words(author.name)}
    return sum(set(family) <= names and bool(family) for family in families) / len(few)


def family_name(author: PaperAuthor) -> str:
    """Returns a family name; of a name given as one its last word, or what is before a comma."""
    if author.family:
        return author.family
    before, comma, _ = author.name.partition(",")
    return before if comma else author.name.rpartition(" ")[2]


def folded_words(text: str) -> list[str]:
    """Returns the words of a text without case and accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(mark for mark in plain if not unicodedata.combining(mark))
    return _WORD.findall(kept)


def _has_twin(word: str, others: Iterable[str]) -> bool:
    if len(word) <= SHORT_WORD_CHARACTERS or any(mark.isdigit() for mark in word):
        return False
    return any(
        SequenceMatcher(None, word, other, autojunk=False).ratio() >= WORD_LIKENESS_MIN
        for other in others
    )
