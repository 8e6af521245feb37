"""What an llms.txt says of the pages that it names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.fetcher.discovery.llms_txt import LINKS_MAX, recommended_hits
from scops.fetcher.discovery.search_index import SearchHit
from scops.fetcher.discovery.search_task import FOUND, answer

BASE = "https://pier.example/llms.txt"
QUESTION = "How much does a season ticket of the ferry cost?"
TEXT = """# Pier

> Ferries to Plover Island.

- [Timetable](/timetable): when ferries sail
- [Tickets](tickets.html): season tickets of ferries, and what they cost
* [Elsewhere](https://other.example/ferry)
- [Tickets again](tickets.html#prices): more
Not a [link] (here), and [no url](mailto:pier@example.org).
"""


def hits(text: str, *, question: str = QUESTION, limit: int = 9) -> list[SearchHit]:
    return recommended_hits(text.encode(), base=BASE, question=question, limit=limit)


def test_pages_are_named_by_what_is_said_of_them_and_ordered_by_the_question() -> None:
    found = hits(TEXT)

    assert [
        (
            "https://pier.example/tickets.html",
            "Tickets: season tickets of ferries, and what they cost",
        ),
        ("https://pier.example/timetable", "Timetable: when ferries sail"),
        ("https://other.example/ferry", "Elsewhere"),
    ] == [(one.url, one.title) for one in found]
    assert found[0].score > found[1].score > found[2].score == 0.0


def test_a_question_in_other_words_still_has_the_pages() -> None:
    found = hits(TEXT, question="Quo vadis?")

    assert [0.0, 0.0, 0.0] == [one.score for one in found]
    assert 2 == len(hits(TEXT, question="Quo vadis?", limit=2))


def test_it_is_searched_where_indexes_are() -> None:
    outcome, told = answer((BASE.encode(), QUESTION.encode(), b"", TEXT.encode()))

    assert outcome == FOUND
    assert b"season tickets" in told


@pytest.mark.parametrize(
    "line", ["[" * 9000 + "](x)", "[a](" * 9000, "](" * 9000, "- [a](b)" * 9000]
)
def test_damaged_lines_cost_little(line: str) -> None:
    assert len(hits(line, limit=LINKS_MAX)) <= 1


@given(st.binary(max_size=400))
def test_any_bytes_are_read(body: bytes) -> None:
    assert len(recommended_hits(body, base=BASE, question=QUESTION, limit=5)) <= 5
