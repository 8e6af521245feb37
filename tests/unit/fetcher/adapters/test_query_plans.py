"""Questions read as much of the state as they answer, however much of it there is."""

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import create_engine

from scops.fetcher.adapters.sql.frontier.runs import NEXT_PAGES
from scops.fetcher.adapters.sql.pages.catalogue import QUEUED_NOW
from scops.fetcher.adapters.sql.pages.known_urls import HOSTS_BELOW, UNREVERSED, pages_of
from scops.fetcher.adapters.sql.tables import metadata

PREFIXES = ("a.test", "a.test/guide", "b.test/?page=2")


def plan(statement: Any) -> Sequence[str]:
    """Returns the steps by which SQLite does a statement."""
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    asked = statement.compile(engine)
    with engine.connect() as connection:
        nothing = tuple(None for _ in asked.positiontup)
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked}", nothing).all()
    engine.dispose()
    return [row.detail for row in rows]


@pytest.mark.parametrize(
    # Of a path its own page, what is below it, and it with a query; not where it is passed.
    ("after", "ranges"),
    [(None, 3 + 3 + 1), (("a.test/guide", "page"), 2 + 3 + 1), (("a.test/x", "page"), 2 + 2 + 1)],
)
def test_known_urls_are_read_in_the_order_of_their_index(
    after: tuple[str, str] | None, ranges: int
) -> None:
    """Each range of URLs from its own first page on; nothing is sorted that is not answered."""
    steps = plan(pages_of("main", PREFIXES, after, 501))
    looks = [step for step in steps if "page_by_url" in step]

    assert ranges == len(looks)
    assert all("SEARCH page USING COVERING INDEX page_by_url" in look for look in looks)
    assert all("schemeless_url" in look for look in looks)
    assert [] == [step for step in steps if "TEMP B-TREE" in step or "SCAN page" in step]


def test_hosts_below_a_domain_are_looked_up_one_by_one() -> None:
    """From each host to the next, however many pages it has; and what no loop has come to yet."""
    looks = [step for step in plan(HOSTS_BELOW) if " page" in step]

    assert 2 == len(looks)
    assert all("SEARCH page USING COVERING INDEX page_by_host" in look for look in looks)
    assert all("reversed_host>? AND reversed_host<?" in look for look in looks)
    unfilled = plan(UNREVERSED)
    assert any("page_by_host (organisation_id=? AND reversed_host=?)" in step for step in unfilled)


def test_what_people_wait_for_is_counted_by_hosts() -> None:
    """However many entries crawls have in the queue."""
    looks = [step for step in plan(QUEUED_NOW) if "SEARCH" in step or "SCAN" in step]

    assert 2 == len(looks)
    assert "queue_by_host (host_key=? AND lane=?)" in looks[0]
    assert "ix_host_wake_now" in looks[1]


def test_pages_of_a_run_are_taken_from_the_front_of_their_host() -> None:
    """However many of its pages wait, and whatever waits for other hosts."""
    steps = plan(NEXT_PAGES)

    assert any("queue_by_host (host_key=? AND lane=? AND due_time<?)" in step for step in steps)
    assert [] == [step for step in steps if "TEMP B-TREE" in step or "SCAN" in step]
