"""What counts as saying the same: the rule by which mirrors are recorded."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.libraries.index.wording import BITS_MAX, WORDS_MIN, distance, wording

LONG = " ".join(f"word{'abcdefgh'[n % 8]}" for n in range(60))
SIMHASHES = st.integers(1, 2**64 - 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The fee is due in May.", "the fee is due in May"),
        ("Pay at the café, not here!", "Pay at the cafe – not here."),
        ("A list:\n• one\n• two", "A list: one, two"),
    ],
)
def test_other_commas_and_letters_say_the_same(one: str, other: str) -> None:
    """Case, accents and what separates words do not count."""
    assert wording(one, 0).wording_id == wording(other, 0).wording_id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Growth was 5 per year", "Growth was -5 per year"),
        ("Rises if a < b", "Rises if a > b"),
        ("Costs 5 $", "Costs 5 €"),
        ("🦉", "🐁"),
        ("...", "!!!"),
    ],
)
def test_signs_that_mean_something_are_words(one: str, other: str) -> None:
    """Two texts that differ by one of them are no mirrors."""
    assert wording(one, 0).wording_id != wording(other, 0).wording_id


@given(SIMHASHES, st.sets(st.integers(0, 63), max_size=BITS_MAX))
def test_near_simhashes_share_a_band(simhash: int, turned: set[int]) -> None:
    """Four bands and three bits: one band is untouched, whichever bits were turned."""
    other = simhash
    for bit in turned:
        other ^= 1 << bit
    one, near = wording(LONG, simhash), wording(LONG + " indeed", other or 1)

    assert other == 0 or set(one.bands) & set(near.bands)


def test_another_number_or_negation_shares_no_band() -> None:
    """However near the SimHashes are."""
    one = wording(f"{LONG} 10", 77)

    assert not set(one.bands) & set(wording(f"{LONG} 12", 77).bands)
    assert not set(one.bands) & set(wording(f"not {LONG} 10", 77).bands)


def test_short_texts_and_texts_without_a_simhash_have_no_bands() -> None:
    """Only equal words make them mirrors."""
    short = " ".join(LONG.split()[: WORDS_MIN - 1])

    assert () == wording(short, 77).bands
    assert () == wording(LONG, 0).bands


def test_the_distance_of_signed_and_unsigned_simhashes_is_the_same() -> None:
    """A database holds 64 bits with a sign."""
    chance = random.Random(5)
    for _ in range(50):
        one, other = chance.getrandbits(64), chance.getrandbits(64)
        signed = one - 2**64 if one >= 2**63 else one

        assert distance(one, other) == distance(signed, other)
