"""When a text says that something was so, and how that fits a question."""

from dataclasses import replace
from datetime import date

import pytest

from scops.retriever.time.constraint import TimeConstraint, asked_time
from scops.retriever.time.event_times import CARRIED, OPEN_ENDED, text_windows
from scops.retriever.time.intervals import DAY_LAST
from scops.retriever.time.kernel import KernelShape, time_fit

TODAY = date(2026, 11, 22)
SHAPE = KernelShape(
    past_years=10, future_years=4, undated=0.1, begins_share=0.0, begins_share_range=0.0
)


def _constraint(words: str) -> TimeConstraint:
    constraint = asked_time(f"Who led it {words}?", TODAY).constraint
    assert constraint is not None
    return constraint


def _fit(sentence: str, words: str, *, header: str = "") -> float:
    windows = text_windows(header, sentence)
    return max(time_fit(window.times, _constraint(words), SHAPE) for window in windows)


def test_windows_are_each_sentence_and_each_three() -> None:
    """Every span once, in reading order."""
    text = "One is. Two is. Three is. Four is."
    spans = [text[window.start : window.end] for window in text_windows("", text)]

    assert [
        "One is.",
        "One is. Two is. Three is.",
        "Two is.",
        "Two is. Three is. Four is.",
        "Three is.",
        "Four is.",
    ] == spans


def test_sentence_without_a_time_takes_that_of_the_one_before() -> None:
    """Carried over, it counts less."""
    windows = text_windows("", "In 1964 she moved. She was happy.")

    assert [1.0, CARRIED] == [windows[0].times[0].strength, windows[-1].times[0].strength]


def test_sentence_without_a_time_takes_that_of_its_heading() -> None:
    """A list under a dated heading belongs to its years."""
    (window,) = text_windows("Team > 2015–2017", "Ann led it.")

    assert CARRIED == window.times[0].strength


def test_open_end_reaches_on() -> None:
    """What is so since a year may still be so."""
    (window,) = text_windows("", "She has led it since 2015.")

    assert (DAY_LAST, OPEN_ENDED) == (window.times[0].interval.end, window.times[0].strength)


def test_time_inside_fits_best_and_falls_with_distance() -> None:
    """What began before may still hold, what came later does not."""
    fits = [_fit(f"Ann led it in {year}.", "in 1990") for year in (1990, 1988, 1992, 1970)]

    assert fits == sorted(fits, reverse=True)
    assert 1.0 == fits[0]


@pytest.mark.parametrize(
    ("words", "inside", "outside"),
    [("before 1990", 1985, 1995), ("after 1990", 1995, 1985), ("in the 1990s", 1999, 2001)],
)
def test_relation_decides_what_lies_inside(words: str, inside: int, outside: int) -> None:
    """Before, after and within."""
    assert 1.0 == _fit(f"Ann led it in {inside}.", words)
    assert 1.0 > _fit(f"Ann led it in {outside}.", words)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Ann led it in 1990.", 1.0),
        ("Ann led it from 1985 to 1995.", 0.85),
        ("Ann led it from 1850 to 2000.", 0.7),
    ],
)
def test_range_around_the_time_asked_for_counts_half_of_the_same_time(
    sentence: str, expected: float
) -> None:
    """What held on that day, unless it held for longer than anybody serves."""
    shape = replace(SHAPE, begins_share=0.3)
    (window,) = text_windows("", sentence)

    assert expected == pytest.approx(time_fit(window.times, _constraint("in 1990"), shape))


@pytest.mark.parametrize(("begins_share_range", "expected"), [(0.0, 1.0), (0.5, 0.5)])
def test_question_for_a_range_asks_for_what_the_range_bounds(
    begins_share_range: float, expected: float
) -> None:
    """A year within is less than the same begin and end, by a share of its own."""
    shape = replace(SHAPE, begins_share=0.9, begins_share_range=begins_share_range)
    (inside,) = text_windows("", "Ann led it in 1995.")
    (same,) = text_windows("", "Ann led it from 1990 to 1999.")
    asked = _constraint("from 1990 to 1999")

    assert expected == pytest.approx(time_fit(inside.times, asked, shape))
    assert 1.0 == pytest.approx(time_fit(same.times, asked, shape))


def test_text_without_any_time_counts_little_but_something() -> None:
    """It may still be the answer."""
    assert SHAPE.undated == _fit("Ann led it.", "in 1990")


def test_first_within_prefers_the_earlier() -> None:
    """MRAG's slope."""
    fits = [
        time_fit(
            text_windows("", f"Ann won in {year}.")[0].times,
            _constraint("first in the 1990s"),
            SHAPE,
        )
        for year in (1991, 1998)
    ]

    assert fits[0] > fits[1]
