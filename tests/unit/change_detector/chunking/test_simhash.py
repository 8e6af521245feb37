"""SimHash, bit for bit that of the PyPI package."""

from hypothesis import given
from hypothesis import strategies as st
from simhash import Simhash

from scops.change_detector.chunking.simhash import (
    ShingleUnit,
    fingerprint,
    shingles,
    simhash,
    similarity,
)

UNITS = st.sampled_from(["word", "character"])


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=400))
def test_simhash_equals_the_package(features: list[str]) -> None:
    """Any features, repeated ones too."""
    assert simhash(features) == Simhash(features).value


@given(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=300))
def test_heavy_features_equal_the_package(features: list[str]) -> None:
    """Above a weight of 50 the package sums on another path."""
    weights = {feature: features.count(feature) for feature in features}

    assert simhash(features) == Simhash(weights).value


@given(st.text(alphabet="abcé日 .,1", max_size=300), UNITS)
def test_fingerprints_equal_the_package(text: str, unit: ShingleUnit) -> None:
    """Whole texts through our shingles; a text without a word has no fingerprint there."""
    features = shingles(text, unit)

    assert fingerprint(text, unit) == (Simhash(features).value if features else 0)


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
