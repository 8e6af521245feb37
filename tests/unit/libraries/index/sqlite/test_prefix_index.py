"""The inverted index over prefix sets means exactly what `ScopeFilter.admits` says."""

from hypothesis import given
from hypothesis import strategies as st

from scops.common.contract.ids import ScopeId
from scops.common.scope.filter import ScopeClause, ScopeFilter
from scops.libraries.index.sqlite.prefix_index import PrefixIndex

TOKENS = st.sampled_from(["a.org", "a.org/x", "a.org/x/y", "b.org", "*.org", "b.org/x"])
CONTEXTS = st.sampled_from(["public", "credential-1"])
CLAUSES = st.builds(
    ScopeClause,
    scope_id=st.just(ScopeId("scope")),
    include=st.frozensets(TOKENS, min_size=1),
    exclude=st.frozensets(TOKENS, max_size=2),
    access_contexts=st.frozensets(CONTEXTS, min_size=1),
)
FILTERS = st.builds(ScopeFilter, st.lists(CLAUSES, min_size=1, max_size=3).map(tuple))
SETS = st.lists(st.tuples(st.lists(TOKENS, unique=True), CONTEXTS), max_size=12)


@given(sets=SETS, scope_filter=FILTERS)
def test_admitted_sets_are_those_of_the_filter(
    sets: list[tuple[list[str], str]], scope_filter: ScopeFilter
) -> None:
    """A set is admitted if and only if any clause admits its tokens and context."""
    index = PrefixIndex()
    for number, (tokens, context) in enumerate(sets):
        index.add(number, tokens, context)

    expected = [scope_filter.admits(tokens, context) for tokens, context in sets]
    assert expected == index.admitted(scope_filter).tolist()


def test_index_grows_after_a_query() -> None:
    """Sets that are added later are found by later queries."""
    clause = ScopeClause(ScopeId("scope"), frozenset({"a.org"}), frozenset(), frozenset({"public"}))
    index = PrefixIndex()
    index.add(0, ["a.org"], "public")
    index.admitted(ScopeFilter((clause,)))
    index.add(1, ["a.org"], "public")

    assert [True, True] == index.admitted(ScopeFilter((clause,))).tolist()
