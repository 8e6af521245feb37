"""What a question asks of time."""

from datetime import date

import pytest

from scops.retriever.time.constraint import Relation, asked_time

TODAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("question", "relation", "first", "last", "text"),
    [
        ("Who led it in 1990?", Relation.IN, "1990-01-01", "1990-12-31", "Who led it?"),
        ("Who led it from 1990 to 1992?", Relation.BETWEEN, "1990-01-01", "1992-12-31", None),
        ("From 1990 to 1992, who led it?", Relation.BETWEEN, "1990-01-01", "1992-12-31", None),
        ("Who led it as of March 2001", Relation.AS_OF, "2001-03-01", "2001-03-31", None),
        ("Who led it before 1990?", Relation.BEFORE, "1990-01-01", "1990-12-31", None),
        ("Who led it since 1990?", Relation.AFTER, "1990-01-01", "1990-12-31", None),
        ("Who led it last year?", Relation.IN, "2025-01-01", "2025-12-31", None),
        (
            "Where did the man born in 1978 play in 2011?",
            Relation.IN,
            "2011-01-01",
            "2011-12-31",
            "Where did the man born in 1978 play?",
        ),
        ("Who was born in 1978?", Relation.IN, "1978-01-01", "1978-12-31", None),
        ("Who hosted Euro 2012?", Relation.IN, "2012-01-01", "2012-12-31", None),
    ],
)
def test_constraint_is_read_and_taken_out(
    question: str, relation: Relation, first: str, last: str, text: str | None
) -> None:
    """Relation and days are understood; what is left is the question without its time."""
    asked = asked_time(question, TODAY)

    assert asked.constraint is not None
    days = (asked.constraint.interval.begin, asked.constraint.interval.end)
    assert (relation, (first, last)) == (
        asked.constraint.relation,
        tuple(date.fromordinal(day).isoformat() for day in days),
    )
    if text is not None:
        assert text == asked.text


def test_bounds_on_both_sides_are_one_interval() -> None:
    """After A and before B is between them."""
    constraint = asked_time("Who led it after 1990 but before 2005?", TODAY).constraint

    assert constraint is not None
    assert Relation.BETWEEN is constraint.relation
    assert date(2004, 12, 31).toordinal() == constraint.window.end


def test_times_that_exclude_each_other_are_told_and_not_used() -> None:
    """Nothing lies before 1990 and after 2005."""
    asked = asked_time("Who led it before 1990 after 2005?", TODAY)

    assert None is asked.constraint
    assert "before 1990 and after 2005" == asked.contradiction


@pytest.mark.parametrize(
    "question", ["How is a key made?", "What does RFC 1918 say?", "🦉", "何時"]
)
def test_question_without_a_time_has_no_constraint(question: str) -> None:
    """The common case costs nothing and changes nothing."""
    asked = asked_time(question, TODAY)

    assert (None, question, False) == (asked.constraint, asked.text, asked.recent)


@pytest.mark.parametrize("word", ["current", "latest", "newest", "now have changed"])
def test_question_about_the_present_wants_the_recent(word: str) -> None:
    """Then freshness has a say."""
    assert asked_time(f"What is the {word} release?", TODAY).recent


def test_first_and_last_are_kept_with_the_interval() -> None:
    """Within the years, the earlier or the later is wanted."""
    orders = [
        asked_time(f"Who was the {word} winner in the 1990s?", TODAY).constraint
        for word in ("first", "last")
    ]

    assert [-1, 1] == [one.order for one in orders if one]


def test_long_text_asks_only_what_its_questions_ask() -> None:
    """A passage given as a query tells of times and of what is current; neither is asked for."""
    told = "In 1997 the club moved to its current ground, the latest of five. " * 5
    silent = asked_time(told, TODAY)
    asking = asked_time(f"{told}Who led it in 2003? It is still open.", TODAY)

    assert (None, told, False) == (silent.constraint, silent.text, silent.recent)
    assert asking.constraint is not None
    assert date(2003, 1, 1).toordinal() == asking.constraint.interval.begin
