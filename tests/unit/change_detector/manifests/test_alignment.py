"""Alignment of chunks: kept, moved, edited, added, removed; a lineage is a line."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from scops.change_detector.manifests.alignment import Alignment, align
from scops.change_detector.matching.sequences import longest_increasing, match
from scops.change_detector.matching.similar import jaccard, pair_similar, tokens_of
from scops.common.contract.messages.change import ChunkOrigin

KEPT, MOVED = ChunkOrigin.KEPT, ChunkOrigin.MOVED
EDITED, ADDED = ChunkOrigin.EDITED, ChunkOrigin.ADDED
TEXTS = st.lists(st.sampled_from(["a b c d", "a b c x", "e f g h", "e f", "i"]), max_size=12)


def aligned(old: list[str], new: list[str]) -> Alignment:
    """Aligns with the default bounds."""
    return align(old, new)


def origins(alignment: Alignment) -> list[tuple[ChunkOrigin, int | None]]:
    """Returns where each new chunk comes from."""
    return [(chunk.origin, chunk.previous) for chunk in alignment.chunks]


def test_equal_chunks_are_kept() -> None:
    """Nothing changed."""
    assert origins(aligned(["a", "b"], ["a", "b"])) == [(KEPT, 0), (KEPT, 1)]


def test_a_chunk_that_changed_its_place_is_moved() -> None:
    """The longest run in order is kept, what stands outside of it moved."""
    assert origins(aligned(["a", "b", "c"], ["c", "a", "b"])) == [(MOVED, 2), (KEPT, 0), (KEPT, 1)]


def test_a_similar_chunk_in_a_gap_is_edited() -> None:
    """One number changed between two kept chunks."""
    old = ["first", "the fee is 5 euros", "last"]
    new = ["first", "the fee is 6 euros", "last"]

    assert origins(aligned(old, new)) == [(KEPT, 0), (EDITED, 1), (KEPT, 2)]


def test_an_unlike_chunk_is_added_and_the_old_one_removed() -> None:
    """Below the least similarity two chunks have nothing to do with each other."""
    alignment = aligned(["the fee is 5 euros"], ["opening hours on sunday"])

    assert (origins(alignment), alignment.removed) == ([(ADDED, None)], (0,))


def test_equal_chunks_are_matched_in_order() -> None:
    """A line that stands three times and loses one: the first two are kept."""
    alignment = aligned(["x", "x", "x"], ["x", "x"])

    assert (origins(alignment), alignment.removed) == ([(KEPT, 0), (KEPT, 1)], (2,))


@given(TEXTS, TEXTS)
def test_a_lineage_is_a_line(old: list[str], new: list[str]) -> None:
    """Every old chunk has one successor or is removed, every new one at most one predecessor."""
    alignment = aligned(old, new)

    previous = [chunk.previous for chunk in alignment.chunks if chunk.previous is not None]
    assert sorted([*previous, *alignment.removed]) == list(range(len(old)))
    assert len(alignment.chunks) == len(new)
    assert all((c.previous is None) == (c.origin is ADDED) for c in alignment.chunks)


@given(st.permutations(["one two", "three four", "five six", "seven"]))
def test_moving_chunks_is_never_an_edit(new: list[str]) -> None:
    """Any order of the same chunks is kept or moved."""
    alignment = aligned(["one two", "three four", "five six", "seven"], list(new))

    assert {chunk.origin for chunk in alignment.chunks} <= {KEPT, MOVED}
    assert alignment.removed == ()


@given(st.lists(st.integers(0, 30), max_size=40))
def test_longest_increasing_is_increasing_and_longest(values: list[int]) -> None:
    """Against the quadratic definition."""
    places = longest_increasing(values)

    best = [1] * len(values)
    for j, value in enumerate(values):
        best[j] += max((best[i] for i in range(j) if values[i] < value), default=0)
    chosen = [values[place] for place in places]
    assert places == sorted(places)
    assert all(a < b for a, b in pairwise(chosen))
    assert len(places) == max(best, default=0)


@given(st.lists(st.integers(0, 6), max_size=30), st.lists(st.integers(0, 6), max_size=30))
def test_matches_are_a_common_subsequence(old: list[int], new: list[int]) -> None:
    """Pairs rise in both sequences and join equal elements."""
    pairs = match(old, new, cells_max=1000)

    assert all(old[i] == new[j] for i, j in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))


@given(st.lists(st.integers(0, 6), max_size=30))
def test_a_sequence_matches_itself_wholly(values: list[int]) -> None:
    """However often elements repeat."""
    assert match(values, values, cells_max=1) == [(i, i) for i in range(len(values))]


def test_a_large_gap_of_repeated_elements_is_left_unmatched() -> None:
    """Hostile input costs linear time: nothing unique, and too many cells to compare."""
    old, new = [1, 2] * 500, [2, 1, 1] * 500

    pairs = match(["a", *old, "z"], ["a", *new, "z"], cells_max=1000)

    assert {pairs[0], pairs[-1]} == {(0, 0), (1001, 1501)}
    assert len(pairs) < 10


def test_jaccard_counts_repeated_tokens() -> None:
    """Shared over all, with multiplicity, case aside."""
    assert jaccard(tokens_of("The fee is 5"), tokens_of("the fee is 6"), total=8) == 3 / 5
    assert jaccard(tokens_of(""), tokens_of(""), total=0) == 0.0


def test_similar_pairs_meet_only_near_their_place_when_there_are_many() -> None:
    """A thousand against a thousand with ten thousand comparisons still finds neighbours."""
    tokens = [tokens_of(f"line {i} of a long page") for i in range(1000)]

    pairs = pair_similar(tokens, tokens, jaccard_min=0.9, cells_max=10_000)

    assert pairs == [(i, i) for i in range(1000)]
