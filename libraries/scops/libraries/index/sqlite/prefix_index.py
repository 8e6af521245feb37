"""Which prefix sets a scope filter admits: an inverted index in memory, exact by construction.

The chunks of a page share their URL prefixes and access context, so a store keeps each such set
once and filters rows by the number of their set.
"""

from array import array
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from scops.common.scope.filter import ScopeClause, ScopeFilter

BoolArray = NDArray[np.bool_]
Numbers = NDArray[np.int32]


class PrefixIndex:
    """Prefix sets by token and by access context; sets are numbered by their adder, from 0."""

    def __init__(self) -> None:
        self._size = 0
        self._by_token: dict[str, array[int]] = {}
        self._by_context: dict[str, array[int]] = {}

    def add(self, number: int, tokens: Iterable[str], access_context: str) -> None:
        """Takes in a set; each number is added once."""
        for token in tokens:
            self._by_token.setdefault(token, array("i")).append(number)
        self._by_context.setdefault(access_context, array("i")).append(number)
        self._size = max(self._size, number + 1)

    def admitted(self, scope_filter: ScopeFilter) -> BoolArray:
        """Returns, by number of the set, whether any clause admits it.

        Returns:
            Shape (largest number + 1,).
        """
        admitted = np.zeros(self._size, dtype=np.bool_)
        for clause in scope_filter.clauses:
            admitted |= self._by_clause(clause)
        return admitted

    def _by_clause(self, clause: ScopeClause) -> BoolArray:
        included = self._marked(self._by_token, clause.include)
        excluded = self._marked(self._by_token, clause.exclude)
        readable = self._marked(self._by_context, clause.access_contexts)
        return included & readable & ~excluded

    def _marked(self, index: dict[str, "array[int]"], keys: Iterable[str]) -> BoolArray:
        marked = np.zeros(self._size, dtype=np.bool_)
        for key in keys:
            if key in index:
                marked[_numbers(index[key])] = True
        return marked


def _numbers(values: "array[int]") -> Numbers:
    # A copy: a view would lock the array against growing.
    return np.array(values, dtype=np.int32)
