"""Scores of answers."""

from hashlib import sha256

import pytest

from benchmarks.answers.scores import (
    Abstention,
    abstention_f1,
    fuzzy,
    holds_any,
    is_exact,
    is_faithful,
)
from scops.api.v1alpha1 import search_service_pb2 as pb

TEXT = "Owls hunt at night. Mice hide."


def _citation(**changed: object) -> pb.Citation:
    fields = {"version": "v", "start": 5, "end": 9, "quote": "hunt"} | changed
    digest = sha256(str(fields["quote"]).encode()).hexdigest()
    return pb.Citation(**{"quote_digest": digest} | fields)


def test_gold_string_is_held_as_whole_words() -> None:
    """Spaces and punctuation are type; a part of a word is no word."""
    assert holds_any("He joined the U.S . Air Force .", ["U.S. Air Force"])
    assert not holds_any("They are starring.", ["star"])


def test_exact_is_the_whole_quote() -> None:
    """A quote around the answer is no exact match."""
    assert is_exact(["Owls hunt.", "George Peter"], ["george peter"])
    assert not is_exact(["It was George Peter."], ["George Peter"])


def test_fuzzy_finds_the_likest_run() -> None:
    """One letter off in a name is close; a stranger is not."""
    assert 1.0 == fuzzy("It was George Peter of Kent.", ["George Peter"])
    assert fuzzy("It was George Petar of Kent.", ["George Peter"]) > 0.8
    assert fuzzy("Owls hunt.", ["George Peter"]) < 0.5


def test_abstention_counts_both_errors() -> None:
    """Answered strangers and refused questions cost alike."""
    outcomes = [
        Abstention("a", True, True),
        Abstention("a", True, False),
        Abstention("u", False, False),
        Abstention("u", False, True),
    ]

    assert 0.5 == abstention_f1(outcomes)
    assert abstention_f1(outcomes[:2]) is None


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, True),
        ({"quote": "hide"}, False),
        ({"quote_digest": "0"}, False),
        ({"end": 10}, False),
        ({"version": "w"}, False),
    ],
)
def test_citation_is_faithful(changed: dict[str, object], expected: bool) -> None:
    """Hash, length, version and the passage's text must all agree."""
    passage = pb.Passage(version="v", start=0, end=len(TEXT), text=TEXT)
    answer = pb.AnswerResponse(passages=[passage])

    assert expected == is_faithful(_citation(**changed), answer)
