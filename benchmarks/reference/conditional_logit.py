"""Fits weights by which what is right among several candidates gets the largest share."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

Floats = npt.NDArray[np.float64]


def conditional_logit(rows: Sequence[Floats], right: Sequence[Floats], *, ridge: float) -> Floats:
    """Returns a weight a signal by which the softmax over candidates gives most to what is right.

    Args:
        rows: the candidates of each question, shape (n, signals).
        right: which of them are right, as 0 and 1, shape (n,); at least one of each question.
        ridge: on the weights of signals that are divided by their standard deviation.
    """
    table, held = np.vstack(rows), np.concatenate(right)
    scale = table.std(axis=0) + 1e-9
    table = table / scale
    counts = [len(one) for one in rows]
    starts, owner = np.cumsum([0, *counts[:-1]]), np.repeat(np.arange(len(counts)), counts)

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = table @ weights
        raised = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        every, good = np.add.reduceat(raised, starts), np.add.reduceat(raised * held, starts)
        slope = table.T @ (raised / every[owner] - raised * held / good[owner]) / len(counts)
        lost = float(np.log(every / good).mean() + ridge * weights @ weights / 2)
        return lost, slope + ridge * weights

    found: Floats = minimize(loss, np.zeros(table.shape[1]), jac=True).x / scale
    return found
