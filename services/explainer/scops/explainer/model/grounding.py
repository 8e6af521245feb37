"""Whether cited spans support a claim, decided by words alone, without weights.

Every number and name of the claim must stand in the spans, the sentence that it is nearest to
must agree in negation and modality, and the spans must hold most of its other words.

Names may also stand in the title and the section that a span is cited with, since "He left in
1990." is about whom the page is about.
"""

import re
from collections.abc import Sequence, Set

from scops.common.text.sentences import sentence_spans
from scops.common.text.terms import content_terms, stem, words

RECALL_MIN = 0.6
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_NAME = re.compile(r"\b[A-Z][\w’'-]*|\b\w*[a-z][A-Z]\w*|\b\w*_\w+")
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}\b)")
SPELT_OUT = "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
SPELT = {word: str(number) for number, word in enumerate(SPELT_OUT)}
NEGATIONS = frozenset(
    """
    no not never none nobody nothing neither nor without cannot can't don't doesn't didn't isn't
    aren't wasn't weren't won't shouldn't mustn't except unless nicht kein keine ohne nie sans pas
    """.split()  # noqa: SIM905 (a list of words reads best as words)
)
OBLIGATIONS = frozenset({"must", "shall", "required", "mandatory", "prohibited", "forbidden"})
OPTIONS = frozenset({"may", "might", "optional", "optionally", "could"})


def is_grounded(claim: str, spans: Sequence[str], *, about: str) -> bool:
    """Returns whether cited spans support a claim.

    Args:
        about: title and headings of the spans; they may name whom the claim is about.
    """
    if not spans:
        return False
    cited = "\n".join(spans)
    if not numbers(claim) <= numbers(cited):
        return False
    if not _names(claim) <= content_terms(f"{cited}\n{about}"):
        return False
    nearest = _nearest_sentence(claim, cited)
    return _agrees(claim, nearest) and _recall(claim, f"{cited}\n{about}") >= RECALL_MIN


def numbers(text: str) -> frozenset[str]:
    """Returns the numbers of a text, small ones that are spelt out too; 60,000 is 60000."""
    found = {match.group() for match in _NUMBER.finditer(_GROUPED.sub("", text))}
    return frozenset(found | {SPELT[word] for word in words(text) if word in SPELT})


def _names(claim: str) -> frozenset[str]:
    """Returns the stems of capitalised words and identifiers; the first word is in doubt."""
    named: set[str] = set()
    for match in _NAME.finditer(claim):
        if match.start() or not match.group()[1:].islower():
            named |= content_terms(match.group())
    return frozenset(term for term in named if not term.isdigit())


def _nearest_sentence(claim: str, cited: str) -> str:
    terms = content_terms(claim)
    sentences = [cited[start:end] for start, end in sentence_spans(cited)]
    return max(sentences, key=lambda sentence: len(terms & content_terms(sentence)), default="")


def _agrees(claim: str, sentence: str) -> bool:
    """Returns whether two sentences agree in negation, and no option became an obligation."""
    said, cited = set(_plain_words(claim)), set(_plain_words(sentence))
    if bool(said & NEGATIONS) != bool(cited & NEGATIONS):
        return False
    return not _turned(said, cited, OBLIGATIONS) and not _turned(said, cited, OPTIONS)


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
