r"""Fits how an embedder's cosines and BM25 are weighed for each query, on every judged set here.

    python -m benchmarks.reference.fit_fusion --data ../shared/data --embedder e5-int8 \
        --signals lead,spread,cosine,shared [--write]
    python -m benchmarks.reference.fit_fusion --data ../shared/data --embedder onnx-int8 [--write]

A weight of a side is exp(linear in the query's signals): conditional logit of what is relevant
among the hits, over everything and inside synthetic scopes; families of sets weigh alike. Then
`prior` and one factor of all weights by logistic regression, so that scores are log-odds.
`typical` is the median cosine of what is relevant, the levels of signals are medians over sets.

Keys: `record`, what `--write` puts into the embedder's record; and for each set, by weights fitted
on the sets of other families: `dense`, `bm25`, `rrf`, `known` (the record that is there), `ours`:
nDCG@10 over everything; `against_best`, ours less the better of its sides, with `..._interval`
(95 %, bootstrap by page) and `..._p` (randomisation); `scoped`: the same with dense and RRF under
the filter. `worst`, `worst_scoped`: the least `against_best`. `mean`: of each system, over sets.
"""

import argparse
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]

from benchmarks.reference.fusion_queries import Floats, JudgedQueries, judged_queries
from benchmarks.reference.records import write_record
from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from benchmarks.shared.judged.collections import collections_of
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from scops.libraries.embedder.calibration import Calibration
from scops.libraries.embedder.port import model_of
from scops.libraries.embedder.registry import load_embedder
from scops.retriever.scoring.fusion import FACTOR_MAX, SIGNALS
from scops.standalone.evaluation.paired import paired

QUERIES = 300
# Of the trusts, each on the scale of its signal.
RIDGE = 0.05
RIDGE_LOGISTIC = 1e-3
# Of a softmax that leaves nothing impossible.
NEVER = -1e9
Sets = Mapping[str, Mapping[str, JudgedQueries]]


@dataclass(frozen=True, slots=True)
class Weights:
    """Logarithms of the weights at the levels, and how signals change them.

    Attributes:
        base: of cosine, BM25 and its margin, the last ÷ that of BM25.
        similarity, bm25: shape (signals,).
        level, spread: shape (signals,); signals count as (signal - level) / spread.
    """

    base: Floats
    similarity: Floats
    bm25: Floats
    level: Floats
    spread: Floats

    def scores(self, queries: JudgedQueries) -> Floats:
        """Returns the scores of all hits, but for what all hits of a query have alike."""
        seen = (queries.signals - self.level) / self.spread
        near = np.exp(self.base[0]) * _factors(seen @ self.similarity)
        words = np.exp(self.base[1]) * _factors(seen @ self.bm25)
        found: Floats = near * queries.cosine + words * (
            queries.bm25 + np.exp(self.base[2]) * queries.margin
        )
        return found


def _factors(logarithms: Floats) -> Floats:
    """Returns what weights of queries are multiplied by, within the bounds of `side_weights`."""
    found: Floats = np.clip(np.exp(logarithms), 1 / FACTOR_MAX, FACTOR_MAX)[:, np.newaxis]
    return found


def main() -> None:
    parser = command_parser(__doc__, data="folder with retrieval, temporal, changes and qa")
    add_embedder(parser, default="e5-int8")
    parser.add_argument("--queries", type=int, default=QUERIES, help="at most, of a set")
    parser.add_argument("--signals", default=",".join(SIGNALS), help="that speak, with commas")
    parser.add_argument("--write", action="store_true", help="put the record into its file")
    args = parser.parse_args()
    print_result(measure(args), args)


def measure(args: argparse.Namespace) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    embedder = CachingEmbedder(load_embedder(args.embedder))
    sets: dict[str, dict[str, JudgedQueries]] = {}
    for collection in collections_of(args.data, queries=args.queries):
        sets[collection.name] = dict(judged_queries(collection, embedder))
        progress(f"{collection.name}: {len(collection.judged.queries)} queries")
    known = embedder.calibration
    embedder.close()
    signals = frozenset(args.signals.split(","))
    record = fitted_record(sets, fit(sets, signals))
    if args.write:
        write_record(model_of(args.embedder).name, record)
    return {"record": record, **judge(sets, known, signals)}


def fit(sets: Sets, signals: Collection[str] = SIGNALS) -> Weights:
    """Returns the weights under which what is relevant comes first.

    Args:
        signals: that may change weights; the others are left out.
    """
    level = np.median([np.median(one["all"].signals, axis=0) for one in sets.values()], axis=0)
    members = Counter(one["all"].family for one in sets.values())
    every = [
        (one, 1 / (len(members) * members[one.family] * len(found)))
        for found in sets.values()
        for one in found.values()
    ]
    spread = np.concatenate([one.signals for one, _ in every]).std(axis=0)
    blocks = [_Block.of(one, share, level, spread) for one, share in every]
    count = len(SIGNALS)
    near = np.concatenate([one.queries.cosine[one.queries.held] for one in blocks]).std()
    start = np.concatenate([[-np.log(near), np.log(0.1), 0.0], np.zeros(2 * count)])

    def loss(values: Floats) -> tuple[float, Floats]:
        found = [block.loss(values) for block in blocks]
        slope = np.sum([one for _, one in found], axis=0)
        slope[3:] += 2 * RIDGE * values[3:]
        return sum(one for one, _ in found) + RIDGE * float(values[3:] @ values[3:]), slope

    speaking = [(None, None) if name in signals else (0.0, 0.0) for name in SIGNALS]
    bounds = [(None, None)] * 3 + speaking * 2
    values = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return Weights(values[:3], values[3 : 3 + count], values[3 + count :], level, spread)


@dataclass(frozen=True, slots=True)
class _Block:
    """Queries with what of them the fit needs.

    Attributes:
        seen: shape (queries, signals); signals on the scale of the fit.
        wanted: shape (queries, hits); share of each hit in what all are worth, or all 0.
        weight: of each query.
    """

    queries: JudgedQueries
    seen: Floats
    wanted: Floats
    weight: float

    @classmethod
    def of(cls, queries: JudgedQueries, share: float, level: Floats, spread: Floats) -> "_Block":
        whole = queries.gain.sum(axis=1, keepdims=True)
        wanted = queries.gain / np.where(whole > 0, whole, 1)
        weight = share / max(int((whole > 0).sum()), 1)
        return cls(queries, (queries.signals - level) / spread, wanted, weight)

    def loss(self, values: Floats) -> tuple[float, Floats]:
        """Returns the loss of the conditional logit, and its slope."""
        count, one = len(SIGNALS), self.queries
        near = np.exp(values[0] + self.seen @ values[3 : 3 + count])
        words = np.exp(values[1] + self.seen @ values[3 + count :])
        margin = np.exp(values[2]) * one.margin
        by_words = words[:, np.newaxis] * (one.bm25 + margin)
        scores = np.where(one.held, near[:, np.newaxis] * one.cosine + by_words, NEVER)
        scores -= scores.max(axis=1, keepdims=True)
        scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
        chances = np.exp(scores)
        held = self.wanted.sum(axis=1, keepdims=True)
        loss = -self.weight * float((self.wanted * scores).sum())
        pull = self.weight * (chances * held - self.wanted)
        by_near = (pull * one.cosine).sum(axis=1) * near
        by_word = (pull * by_words).sum(axis=1)
        by_margin = float((pull * words[:, np.newaxis] * margin).sum())
        slope = np.concatenate(
            [
                [by_near.sum(), by_word.sum(), by_margin],
                self.seen.T @ by_near,
                self.seen.T @ by_word,
            ]
        )
        return loss, slope


def fitted_record(sets: Sets, weights: Weights) -> dict[str, object]:
    """Returns what of an embedder's record these weights are."""
    cosines = [one["all"].cosine[one["all"].gain > 0] for one in sets.values()]
    typical = float(np.median([np.median(found) for found in cosines]))
    prior, factor = _log_odds(sets, weights, typical)
    similarity, bm25 = np.exp(weights.base[:2]) * factor
    slopes = weights.similarity / weights.spread, weights.bm25 / weights.spread
    return {
        "prior": _short(prior),
        "similarity": _short(similarity),
        "bm25": _short(bm25),
        "bm25_margin": _short(bm25 * np.exp(weights.base[2])),
        "typical": _short(typical),
        "trust": {
            name: {
                "level": _short(weights.level[place]),
                "similarity": _short(slopes[0][place]),
                "bm25": _short(slopes[1][place]),
            }
            for place, name in enumerate(SIGNALS)
        },
    }


def _short(value: float) -> float:
    """Returns a number as a record has it."""
    return float(f"{value:.4g}")


def _log_odds(sets: Sets, weights: Weights, typical: float) -> tuple[float, float]:
    """Returns prior and factor under which scores are log-odds; no side's weight changes them."""
    scores, relevant, shares = [], [], []
    for found in sets.values():
        one = found["all"]
        seen = (one.signals - weights.level) / weights.spread
        near = np.exp(weights.base[0]) * _factors(seen @ weights.similarity)
        value = (weights.scores(one) - near * typical)[one.held]
        scores.append(value)
        relevant.append((one.gain > 0)[one.held])
        shares.append(np.full(len(value), 1 / len(value)))
    every, held, share = map(np.concatenate, (scores, relevant, shares))

    def loss(values: Floats) -> float:
        odds = values[0] + values[1] * every
        unsure = share * (np.logaddexp(0, odds) - held * odds)
        return float(unsure.sum() + RIDGE_LOGISTIC * values[1] ** 2)

    prior, factor = minimize(loss, np.array([-2.0, 1.0])).x
    return float(prior), float(factor)


def judge(sets: Sets, known: Calibration, signals: Collection[str] = SIGNALS) -> dict[str, object]:
    """Returns the figures of each set by weights that were fitted on other families."""
    result: dict[str, object] = {}
    by_family: dict[str, Weights] = {}
    means: dict[str, list[float]] = {}
    worst: dict[str, list[float]] = {"all": [], "scoped": []}
    usual = _weights_of(known)
    for name, found in sets.items():
        family = found["all"].family
        if family not in by_family:
            others = {key: one for key, one in sets.items() if one["all"].family != family}
            by_family[family] = fit(others, signals)
        figures: dict[str, object] = {}
        for where, one in found.items():
            each = _each(one, by_family[family], usual)
            told = _figures(each, one.units, scoped=where == "scoped")
            worst[where].append(told["against_best"])
            figures |= told if where == "all" else {"scoped": told}
            for system, values in each.items() if where == "all" else ():
                means.setdefault(system, []).append(float(values.mean()))
        result[name] = figures
        progress(f"{name}: {figures}")
    return result | {
        "worst": min(worst["all"]),
        "worst_scoped": min(worst["scoped"], default=None),
        "mean": {system: round(float(np.mean(found)), 4) for system, found in means.items()},
    }


def _each(one: JudgedQueries, ours: Weights, known: Weights) -> dict[str, Floats]:
    return {
        "dense": one.ndcg(one.cosine),
        "bm25": one.ndcg(one.words_alone()),
        "rrf": one.ndcg(one.rank_fusion()),
        "known": one.ndcg(known.scores(one)),
        "ours": one.ndcg(ours.scores(one)),
    }


def _figures(
    each: Mapping[str, Floats], units: Sequence[str], *, scoped: bool
) -> dict[str, object]:
    sides = ("dense", "rrf") if scoped else ("dense", "bm25")
    best = max(sides, key=lambda side: float(each[side].mean()))
    means = {system: round(float(values.mean()), 4) for system, values in each.items()}
    return means | paired("against_best", each["ours"], each[best], units=units)


def _weights_of(known: Calibration) -> Weights:
    """Returns the weights of a record."""
    trusts = [known.trust[name] for name in SIGNALS]
    ones = np.ones(len(SIGNALS))
    margin = known.bm25_margin / max(known.bm25, 1e-9)
    return Weights(
        np.log([known.similarity, known.bm25, max(margin, 1e-9)]),
        np.array([trust.similarity for trust in trusts]),
        np.array([trust.bm25 for trust in trusts]),
        np.array([trust.level for trust in trusts]),
        ones,
    )


if __name__ == "__main__":
    main()
