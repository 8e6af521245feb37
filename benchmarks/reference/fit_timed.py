"""Fits what adds to the log-odds of passages where a question names a time."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]

from benchmarks.reference.timed_queries import PARTS, Floats, TimedQueries, TimedQuery, columns
from benchmarks.shared.figures import rounded_mean
from benchmarks.shared.splits import DEVELOPMENT, HELD_OUT, fold_of, half_of_link
from scops.libraries.embedder.calibration import TimedWeights
from scops.standalone.evaluation.paired import paired

FOLDS = 5
# Of the logarithms of the weights, each on the scale of its column.
RIDGE = 1e-3


def fit_timed(
    queries: TimedQueries, known: TimedWeights
) -> tuple[Mapping[str, float], Mapping[str, object]]:
    """Returns the weights fitted on the development half, and how they do beside known ones.

    Returns:
        The record, and `development`, cross-validated by page, and `held_out`, each with
        `questions`, `known` and `fitted`: nDCG@10, and `gain`: fitted less known, with interval
        and p.
    """
    halves = {half: _pages_of(queries, half) for half in (DEVELOPMENT, HELD_OUT)}
    seen = queries.under(known, halves[DEVELOPMENT])
    record = fitted(seen)
    judged = []
    for fold in range(FOLDS):
        rest = [one for one in seen if fold_of(one.page, FOLDS) != fold]
        pages = frozenset(one.page for one in seen if fold_of(one.page, FOLDS) == fold)
        judged += _judged(queries, pages, known, fitted(rest))
    return asdict(record), {
        DEVELOPMENT: _figures(judged),
        HELD_OUT: _figures(_judged(queries, halves[HELD_OUT], known, record)),
    }


def fitted(queries: Sequence[TimedQuery]) -> TimedWeights:
    """Returns the weights under which what answers comes first.

    Conditional logit; then one factor of all weights by logistic regression, so that differences
    of scores are differences of log-odds.
    """
    answered = [one for one in queries if one.gain.any()]
    spread = np.concatenate([one.table for one in answered]).std(axis=0)

    def loss(values: Floats) -> tuple[float, Floats]:
        weights = np.exp(values) / spread
        lost, slope = RIDGE * float(values @ values), 2 * RIDGE * values
        for one in answered:
            scores = one.table @ weights
            scores -= scores.max()
            scores -= np.log(np.exp(scores).sum())
            wanted = one.gain / one.gain.sum()
            lost -= float(wanted @ scores) / len(answered)
            slope += (np.exp(scores) - wanted) @ one.table * weights / len(answered)
        return lost, slope

    values = minimize(loss, np.zeros(len(PARTS) + 1), jac=True, method="L-BFGS-B").x
    weights = np.exp(values) / spread
    weights /= weights[0]
    scale = _scale(answered, weights)
    return TimedWeights(
        **{name: _short(one) for name, one in zip(PARTS, weights[1:], strict=True)},
        scale=_short(scale),
    )


def _scale(queries: Sequence[TimedQuery], weights: Floats) -> float:
    """Returns by what scores have to be multiplied to be log-odds; questions weigh alike."""
    scores = np.concatenate([one.table @ weights for one in queries])
    relevant = np.concatenate([one.gain > 0 for one in queries])
    share = np.concatenate([np.full(len(one.gain), 1 / len(one.gain)) for one in queries])
    share /= share.sum()

    def loss(values: Floats) -> float:
        odds = values[0] + values[1] * scores
        return float((share * (np.logaddexp(0, odds) - relevant * odds)).sum())

    return float(minimize(loss, np.array([-2.0, 0.2])).x[1])


def _judged(
    queries: TimedQueries, pages: frozenset[str], known: TimedWeights, ours: TimedWeights
) -> list[tuple[str, float, float]]:
    """Returns of each question its page, and nDCG@10 by known weights and by ours."""
    by_known = [one.ndcg(columns(known)) for one in queries.under(known, pages)]
    return [
        (one.page, before, one.ndcg(columns(ours)))
        for before, one in zip(by_known, queries.under(ours, pages), strict=True)
    ]


def _figures(judged: Sequence[tuple[str, float, float]]) -> Mapping[str, object]:
    pages, known, ours = zip(*judged, strict=True)
    return {
        "questions": len(judged),
        "known": rounded_mean(known),
        "fitted": rounded_mean(ours),
        **paired("gain", ours, known, units=pages),
    }


def _pages_of(queries: TimedQueries, half: str) -> frozenset[str]:
    return frozenset(page for page in queries.pages if half_of_link(page) == half)


def _short(value: float) -> float:
    """Returns a number as a record has it."""
    return float(f"{value:.4g}")
