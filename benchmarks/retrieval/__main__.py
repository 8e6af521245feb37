"""Ranking of judged passages, plain and inside scopes (BEIR layout).

    python -m benchmarks.retrieval --data ../shared/data/retrieval/<set> --json

The store is the SQLite one in memory, the scoring the retriever's own, all in one configuration.

Keys:
    plain: `bm25`, `dense`, `hybrid`, `default` and `graph` (recipes), `rrf` (reciprocal rank
        fusion of both sides, for comparison): ndcg@10, recall@100, mrr@10. Recipes rank the hits
        that the service asks for, ten passages wanted; recall@100 with a hundred wanted.
    scoped: OwlerLite's protocol; 20 k-means scopes (seed 0; `--scopes`, `--seed`), the target is
        the scope with most relevant passages. `baseline`: dense top 100. `post_filter`: those
        inside. `owlerlite`: the dense top 100 by the recipe of that name, the target scope
        preferred. `filter_dense` and `filter_rrf`: the dense side and reciprocal rank fusion under
        the filter.
        `ours-hard`: recipe `default` under the filter. `ours-soft`: the same over everything, the
        target scope preferred.
        ndcg@10 by all judgements, ndcg@10_in_scope by those inside, sf@10 the share of the first
        min(10, size of the scope) places that are inside (missing places are misses), sl@10 the
        share of 10 places that are outside, returned the passages in the first ten.
    scoped_mostly: the same over the queries with at least 80 % of the relevant inside.
    against: in `plain`, `hybrid` and `default` less each of `bm25`, `dense` and `rrf`; in `scoped`
        and `scoped_mostly`, `ours-hard` and `ours-soft` less `filter_dense`, `filter_rrf` and
        `owlerlite`: `SYSTEM.OTHER.ndcg@10`, with `..._interval` (95 %, bootstrap over queries) and
        `..._p` (two-sided randomisation test).
    gamma: `used` by ours-soft (`--gamma`, where the scope holds nothing that answers), and `fitted`
        on this set: the odds ratio of outside to inside at equal score, by logistic regression.
"""

import math
import time
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]

from benchmarks.retrieval.synthetic_scopes import SCOPES, SEED, Scopes, synthetic_scopes
from benchmarks.shared.command import add_embedder, command_parser, print_result
from benchmarks.shared.judged.beir import JudgedSet, read
from benchmarks.shared.judged.passage_store import Passage, PassageStore, embedded, grouped
from benchmarks.shared.judged.ranks import mean
from benchmarks.shared.judged.scoring import (
    Scorer,
    by_bm25,
    by_rank_fusion,
    by_similarity,
    judged,
    judged_each,
)
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from scops.common.config.settings import EMBEDDER_DEFAULT, EmbedderName
from scops.common.contract.messages.retrieval import Weights
from scops.libraries.embedder.calibration import Calibration
from scops.libraries.embedder.port import FloatArray
from scops.libraries.embedder.registry import load_embedder
from scops.libraries.index.ports import StoreHit
from scops.retriever.question import GAMMA
from scops.retriever.scoring.fusion import side_weights
from scops.retriever.scoring.relevance import nearest, store_evidence
from scops.standalone.evaluation.paired import paired

HITS = 200
DENSE_DEPTH = 100
PLACES = 10
RECALL_DEPTH = 100
RECIPES = ("hybrid", "default", "graph")
MEASURES = ("nDCG@10", "RR@10")
DEEP_MEASURES = ("R@100",)
PLAIN_PAIRS = (("hybrid", "default"), ("bm25", "dense", "rrf"))
SCOPED_PAIRS = (("ours-hard", "ours-soft"), ("filter_dense", "filter_rrf", "owlerlite"))
Rankings = dict[str, dict[str, list[str]]]
Figures = Mapping[str, float | list[float]]


def main() -> None:
    parser = command_parser(__doc__, data="folder in the BEIR layout")
    parser.add_argument("--scopes", type=int, default=SCOPES, help="clusters of the corpus")
    parser.add_argument("--seed", type=int, default=SEED, help="of the clusters")
    parser.add_argument("--gamma", type=float, default=GAMMA, help="what ours-soft asks with")
    add_embedder(parser)
    args = parser.parse_args()
    result = measure(
        args.data,
        count=args.scopes,
        seed=args.seed,
        gamma=args.gamma,
        embedder_name=args.embedder,
    )
    print_result(result, args)


def measure(
    data: Path,
    *,
    count: int = SCOPES,
    seed: int = SEED,
    gamma: float = GAMMA,
    embedder_name: EmbedderName = EMBEDDER_DEFAULT,
) -> dict[str, Any]:
    """Returns the figures that the module's docstring names."""
    started = time.monotonic()
    sets = read(data)
    embedder = CachingEmbedder(load_embedder(embedder_name))
    passages = [Passage(one.id, one.title, one.text) for one in sets.documents]
    vectors = embedder.embed_now(embedded(passages))
    ids = [one.id for one in passages]
    scopes = synthetic_scopes(ids, vectors, sets.qrels, count=count, seed=seed)
    store = PassageStore.build(grouped(passages, scopes.of_document), embedder)
    queries = embedder.embed_now(list(sets.queries.values()), as_queries=True)
    asked = dict(zip(sets.queries, queries, strict=True))
    scorer = Scorer(embedder)
    plain = _plain(sets, store, asked, scorer)
    scoped = _scoped(sets, store, asked, scorer, scopes, gamma=gamma)
    result = {
        "plain": plain,
        "scoped": _scoped_figures(scoped, sets, scopes, frozenset(sets.queries)),
        "scoped_mostly": _scoped_figures(scoped, sets, scopes, scopes.mostly),
        "gamma": {
            "used": gamma,
            "fitted": _fitted_gamma(sets, store, asked, scopes, embedder.calibration),
        },
        "documents": len(passages),
        "queries": len(sets.queries),
        "queries_mostly": len(scopes.mostly),
    }
    embedder.close()
    return {**result, "benchmark_seconds": round(time.monotonic() - started)}


def _plain(
    sets: JudgedSet, store: PassageStore, asked: Mapping[str, FloatArray], scorer: Scorer
) -> dict[str, Figures]:
    """Returns the measures of each system, of recipes as deep as the service looks for them."""
    first: Rankings = {}
    all_places: Rankings = {}
    for query, text in sets.queries.items():
        hits = store.search(text, asked[query], limit=HITS)
        rankings = {
            "bm25": by_bm25(hits),
            "dense": by_similarity(hits),
            "rrf": by_rank_fusion(hits),
        }
        deep = dict(rankings)
        for recipe in RECIPES:
            for limit, kept in ((PLACES, rankings), (RECALL_DEPTH, deep)):
                question = scorer.question(text, recipe=recipe, limit=limit)
                kept[recipe] = scorer.ranking(question, scorer.hits(store, question, asked[query]))
        for name, ranking in rankings.items():
            first.setdefault(name, {})[query] = ranking
            all_places.setdefault(name, {})[query] = deep[name]
    figures = {
        name: judged(found, sets.qrels, MEASURES)
        | judged(all_places[name], sets.qrels, DEEP_MEASURES)
        for name, found in first.items()
    }
    return {**figures, "against": _against(first, sets.qrels, PLAIN_PAIRS)}


def _scoped(
    sets: JudgedSet,
    store: PassageStore,
    asked: Mapping[str, FloatArray],
    scorer: Scorer,
    scopes: Scopes,
    *,
    gamma: float,
) -> Rankings:
    found: dict[str, dict[str, list[str]]] = {}
    for query, text in sets.queries.items():
        target = scopes.of_query[query]
        everywhere = store.search(text, asked[query], limit=HITS)
        inside = store.search(text, asked[query], limit=HITS, group=target)
        dense = nearest(everywhere, DENSE_DEPTH)
        membership: dict[str, float] = {hit.chunk_id: 1.0 for hit in inside}
        membership |= {
            hit.chunk_id: float(scopes.of_document[hit.chunk_id] == target) for hit in everywhere
        }
        both: dict[str, StoreHit] = {hit.chunk_id: hit for hit in (*inside, *everywhere)}
        question = scorer.question(text, limit=PLACES)
        preferring = scorer.question(text, limit=PLACES, weights=Weights(gamma=gamma))
        published = scorer.question(text, recipe="owlerlite", limit=PLACES)
        hard = scorer.hits(store, question, asked[query], group=target)
        rankings: dict[str, list[str]] = {
            "baseline": [hit.chunk_id for hit in dense],
            "post_filter": [hit.chunk_id for hit in dense if membership[hit.chunk_id]],
            "owlerlite": scorer.ranking(published, dense, membership=membership),
            "filter_dense": by_similarity(inside),
            "filter_rrf": by_rank_fusion(inside),
            "ours-hard": scorer.ranking(question, hard),
            "ours-soft": scorer.ranking(preferring, list(both.values()), membership=membership),
        }
        for name, ranking in rankings.items():
            found.setdefault(name, {})[query] = ranking[:PLACES]
    return found


def _scoped_figures(
    found: Rankings, sets: JudgedSet, scopes: Scopes, queries: frozenset[str]
) -> dict[str, Figures]:
    qrels = {query: sets.qrels[query] for query in sets.queries if query in queries}
    inside = {
        query: {one: gain for one, gain in gains.items() if scopes.inside(query, [one])[0]}
        for query, gains in qrels.items()
    }
    figures: dict[str, Figures] = {}
    for name, rankings in found.items():
        kept = {query: rankings[query] for query in qrels}
        fidelity, leakage = _fidelity(kept, scopes)
        figures[name] = {
            **judged(kept, qrels, ("nDCG@10",)),
            "ndcg@10_in_scope": judged(kept, inside, ("nDCG@10",))["ndcg@10"],
            "sf@10": fidelity,
            "sl@10": leakage,
            "returned": mean([len(ranking) for ranking in kept.values()]),
        }
    return {**figures, "against": _against(found, qrels, SCOPED_PAIRS)}


def _against(
    found: Rankings, qrels: Mapping[str, Mapping[str, int]], pairs: tuple[Sequence[str], ...]
) -> Figures:
    """Returns the paired differences of systems, by `SYSTEM.OTHER.ndcg@10`; none of no query."""
    if not qrels:
        return {}
    ours, others = pairs
    each = {name: judged_each(found[name], qrels, "nDCG@10") for name in (*ours, *others)}
    return {
        key: value
        for mine, other in product(ours, others)
        for key, value in paired(f"{mine}.{other}.ndcg@10", each[mine], each[other]).items()
    }


def _fidelity(rankings: Mapping[str, Sequence[str]], scopes: Scopes) -> tuple[float, float]:
    fidelity, leakage = [], []
    for query, ranking in rankings.items():
        held = scopes.inside(query, ranking)
        places = min(PLACES, scopes.size(scopes.of_query[query]))
        fidelity.append(min(sum(held) / places, 1.0))
        leakage.append((len(held) - sum(held)) / PLACES)
    return mean(fidelity), mean(leakage)


def _fitted_gamma(
    sets: JudgedSet,
    store: PassageStore,
    asked: Mapping[str, FloatArray],
    scopes: Scopes,
    calibration: Calibration,
) -> float:
    """Returns e^c of logit P(relevant) = a score + b + c [outside], scaled so that a is 1."""
    rows = []
    for query, text in sets.queries.items():
        hits = store.search(text, asked[query], limit=HITS)
        inside = scopes.inside(query, [hit.chunk_id for hit in hits])
        evidence = store_evidence(hits, side_weights(hits, calibration))
        rows += [
            (
                one.relevance,
                float(not held),
                float(hit.chunk_id in sets.qrels[query]),
            )
            for hit, one, held in zip(hits, evidence, inside, strict=True)
        ]
    score, outside, relevant = np.array(rows).T

    def loss(values: FloatArray) -> float:
        logit = values[0] * score + values[1] + values[2] * outside
        return float(np.sum(np.logaddexp(0, logit) - relevant * logit))

    slope, _, shift = minimize(loss, [1.0, 0.0, -1.0]).x.tolist()
    return round(math.exp(shift / slope), 4)


if __name__ == "__main__":
    main()
