"""Whether cited spans support a claim."""

import pytest

from scops.explainer.model.grounding import is_grounded

SPAN = "The yearly fee is 24 euros and must be paid to the Tarn office by 31 January 2026."


@pytest.mark.parametrize(
    "claim",
    [
        "The yearly fee is 24 euros.",
        "The fee must be paid by 31 January 2026.",
        "The yearly fee must be paid to the Tarn office.",
    ],
)
def test_claim_that_the_span_says_is_grounded(claim: str) -> None:
    """Fewer words of the same are the same."""
    assert is_grounded(claim, [SPAN], about="")


@pytest.mark.parametrize(
    "claim",
    [
        "The yearly fee is 25 euros.",
        "The fee must be paid by 31 January 2027.",
        "The yearly fee is not 24 euros.",
        "The yearly fee may be paid to the Tarn office.",
        "The yearly fee must be paid to the Ullerby office.",
        "The fee of 24 euros buys a chair, a table, a lamp, a kettle and a carpet.",
        "Die Gebühr beträgt 24 Euro jährlich.",
        "",
    ],
)
def test_claim_beyond_the_span_is_not_grounded(claim: str) -> None:
    """A number, date, name, negation, option or most words of its own are an invention."""
    assert not is_grounded(claim, [SPAN], about="")


def test_name_may_stand_in_the_title() -> None:
    """A span under a title is about whom the page is about."""
    claim = "William Enyart left the army in 1990."

    assert is_grounded(claim, ["He left the army in 1990."], about="William Enyart > Career")
    assert not is_grounded(claim, ["He left the army in 1990."], about="Somebody")


def test_negation_must_stand_in_the_nearest_sentence() -> None:
    """A "not" elsewhere in the span neither helps nor harms."""
    spans = ["Ladders are allowed. Ropes are not allowed."]

    assert is_grounded("Ladders are allowed.", spans, about="")
    assert is_grounded("Ropes are not allowed.", spans, about="")
    assert not is_grounded("Ropes are allowed.", spans, about="")


def test_spelt_and_grouped_numbers_are_numbers() -> None:
    """Three is 3, and 60,000 is 60000."""
    assert is_grounded("The plan has 3 keys.", ["The plan has three keys."], about="")
    assert is_grounded("It allows 60000 calls.", ["It allows 60,000 calls."], about="")
    assert not is_grounded("It allows 60 calls.", ["It allows 60,000 calls."], about="")


def test_nothing_cited_grounds_nothing() -> None:
    """A claim without a span is no answer."""
    assert not is_grounded("The fee is 24 euros.", [], about="The fee is 24 euros.")
