"""Years of questions and sentences."""

import pytest

from scops.explainer.quotes.years import (
    FIRST_YEAR,
    LAST_YEAR,
    UNDATED,
    YearRange,
    asked_years,
    time_fit,
    years_of,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He left in 1990.", [(1990, 1990)]),
        ("from 1969 to 1973", [(1969, 1973)]),
        ("1990–93 and 1995-1997", [(1990, 1993), (1995, 1997)]),
        ("the 1980s", [(1980, 1989)]),
        ("from January 2010 to March 2012", [(2010, 2012)]),
        ("from Dec 1841 until Sep 4, 1852", [(1841, 1852)]),
        ("2017-present", [(2017, LAST_YEAR)]),
        ("2014-05-03", [(2014, 2014)]),
        ("1,000 people, 1990 kg in 5 boxes, version 3.2010", [(1990, 1990), (2010, 2010)]),
        ("1973 to 1969", [(1973, 1973)]),
        ("no year at all, 0042 and 21999", []),
    ],
)
def test_years_and_ranges_are_read(text: str, expected: list[tuple[int, int]]) -> None:
    """Years, ranges, decades and months; a range never ends before it begins."""
    assert [YearRange(*years) for years in expected] == list(years_of(text))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who was mayor in 1965?", (1965, 1965)),
        ("Who was mayor between 1960 and 1970?", (1960, 1970)),
        ("Who was mayor before 1960?", (FIRST_YEAR, 1960)),
        ("Who has been mayor since 1960?", (1960, LAST_YEAR)),
        ("Who was mayor until the year 1960?", (FIRST_YEAR, 1960)),
    ],
)
def test_interval_of_a_question(question: str, expected: tuple[int, int]) -> None:
    """All years named together; before and after leave one side open."""
    assert YearRange(*expected) == asked_years(question)


def test_question_without_years_asks_for_none() -> None:
    """Then time has no say."""
    assert asked_years("Who is mayor?") is None


def test_fit_falls_with_the_gap() -> None:
    """Inside is 1, far away 0, undated one half; what stands around counts less."""
    asked = YearRange(1960, 1970)

    assert 1.0 == time_fit(asked, [YearRange(1965, 1980)], [])
    assert 1.0 > time_fit(asked, [YearRange(1971, 1971)], []) > UNDATED
    assert UNDATED > time_fit(asked, [YearRange(1990, 1990)], []) > 0
    assert UNDATED == time_fit(asked, [], [])
    assert 1.0 > time_fit(asked, [], [YearRange(1965, 1965)]) > UNDATED
