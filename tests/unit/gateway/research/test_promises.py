"""What links say is a promise of an answer."""

import pytest

from scops.gateway.research.promises import is_promise

LINKS = (
    "The Heron tariff of the ferry costs what this page says, part 7",
    "Timetables and tariffs",
    "click here",
)


@pytest.mark.parametrize(
    "quote",
    [
        LINKS[0],
        f"{LINKS[0]}.",
        "the heron tariff of the ferry costs",
        f"{LINKS[1]} {LINKS[0]}",
        f"See {LINKS[0]}",
    ],
)
def test_the_text_of_links_is_a_promise(quote: str) -> None:
    assert is_promise(quote, LINKS)


@pytest.mark.parametrize(
    "quote",
    [
        "The Heron tariff of the ferry costs 14 euros a month.",
        f"{LINKS[0]}: 14 euros a month for adults.",
        "Whoever wants to know clicks here.",
        "",
    ],
)
def test_what_says_more_is_none(quote: str) -> None:
    assert not is_promise(quote, LINKS)


def test_a_page_without_links_promises_nothing() -> None:
    assert not is_promise(LINKS[0], ())
    assert not is_promise(LINKS[0], ("", " – "))
