"""What links promise: by their own words, those around them, and their URLs."""

import pytest

from scops.common.contract.messages.explanation import LinkSeen
from scops.explainer.links.gain import gain_of, said_by, wanted_of

QUESTION = "How long are invoices kept?"


def link(path: str, anchor: str = "", **values: object) -> LinkSeen:
    return LinkSeen(url=f"https://a.test/{path}", anchor_text=anchor, **values)  # type: ignore[arg-type]


def test_a_link_that_names_what_is_asked_gains_more() -> None:
    """By its anchor, by its context, and by its path."""
    wanted = wanted_of(QUESTION, ())
    plain = gain_of(link("a", "click here"), wanted, meaning=0.3)

    for naming in (
        link("a", "Keeping of invoices"),
        link("a", "click here", context="for how invoices are kept click here"),
        link("invoices-kept.html", "click here"),
    ):
        assert gain_of(naming, wanted, meaning=0.3).gain > plain.gain


def test_missing_words_weigh_more() -> None:
    """What is known already is not looked for as much."""
    wanted = wanted_of(QUESTION, ("kept",))
    known, missing = (
        gain_of(link("a", anchor), wanted, meaning=0.0) for anchor in ("invoices", "kept")
    )

    assert missing.words > known.words
    assert missing.gain > known.gain


@pytest.mark.parametrize("value", ["meaning", "parent", "in_text"])
def test_each_signal_counts_by_itself(value: str) -> None:
    """More of any of them is more gain, and none leaves it in (0, 1)."""
    wanted = wanted_of(QUESTION, ())
    gains = []
    for size in (0.0, 1.0):
        seen = link("a", "b", **({value: size} if value == "parent" else {}))
        if value == "in_text":
            seen = link("a", "b", in_text=bool(size))
        meaning = size if value == "meaning" else 0.0
        gains.append(gain_of(seen, wanted, meaning=meaning).gain)

    assert 0.0 < gains[0] < gains[1] < 1.0


def test_a_question_of_stop_words_alone_is_answered_by_meaning() -> None:
    """Nothing is divided by nothing."""
    assert 0.0 == gain_of(link("a", "b"), wanted_of("how is it?", ()), meaning=0.5).words


def test_what_a_link_says_is_short_and_never_nothing() -> None:
    """A picture without words has its path."""
    assert "config logging" == said_by(link("config/logging.html"))
    assert "A – H – c A d" == said_by(link("x", "A", heading="H", context="c A d"))
    assert 300 == len(said_by(link("x", "a" * 1000)))
