"""Halves and folds: an entry stays where it was when constants were fitted."""

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.answers.sets import read_timeqa
from benchmarks.shared.judged import timeqa
from benchmarks.shared.splits import fold_of, half_of_link, half_of_site, part_of

DEVELOPMENT, HELD_OUT = "development", "held_out"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://docs.python.org/3/", (HELD_OUT, HELD_OUT, 3, 2)),
        ("https://en.wikipedia.org/wiki/X", (DEVELOPMENT, DEVELOPMENT, 1, 0)),
        ("https://example.com/", (DEVELOPMENT, DEVELOPMENT, 0, 2)),
    ],
)
def test_entry_falls_where_it_fell_when_constants_were_fitted(
    url: str, expected: tuple[str, str, int, int]
) -> None:
    actual = (half_of_site(url), half_of_link(url))

    assert expected == (*actual, fold_of(url, 5), part_of(url, 3))


def test_pages_of_one_site_share_a_half() -> None:
    assert half_of_site("https://docs.python.org/3/") == half_of_site("https://peps.python.org/1")


def test_page_is_in_one_half_whoever_asks(tmp_path: Path) -> None:
    """Answers and rankings by time cut by the link, however each of them calls the page."""
    marked = [{"para": 1, "from": 0, "end": 4, "answer": "1990"}]
    pages = [
        {
            "link": f"/wiki/Town_{number}_(%C3%96)",
            "paras": ["Town .", "1990 it was founded."],
            "questions": [["When was it founded?", marked]],
        }
        for number in range(20)
    ]
    with gzip.open(tmp_path / "timeqa.json.gz", "wt", encoding="utf-8") as file:
        json.dump(pages, file)

    answered = [half_of_link(one.link) for one in read_timeqa(tmp_path, prefix="x/").questions]
    ranked = [half_of_link(one.link) for one in timeqa.read(tmp_path).questions]

    assert answered == ranked
    assert {DEVELOPMENT, HELD_OUT} == set(answered)
