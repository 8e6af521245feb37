"""What links promise of a page: by what they say of it, by its URL, and by the site's search."""

import pytest

from scops.common.contract.messages.explanation import LinkGain, LinkSeen
from scops.explainer.links.gain import Meaning, gains_of, said_by, terms_of, wanted_of

QUESTION = "How long are invoices kept?"
OTHERS = tuple(
    LinkSeen(url=f"https://a.test/{number}", anchor_text=f"Page {number} of invoices")
    for number in range(20)
)


def link(path: str, anchor: str = "", **values: object) -> LinkSeen:
    return LinkSeen(url=f"https://a.test/{path}", anchor_text=anchor, **values)  # type: ignore[arg-type]


def gains(
    *links: LinkSeen, missing: tuple[str, ...] = (), meant: dict[int, Meaning] | None = None
) -> list[LinkGain]:
    """Returns what speaks for some links among twenty others."""
    every = (*links, *OTHERS)
    terms = [terms_of(one) for one in every]
    wanted = wanted_of(QUESTION, missing, terms)
    return list(gains_of(every, terms, wanted, meant or {}))[: len(links)]


@pytest.mark.parametrize(
    "naming",
    [
        link("a", "What is kept"),
        link("a", "click here", context="for what is kept click here"),
        link("a", "click here", further_texts=("kept",)),
        link("kept.html", "click here"),
    ],
)
def test_a_link_that_names_what_is_asked_gains_more(naming: LinkSeen) -> None:
    """By its text, the words around it, other links to its page, and its path."""
    named, plain = gains(naming, link("a", "click here"))

    assert named.gain > plain.gain


def test_a_word_that_every_link_says_tells_little() -> None:
    """It leads to any of the pages."""
    often, rare = gains(link("a", "invoices"), link("b", "kept"))

    assert rare.words > 2 * often.words
    assert rare.gain > often.gain


def test_missing_words_weigh_more() -> None:
    """What is known already is not looked for as much."""
    (before,) = gains(link("a", "kept"))
    (after,) = gains(link("a", "kept"), missing=("kept",))

    assert after.words > before.words
    assert after.gain > before.gain


def test_meaning_and_the_search_of_the_site_count_by_themselves() -> None:
    """More of either is more gain, and none leaves it in (0, 1)."""
    plain, meant, searched = gains(
        link("a", "b"), link("c", "d"), link("e", "f", searched=0.5), meant={1: Meaning(0.8, 0.0)}
    )

    assert 0.0 < plain.gain < meant.gain < searched.gain < 1.0


def test_what_names_an_overview_is_followed_early() -> None:
    """Where its text is nearly that name; what is merely about indexes is not."""
    plain, about, named = gains(
        link("a", "b"),
        link("c", "d"),
        link("e", "f"),
        meant={1: Meaning(0.0, 0.85), 2: Meaning(0.0, 1.0)},
    )

    assert plain.gain == about.gain
    assert named.gain > 2 * plain.gain


def test_a_question_of_stop_words_alone_is_answered_by_meaning() -> None:
    """Nothing is divided by nothing."""
    terms = [terms_of(link("a", "b"))]
    wanted = wanted_of("how is it?", (), terms)

    assert 0.0 == gains_of([link("a", "b")], terms, wanted, {0: Meaning(0.5, 0.0)})[0].words


def test_what_links_say_is_short_and_never_nothing() -> None:
    """A picture without words has those around it, or its path."""
    assert "config logging" == said_by(link("config/logging.html"))
    assert "c d" == said_by(link("x", context="c d"))
    assert "A – B" == said_by(link("x", "A", further_texts=("B", "A")))
    assert 200 == len(said_by(link("x", "a" * 1000)))
