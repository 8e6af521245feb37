"""Calendar expressions in a text."""

from datetime import date

import pytest

from scops.retriever.time.expressions import time_expressions

TODAY = date(2026, 11, 22)


def _days(text: str, reference: date | None = TODAY) -> list[tuple[str, str]]:
    return [
        (
            date.fromordinal(found.interval.begin).isoformat(),
            date.fromordinal(found.interval.end).isoformat(),
        )
        for found in time_expressions(text, reference)
    ]


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("in 1847", "1847-01-01", "1847-12-31"),
        ("on 2019-03-05", "2019-03-05", "2019-03-05"),
        ("5 March 2019", "2019-03-05", "2019-03-05"),
        ("May 21st, 1822", "1822-05-21", "1822-05-21"),
        ("Sept. 1819", "1819-09-01", "1819-09-30"),
        ("Q2 2021", "2021-04-01", "2021-06-30"),
        ("the fourth quarter of 2020", "2020-10-01", "2020-12-31"),
        ("winter 2019", "2019-12-01", "2020-02-29"),
        ("the 1990s", "1990-01-01", "1999-12-31"),
        ("the early 1990s", "1990-01-01", "1993-05-02"),
        ("the 19th century", "1800-01-01", "1899-12-31"),
        ("from 1811 to 1827", "1811-01-01", "1827-12-31"),
        ("between 1917 and 1918", "1917-01-01", "1918-12-31"),
        ("1990-93", "1990-01-01", "1993-12-31"),
        ("1999–03", "1999-01-01", "2003-12-31"),
        ("from Dec 2008 to Jun 2012", "2008-12-01", "2012-06-30"),
        # Another case, and letters that grow when it is changed.
        ("İzmir, İstanbul: MAY 21ST, 1822", "1822-05-21", "1822-05-21"),
        ("BETWEEN 1917 AND 1918", "1917-01-01", "1918-12-31"),
        # "nearly" is not "early".
        ("nearly 1990", "1990-01-01", "1990-12-31"),
        ("January to March 2019", "2019-01-01", "2019-03-31"),
        ("2017-present", "2017-01-01", "9999-12-31"),
        ("( May 21 , 1822 – August 15 , 1865 )", "1822-05-21", "1865-08-15"),
        ("in 837?", "0837-01-01", "0837-12-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("two weeks ago", "2026-11-05", "2026-11-11"),
        ("the past 3 years", "2023-11-23", "2026-11-22"),
    ],
)
def test_expression_names_its_days(text: str, begin: str, end: str) -> None:
    """One expression, with the days it spans."""
    assert [(begin, end)] == _days(text)


@pytest.mark.parametrize(
    "text",
    ["the year 99999", "31 February 2019", "about 2000 people", "1,500 men", "port 1024", "1.2019"],
)
def test_number_that_is_no_time_is_left_alone(text: str) -> None:
    """Quantities, days that no calendar has and numbers too long are no dates."""
    assert [] == _days(text)


def test_relative_words_need_a_day_to_count_from() -> None:
    """A page that states no date cannot say when its "last year" was."""
    assert [] == _days("He won last year.", reference=None)


def test_two_years_joined_by_and_are_two() -> None:
    """Only "between A and B" is a range."""
    assert 2 == len(_days("in 1964 and 1965"))


def test_place_of_an_expression_is_that_in_the_text() -> None:
    """Whatever its letters become in lower case."""
    text = "İİİ moved in May 1822."
    (found,) = time_expressions(text)

    assert "May 1822" == text[found.start : found.end]
