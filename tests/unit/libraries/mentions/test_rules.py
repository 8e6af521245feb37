"""Mentions by rules: names, identifiers, acronyms with what they stand for, noun phrases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.libraries.mentions.keys import (
    KEY_CHARACTERS_MAX,
    MENTIONS_MAX,
    key_of,
    keys_of,
    named_in,
)
from scops.libraries.mentions.rules import expansions, names, noun_phrases, read_by_rules


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Set max_connections in postgresql.conf.", {"max_connections", "postgresql conf"}),
        ("Call readFile or XmlParser.", {"readfile", "xmlparser"}),
        ("It returned E4021 and HTTP.", {"e4021", "http"}),
        ("Since version 16.2 it waits.", {"16 2"}),
        ("We met Ada Lovelace’s friends of Charles Babbage.", {"ada lovelace", "charles babbage"}),
        ("Owls are birds. They live long.", set()),
        ("the capital is Oslo", {"oslo"}),
        ("then, What was it", set()),
        ("🦉 鳥は飛ぶ", set()),
    ],
)
def test_names_and_identifiers_are_mentions(text: str, expected: set[str]) -> None:
    """What begins a sentence is no name for that, nor is a word without meaning in capitals."""
    assert expected == set(keys_of(names(text)))


def test_acronym_and_what_it_stands_for_are_both_mentioned() -> None:
    """So that a passage with either meets the one that explains it; other letters mean nothing."""
    text = "A Foreign Data Wrapper (FDW) reads. Every FDW is loaded. See Some Other Thing (XY)."

    assert {"fdw": "foreign data wrapper"} == expansions(text)
    assert {"foreign data wrapper", "fdw"} <= set(read_by_rules(text).keys)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The vector index is built from the write-ahead log.",
            ["vector index", "write-ahead log"],
        ),
        (
            "It reads a write-ahead log file, then some vector caches.",
            ["write-ahead log file", "vector cache"],
        ),
        ("Its daily policies were kept.", ["daily policy"]),
        ("Owls see. The Big Owl of the City slept.", []),
        ("der die das und", []),
    ],
)
def test_noun_phrase_stands_after_what_leads_to_nouns(text: str, expected: list[str]) -> None:
    """Two or three plain words; one is too many things, and names are names already."""
    assert expected == noun_phrases(text)


def test_most_frequent_noun_phrases_are_kept() -> None:
    """Eight of a chunk, those first that it comes back to."""
    phrases = [f"number{letter * 3} thing" for letter in "abcdefghijkl"]
    # Digits would make identifiers of them.
    text = ". ".join(f"of the {phrase.replace('number', 'n')}" for phrase in phrases)
    found = noun_phrases(f"{text}. for the nlll thing")

    assert 8 == len(found)
    assert "nlll thing" == found[0]


def test_question_names_a_mention_in_any_letters() -> None:
    """Whole words count, parts of words do not, nor a part of a longer mention."""
    keys = frozenset({"ada lovelace", "ada", "love", "teacher"})

    assert {"ada lovelace", "teacher"} == named_in("who was ada lovelace's teacher", keys)


@given(st.text(max_size=400))
def test_any_text_has_bounded_keys_that_stay_as_they_are(text: str) -> None:
    """Keys are short, few, each once, none empty, and a key of a key is the key."""
    keys = read_by_rules(text).keys

    assert len(keys) == len(set(keys)) <= MENTIONS_MAX
    assert all(1 < len(key) <= KEY_CHARACTERS_MAX for key in keys)
    assert keys == tuple(key_of(key) for key in keys)
