"""A wide scope is asked in several filters that together admit what it does."""

import pytest

from scops.common.scope.filter import ScopeFilter
from scops.common.scope.urls import url_prefixes
from scops.libraries.index.weaviate.filters import query_filters, split_clauses
from tests.contract.chunk_store.chunk_objects import clause, store_query

HOSTS = tuple(f"h{n}.org" for n in range(25))


@pytest.mark.parametrize("values_max", [10, 12, 1000])
def test_parts_admit_what_the_whole_does(values_max: int) -> None:
    """For every page, some part admits it exactly when the whole filter does."""
    clauses = (clause(*HOSTS, exclude=("h3.org", "h4.org/x")), clause("h3.org"), clause("h30.org"))
    whole = ScopeFilter(clauses)
    parts = list(split_clauses(clauses, values_max=values_max))
    pages = [url_prefixes(f"https://h{n}.org{path}") for n in range(35) for path in ("/", "/x")]

    assert [whole.admits(page, "public") for page in pages] == [
        any(one.admits(page, "public") for part in parts for one in part) for page in pages
    ]


def test_parts_are_bounded() -> None:
    """No filter has more values than allowed while what is left out fits."""
    clauses = (clause(*HOSTS, exclude=("a.org", "b.org")), *(clause(host) for host in HOSTS))
    sizes = [
        sum(len(one.include) + len(one.exclude) for one in part)
        for part in split_clauses(clauses, values_max=10)
    ]

    assert max(sizes) <= 10


def test_scopes_of_one_kind_are_one_clause() -> None:
    """A thousand scopes of one prefix each are one list of values."""
    clauses = tuple(clause(f"h{n}.org") for n in range(1000))
    ((merged,),) = split_clauses(clauses, values_max=1000)

    assert 1000 == len(merged.include)


def test_no_page_asks_no_query() -> None:
    """A restriction to no page at all leaves nothing to ask."""
    assert [] == query_filters(store_query(pages=()), values_max=10)
    assert 1 == len(query_filters(store_query(pages=("p1",)), values_max=10))
