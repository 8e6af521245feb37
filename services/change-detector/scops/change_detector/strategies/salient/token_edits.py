"""The runs of tokens that differ between two sequences."""

from collections.abc import Sequence

from scops.change_detector.matching.sequences import match

Run = tuple[int, int, int, int]


def token_runs(old: Sequence[str], new: Sequence[str], cells_max: int) -> list[Run]:
    """Returns (old start, old end, new start, new end) of what is not common; rising in both."""
    runs: list[Run] = []
    i = j = 0
    for next_i, next_j in [*match(old, new, cells_max=cells_max), (len(old), len(new))]:
        if i < next_i or j < next_j:
            runs.append((i, next_i, j, next_j))
        i, j = next_i + 1, next_j + 1
    return runs


def changed_mass(runs: Sequence[Run]) -> int:
    """Returns how many tokens stand in runs, of both sides."""
    return sum(old_end - old + new_end - new for old, old_end, new, new_end in runs)
