"""Which pages a run fetches first where many are of one kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.gateway.research.variety import chosen_of, kind_of

MONTHS = [f"https://pier.example/calendar/2026/{month}?view=week" for month in range(1, 9)]
TARIFFS = "https://pier.example/tariffs"


@pytest.mark.parametrize(
    ("url", "other", "alike"),
    [
        (MONTHS[0], MONTHS[5], True),
        (MONTHS[0], "https://pier.example/calendar/2027/1?view=day", True),
        (MONTHS[0], "https://pier.example/calendar/2027/1", False),
        (MONTHS[0], "https://other.example/calendar/2026/1?view=week", False),
        (
            "https://pier.example/list?sort=a&page=1",
            "https://pier.example/list?page=9&sort=b",
            True,
        ),
        ("https://pier.example/node7.html", "https://pier.example/node88.html", True),
    ],
)
def test_kinds_go_by_what_a_url_is_without_numbers_and_values(
    url: str, other: str, alike: bool
) -> None:
    assert alike == (kind_of(url) == kind_of(other))


def test_a_page_without_numbers_is_of_no_kind() -> None:
    assert kind_of(TARIFFS) == kind_of("https://pier.example/boats") == ""


def test_a_kind_that_promises_more_does_not_keep_others_waiting() -> None:
    order = chosen_of([*MONTHS, TARIFFS], [0.008] * len(MONTHS) + [0.003], passed=())

    assert order.index(len(MONTHS)) == 2


def test_pages_that_were_fetched_count() -> None:
    order = chosen_of([*MONTHS[4:], TARIFFS], [0.008] * 4 + [0.003], passed=MONTHS[:4])

    assert order[0] == 4


@given(st.lists(st.sampled_from([*MONTHS, TARIFFS, "https://pier.example/boats"]), unique=True))
def test_each_page_is_in_the_order_once_and_the_best_one_first(urls: list[str]) -> None:
    gains = [1.0 / (2 + place) for place in range(len(urls))]
    order = chosen_of(urls, gains, passed=())

    assert sorted(order) == list(range(len(urls)))
    assert order[:1] == [0][: len(urls)]


def test_pages_of_no_kind_are_ordered_by_their_gain() -> None:
    urls = [f"https://pier.example/{name}" for name in "abcd"]

    assert chosen_of(urls, [0.1, 0.4, 0.2, 0.4], passed=urls) == [1, 3, 2, 0]
