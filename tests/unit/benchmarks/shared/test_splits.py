"""Halves and folds: an entry stays where it was when constants were fitted."""

import pytest

from benchmarks.shared.splits import fold_of, half_of_link, half_of_page, half_of_site, part_of

DEVELOPMENT, HELD_OUT = "development", "held_out"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://docs.python.org/3/", (HELD_OUT, DEVELOPMENT, HELD_OUT, 3, 2)),
        ("https://en.wikipedia.org/wiki/X", (DEVELOPMENT, HELD_OUT, DEVELOPMENT, 1, 0)),
        ("https://example.com/", (DEVELOPMENT, HELD_OUT, DEVELOPMENT, 0, 2)),
    ],
)
def test_entry_falls_where_it_fell_when_constants_were_fitted(
    url: str, expected: tuple[str, str, str, int, int]
) -> None:
    actual = (half_of_site(url), half_of_page(url), half_of_link(url))

    assert expected == (*actual, fold_of(url, 5), part_of(url, 3))


def test_pages_of_one_site_share_a_half() -> None:
    assert half_of_site("https://docs.python.org/3/") == half_of_site("https://peps.python.org/1")
