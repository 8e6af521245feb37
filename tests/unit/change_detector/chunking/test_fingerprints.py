"""Fingerprints: shingles, and the SimHash of a text bit for bit as it is stored."""

import pytest

from scops.change_detector.chunking.fingerprints import fingerprint, shingles
from scops.change_detector.strategies.owlerlite import similarity


@pytest.mark.parametrize(
    ("text", "word", "character"),
    [
        ("", 0, 0),
        ("two words", 42526393279384301, 15274714536870162),
        ("The fee is 5 euros. Pay at the desk.", 9293228959116320778, 7978331502374830358),
        ("x " * 300, 13652659018231319897, 16827733455289955156),
        ("规約を変更する。 Été à 5 €", 5045023922232770698, 6974970116501996546),
        ("a b c d e f a b c d e f " * 40, 449988741214476352, 9581955597119010178),
    ],
)
def test_fingerprints_are_those_that_manifests_hold(text: str, word: int, character: int) -> None:
    """Bit for bit: fingerprints of stored versions are compared with those of new ones."""
    assert (word, character) == (fingerprint(text), fingerprint(text, "character"))


def test_word_shingles_are_five_words_long() -> None:
    """Lower-cased, signs left out."""
    assert shingles("One, two three FOUR five six", "word") == [
        "one two three four five",
        "two three four five six",
    ]


def test_character_shingles_are_five_letters_long() -> None:
    """Words run together."""
    assert shingles("Ab cdE f", "character") == ["abcde", "bcdef"]


def test_a_short_text_is_one_shingle() -> None:
    """Fewer than five words still have a fingerprint."""
    assert shingles("two words", "word") == ["two words"]


def test_similarity_is_one_minus_the_share_of_differing_bits() -> None:
    """OwlerLite, section 4."""
    assert [similarity(0, other) for other in (0, 1, (1 << 64) - 1)] == [1.0, 1 - 1 / 64, 0.0]
