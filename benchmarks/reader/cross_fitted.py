"""What marks short answers, fitted without the pages of a fold, so that these can be measured."""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.shared.judged.vector_cache import cache_folder
from scops.libraries.embedder.highlight_weights import HighlightWeights, read_highlight_weights

FOLDS = 5


def fold_path(model: str, fold: int) -> Path:
    """Returns where weights are that were fitted without the pages of a fold."""
    return cache_folder() / f"highlight-{model}-without-{fold}.npz"


def cross_fitted(model: str) -> Mapping[int, HighlightWeights]:
    """Returns weights by the fold of pages that they were fitted without.

    Raises:
        FileNotFoundError: `benchmarks.reference.fit_highlight` has not been run.
    """
    found = {}
    for fold in range(FOLDS):
        path = fold_path(model, fold)
        weights = read_highlight_weights(path)
        if weights is None:
            raise FileNotFoundError(
                f"{path} is missing: run `python -m benchmarks.reference.fit_highlight` first"
            )
        found[fold] = weights
    return found
