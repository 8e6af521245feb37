"""Passages that only a second step leads to, with and without the graph.

    python -m benchmarks.multihop --data ../shared/data/retrieval/msmarco-dl19 --json

Questions are made of the corpus (`two_hops`): each names what one passage alone mentions, and some
common words of the goal, which shares a bridge with that passage. They are made by the retriever's
own rules for mentions, so they tell what a walk can gain, not what people ask.

Keys, by recipe (`hybrid`, `default`, `graph`):
    hit@5|10|20, mrr@10: of the goal. `graph` searches a second time, as the retriever does.
    start@10: the passage that the question starts from is among the first ten.
`graph_by_alpha`: hits of `graph` where the request gives the walk more weight than the default.
`bridged`: share of the questions whose bridge the second search asked for. `questions`.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import beir
from benchmarks.passage_store import Passage, PassageStore, embedded
from benchmarks.scoring import Scorer
from benchmarks.two_hops import TwoHopQuestion, two_hop_questions
from benchmarks.vector_cache import CachingEmbedder
from scops.common.embedder.port import FloatArray
from scops.common.embedder.registry import load_embedder
from scops.common.index.ports import StoreHit
from scops.common.messages.retrieval import Weights
from scops.retriever.graph_evidence import graph_evidence
from scops.retriever.settings import RetrieverSettings

QUESTIONS = 150
CUTS = (5, 10, 20)
RECIPES = ("hybrid", "default", "graph")
ALPHAS = (0.6, 0.4, 0.2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder in the BEIR layout")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="at most so many")
    parser.add_argument("--json", action="store_true", help="print nothing but one JSON object")
    args = parser.parse_args()
    result = measure(args.data, count=args.questions)
    print(json.dumps(result) if args.json else json.dumps(result, indent=1))


def measure(data: Path, *, count: int) -> dict[str, Any]:
    """Returns the figures that the module's docstring names."""
    started = time.monotonic()
    documents = beir.read(data).documents
    texts = [document.text for document in documents]
    asked = two_hop_questions(texts, count=count)
    print(f"made {len(asked)} questions", file=sys.stderr, flush=True)
    embedder = CachingEmbedder(load_embedder())
    passages = [Passage(entry.id, entry.title, entry.text) for entry in documents]
    store = PassageStore.build(passages, embedder.embed_now(embedded(passages)), embedder)
    vectors = embedder.embed_now([question.text for question in asked])
    scorer, found, bridged = Scorer(embedder), dict[str, list[list[str]]](), []
    for question, vector in zip(asked, vectors, strict=True):
        near = store.search(question.text, vector, limit=RetrieverSettings().candidates)
        more, followed = _with_bridges(store, question, vector, near)
        bridged.append(followed)
        for recipe in RECIPES:
            hits = more if recipe == "graph" else near
            ranking = scorer.ranking(scorer.question(question.text, recipe=recipe), hits)
            found.setdefault(recipe, []).append(ranking)
        for alpha in ALPHAS:
            weighed = scorer.question(question.text, recipe="graph", weights=Weights(alpha=alpha))
            found.setdefault(str(alpha), []).append(scorer.ranking(weighed, more))
    embedder.close()
    ids = [passage.id for passage in passages]
    figures = {recipe: _figures(found.get(recipe, []), asked, ids) for recipe in RECIPES}
    return {
        **figures,
        "graph_by_alpha": {
            str(alpha): _figures(found.get(str(alpha), []), asked, ids) for alpha in ALPHAS
        },
        "bridged": round(float(np.mean(bridged)), 4) if bridged else None,
        "questions": len(asked),
        "benchmark_seconds": round(time.monotonic() - started),
    }


def _with_bridges(
    store: PassageStore, question: TwoHopQuestion, vector: FloatArray, hits: Sequence[StoreHit]
) -> tuple[list[StoreHit], bool]:
    """Returns the hits with those of the second search, and whether it asked for the bridge."""
    bridges = graph_evidence(question.text, hits).bridges
    if not bridges:
        return list(hits), False
    known = {hit.chunk_id for hit in hits}
    second = store.search(" ".join(bridges), vector, limit=RetrieverSettings().candidates)
    new = [replace(hit, bm25=None) for hit in second if hit.chunk_id not in known]
    return [*hits, *new], question.bridge in bridges


def _figures(
    rankings: Sequence[Sequence[str]], asked: Sequence[TwoHopQuestion], ids: Sequence[str]
) -> Mapping[str, float]:
    if not asked:
        return {}
    goals = [
        _rank(ranking, ids[question.goal])
        for ranking, question in zip(rankings, asked, strict=True)
    ]
    starts = [
        _rank(ranking, ids[question.start])
        for ranking, question in zip(rankings, asked, strict=True)
    ]
    figures = {f"hit@{cut}": _mean([0 < rank <= cut for rank in goals]) for cut in CUTS}
    figures["mrr@10"] = _mean([1 / rank if 0 < rank <= 10 else 0.0 for rank in goals])
    figures["start@10"] = _mean([0 < rank <= 10 for rank in starts])
    return figures


def _rank(ranking: Sequence[str], wanted: str) -> int:
    """Returns the place of a passage from 1; 0 where it is not found."""
    return ranking.index(wanted) + 1 if wanted in ranking else 0


def _mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 4)


if __name__ == "__main__":
    main()
