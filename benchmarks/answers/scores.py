"""Scores of answers against gold strings and labels."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import sha256

from scops.api.v1alpha1 import search_service_pb2 as pb

WORD = re.compile(r"\w+")


def normalised(text: str) -> str:
    """Returns the words of a text, case folded: spaces and punctuation are type."""
    return " ".join(WORD.findall(text.casefold()))


def holds_any(text: str, strings: Iterable[str]) -> bool:
    """Returns whether a text holds one of some strings as whole words."""
    padded = f" {normalised(text)} "
    return any(f" {normalised(string)} " in padded for string in strings)


def is_exact(quotes: Sequence[str], strings: Iterable[str]) -> bool:
    """Returns whether some quote is one of the strings."""
    wanted = {normalised(string) for string in strings}
    return any(normalised(quote) in wanted for quote in quotes)


def fuzzy(text: str, strings: Iterable[str]) -> float:
    """Returns the best likeness of a string to any run of as many words, in [0, 1]."""
    words = normalised(text).split()
    best = 0.0
    for string in strings:
        wanted = normalised(string)
        count = len(wanted.split())
        for start in range(max(len(words) - count + 1, 1)):
            run = " ".join(words[start : start + count])
            best = max(best, SequenceMatcher(None, wanted, run, autojunk=False).ratio())
    return best


def word_count(quotes: Iterable[str]) -> int:
    """Returns how many words some quotes hold together."""
    return sum(len(quote.split()) for quote in quotes)


@dataclass(frozen=True, slots=True)
class Abstention:
    """A question, whether it has an answer in its scope, and whether it got one."""

    kind: str
    answerable: bool
    answered: bool


def abstention_f1(outcomes: Sequence[Abstention]) -> float | None:
    """Returns F1 of "not answered" as the verdict on questions without an answer."""
    abstained = [outcome for outcome in outcomes if not outcome.answered]
    unanswerable = [outcome for outcome in outcomes if not outcome.answerable]
    if not unanswerable:
        return None
    right = sum(not outcome.answerable for outcome in abstained)
    return 2 * right / (len(abstained) + len(unanswerable))


def is_faithful(citation: pb.Citation, answer: pb.AnswerResponse) -> bool:
    """Returns whether a citation is what it says, by the answer's own passages.

    The hash is right, a statement is or cites the quote, and the part of the quote that lies in
    a returned passage of the same version is the passage's text there.
    """
    if sha256(citation.quote.encode()).hexdigest() != citation.quote_digest:
        return False
    if citation.end - citation.start != len(citation.quote):
        return False
    slices = [
        _slices(citation, passage)
        for passage in answer.passages
        if passage.version == citation.version
    ]
    overlapping = [pair for pair in slices if pair is not None]
    return bool(overlapping) and all(left == right for left, right in overlapping)


def _slices(citation: pb.Citation, passage: pb.Passage) -> tuple[str, str] | None:
    start, end = max(citation.start, passage.start), min(citation.end, passage.end)
    if start >= end:
        return None
    return (
        citation.quote[start - citation.start : end - citation.start],
        passage.text[start - passage.start : end - passage.start],
    )
