"""What is missing for an answer."""

from scops.common.text.remarks import sentences
from scops.explainer.answer.gaps import coverage_of, gaps_of, shortfall_of
from tests.fakes.worlds.explainer import passage_of
from tests.fakes.worlds.indexed_pages import page_of

PRICES = page_of(
    "https://docs.example.org/prices", "# Plans", "The River plan costs 14 euros.", title="Prices"
)
OWLS = page_of("https://docs.example.org/owls", "Owls hunt at night.", title="Owls")
EVIDENCE = [passage_of(OWLS), passage_of(PRICES)]


def test_nearest_gap_lacks_fewest_words() -> None:
    """Whatever the rank, what names most of the question is nearest."""
    gaps = gaps_of("What does the Ocean plan cost?", EVIDENCE)

    assert [("ocean",), ("ocean", "plan", "cost")] == [gap.missing_words for gap in gaps]
    assert PRICES.url == gaps[0].canonical_url


def test_shortfall_names_what_nothing_found_names() -> None:
    """The reader learns which word to change."""
    question = "What does the Ocean plan cost?"

    assert (
        "Not answered in these scopes: nothing found names “ocean”. "
        "Nearest: Prices › Plans, which lacks “ocean”."
    ) == sentences(shortfall_of(question, EVIDENCE, gaps_of(question, EVIDENCE)))


def test_shortfall_without_a_missing_word_says_so() -> None:
    """All words stand somewhere, and still no sentence answers."""
    question = "Do owls cost euros?"
    said = sentences(shortfall_of(question, EVIDENCE, gaps_of(question, EVIDENCE)))

    assert said.startswith("Not answered in these scopes: no sentence found supports an answer.")


def test_nothing_found_has_no_nearest() -> None:
    """An empty scope has no gaps."""
    assert ((), "Not answered in these scopes: nothing found names “owls”.") == (
        gaps_of("owls", []),
        sentences(shortfall_of("owls", [], ())),
    )


def test_what_is_cited_suffices_as_far_as_it_holds_the_words() -> None:
    """And as the reader believes; a line that repeats the question tells nothing."""
    question, told = "What does the River plan cost?", "The River plan costs 14 euros."
    whole = coverage_of(question, [passage_of(PRICES)], [told], probability=0.9)
    lacking = coverage_of("What does the Ocean plan cost?", EVIDENCE, [told], probability=0.9)
    promise = coverage_of(question, [passage_of(PRICES)], ["The River plan costs"], probability=0.9)

    assert (0.9, 1.0, ()) == (whole.probability, whole.words, whole.missing_words)
    assert ("ocean",) == lacking.missing_words
    assert 0.6 < lacking.words < 0.7
    assert 0.0 == promise.probability
    assert 0.0 == coverage_of(question, [], [], probability=0.9).words
