"""What finds the short answer inside a quote: weights for the token vectors of a model.

A file a model, `highlight-MODEL.npz`; `python -m benchmarks.reference.fit_highlight` writes it.
"""

from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HighlightWeights:
    """Weights for runs of words; d is the length of the vectors, q of what is read of a question.

    Attributes:
        common: shape (d,), what tokens have in common.
        asked_mean, asked_axes: shapes (d,) and (d, q), how questions begin.
        heads: shape (5, d, q + 1), for the words of a run and beside it.
        signals: shape (k,), for what is counted of a run.
    """

    common: FloatArray
    asked_mean: FloatArray
    asked_axes: FloatArray
    heads: FloatArray
    signals: FloatArray

    def directions(self, begins: FloatArray) -> FloatArray:
        """Returns the directions of a question, shape (5, d).

        Args:
            begins: shape (d,), the vector of how it begins.
        """
        known = np.append(np.float32(1.0), (begins - self.asked_mean) @ self.asked_axes)
        found: FloatArray = self.heads @ known.astype(np.float32)
        return found


def highlight_path(model: str) -> Path:
    """Returns where the weights of a model are.

    Args:
        model: its name, the first part of an `embedder_id`.
    """
    return Path(__file__).with_name(f"highlight-{model}.npz")


def write_highlight_weights(path: Path, weights: HighlightWeights) -> None:
    """Writes weights, two bytes each."""
    halved: dict[str, Any] = {k: v.astype(np.float16) for k, v in asdict(weights).items()}
    np.savez_compressed(path, **halved)


@cache
def read_highlight_weights(path: Path) -> HighlightWeights | None:
    """Returns weights; None where the file is not there."""
    if not path.exists():
        return None
    with np.load(path) as file:
        return HighlightWeights(**{name: file[name].astype(np.float32) for name in file.files})
