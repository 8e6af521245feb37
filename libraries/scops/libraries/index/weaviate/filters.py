"""Scope filters in Weaviate's terms; every query has one, so that none can see everything.

A filter with very many values collapses under load (weaviate/weaviate#12242), so a wide scope is
split into several filters whose results are put together; together they admit what the scope
filter does, no more and no less. Only what a clause leaves out is never split.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import reduce
from operator import and_, or_

from weaviate.collections.classes.filters import Filter, _Filters

from scops.common.contract.ids import ObjectId, PageId
from scops.common.scope.filter import ScopeClause
from scops.libraries.index.ports import StoreQuery
from scops.libraries.index.weaviate.objects import MENTIONS

# A clause that leaves out much still asks for this share of the values at once.
INCLUDED_SHARE_MIN = 4


def query_filters(query: StoreQuery, *, values_max: int) -> list[_Filters]:
    """Returns filters that together admit what a query asks for; none when it asks for no page.

    Args:
        values_max: prefixes and pages in one filter.
    """
    pages = [None] if query.also_pages is None else list(_slices(query.also_pages, values_max))
    scopes = [
        _any_of([_clause(clause) for clause in clauses])
        for clauses in split_clauses(query.scope_filter.clauses, values_max=values_max)
    ]
    filters = [
        scope if named is None else scope & of_pages([PageId(page) for page in named])
        for scope in scopes
        for named in pages
    ]
    if query.mentioning is None:
        return filters
    return [part & _mentioning(query.mentioning) for part in filters if query.mentioning]


def split_clauses(
    clauses: Sequence[ScopeClause], *, values_max: int
) -> Iterator[list[ScopeClause]]:
    """Yields groups of clauses, each with about `values_max` values; long clauses are cut."""
    group: list[ScopeClause] = []
    size = 0
    for clause in _merged(clauses):
        room = max(values_max - len(clause.exclude), values_max // INCLUDED_SHARE_MIN)
        for include in _slices(clause.include, room):
            part = replace(clause, include=frozenset(include))
            values = len(part.include) + len(part.exclude)
            if group and size + values > values_max:
                yield group
                group, size = [], 0
            group.append(part)
            size += values
    yield group


def stood_at(instant: datetime) -> _Filters:
    """Admits history objects whose interval holds an instant."""
    begun = Filter.by_property("observed_from").less_or_equal(instant)
    return begun & Filter.by_property("observed_to").greater_than(instant)


def of_pages(page_ids: Sequence[PageId]) -> _Filters:
    """Admits the objects of some pages."""
    return Filter.by_property("page_id").contains_any(list(page_ids))


def _mentioning(keys: Iterable[str]) -> _Filters:
    """Admits the objects that are stored with one of some mentions."""
    return Filter.by_property(MENTIONS).contains_any(sorted(keys))


def of_ids(object_ids: Sequence[ObjectId]) -> _Filters:
    """Admits some objects by id."""
    return Filter.by_id().contains_any(list(object_ids))


def all_of(first: _Filters, *others: _Filters) -> _Filters:
    """Admits what every one of some filters admits."""
    return reduce(and_, others, first)


def _clause(clause: ScopeClause) -> _Filters:
    prefixes = Filter.by_property("url_prefixes")
    parts = [
        prefixes.contains_any(sorted(clause.include)),
        Filter.by_property("access_context").contains_any(sorted(clause.access_contexts)),
    ]
    if clause.exclude:
        parts.append(prefixes.contains_none(sorted(clause.exclude)))
    return reduce(and_, parts)


def _any_of(filters: Sequence[_Filters]) -> _Filters:
    return reduce(or_, filters)


def _merged(clauses: Sequence[ScopeClause]) -> list[ScopeClause]:
    """Puts clauses together that differ by what they include only."""
    merged: dict[tuple[frozenset[str], frozenset[str]], ScopeClause] = {}
    for clause in clauses:
        key = (clause.exclude, clause.access_contexts)
        known = merged.get(key)
        include = clause.include if known is None else known.include | clause.include
        merged[key] = replace(clause, include=include)
    return list(merged.values())


def _slices(values: Iterable[str], size: int) -> Iterator[list[str]]:
    ordered = sorted(values)
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]
