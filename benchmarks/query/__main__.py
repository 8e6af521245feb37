"""What a search costs, as an application and as the explainer ask it, against the bare client.

    python -m benchmarks.query [--sizes 20000,100000] --json

Weaviate is real, on this machine. The corpus is made up (`query_corpus`): real words by Zipf's
law, vectors in clusters; it is indexed by the indexer's own handlers. `scops up` serves, and all
sides embed each query with the same embedder, ask under the same filter and return ten passages
with their texts, asked from the event loop of one process. No query is asked twice; the sides
take turns (`query_latency`).

Keys, for each size:
    p50_vs_weaviate, p95_vs_weaviate: Search through the gateway by `hybrid` of weaviate-client,
        limit 10, on the same collection, in the same run; both with the recipe `hybrid`.
    p50_ms, p95_ms: Search through the gateway; `weaviate_p50_ms`, `weaviate_p95_ms` the other;
        `p50_above_ms`, `p95_above_ms` by how much ours is above it.
    retrieve_p50_vs_weaviate, retrieve_p95_vs_weaviate, retrieve_p50_ms, retrieve_p95_ms: the same
        for the retriever's own question, `Retrieve` over the bus, without gateway and gRPC.
    recipes: all of these for other recipes than `hybrid`, `graph` with its second round, in the
        same turns.
    memory_growth_mb: of the serving process tree over all timed queries, seven in a turn of which
        six are ours; `memory_growth_second_half_mb`: over the second half of them.
    filtered_recall@10: the ten best of the vector side of the store, asked as the retriever asks,
        against exact search, by selectivity in percent (`list`, `bucket`: pages drawn by lot;
        `kmeans`: whole clusters); `worst` of all.
    fill_seconds: indexing the corpus.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.query.corpus import (
    BUCKETS,
    CHUNKS_PER_PAGE,
    HOST,
    KMEANS_CLUSTERS,
    Corpus,
    CorpusPage,
)
from benchmarks.query.index import common_of, fill
from benchmarks.query.latency import LIMIT, QUERIES, SCOPE, measured
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.system import System
from scops.common.config.settings import CommonSettings
from scops.common.contract.ids import ScopeId
from scops.common.observe.log import configure_logging
from scops.common.scope.contexts import PUBLIC
from scops.common.scope.filter import ScopeClause, ScopeFilter
from scops.libraries.embedder.port import FloatArray
from scops.libraries.index.opening import open_chunk_store
from scops.libraries.index.ports import ChunkStore, StoreQuery
from scops.retriever.settings import RetrieverSettings
from tests.fakes.servers.weaviate import running_weaviate

SIZES = (20_000, 100_000)
SEED = 17
# Weaviate writes out what it holds in memory after a minute without writes; until then its BM25
# takes many times as long, on both sides, which would hide what the way through us costs.
SETTLE_SECONDS = 80.0
RECALL_QUERIES = 40


def main() -> None:
    parser = command_parser(__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="chunks, with commas")
    args = parser.parse_args()
    configure_logging(CommonSettings.load())
    result = measure([int(size) for size in args.sizes.split(",")])
    print_result(result, args)


def measure(sizes: Sequence[int]) -> dict[str, dict[str, Any]]:
    """Returns the figures that the module's docstring names, by size."""
    return {str(size): _measure(size) for size in sizes}


def _measure(size: int) -> dict[str, Any]:
    corpus = Corpus(size, seed=SEED)
    with tempfile.TemporaryDirectory(prefix="scops-bench-") as scratch:
        folder = Path(scratch)
        with running_weaviate(folder / "weaviate") as servers:
            common = common_of(folder / "system", servers)
            system = System(folder / "system", settings=servers)
            with system.running(), Client(system.address) as client:
                started = time.monotonic()
                fill(corpus, common)
                fill_seconds = time.monotonic() - started
                progress(f"{size} chunks indexed in {fill_seconds:.0f} s")
                client.create_prefix_scope(SCOPE, HOST)
                time.sleep(SETTLE_SECONDS)
                latencies = asyncio.run(measured(corpus, common, system))
                progress(f"{size}: {latencies.figures()}")
            recalls = asyncio.run(_recalls(corpus, common))
            progress(f"{size}: recall {recalls}")
    return {
        **latencies.figures(),
        "filtered_recall@10": recalls | {"worst": min(recalls.values())},
        "fill_seconds": round(fill_seconds, 1),
        "queries": QUERIES,
    }


async def _recalls(corpus: Corpus, common: CommonSettings) -> dict[str, float]:
    """Returns the recall of the store's vector side by kind and selectivity of the scope."""
    store = open_chunk_store(common)
    queries = corpus.query_vectors(RECALL_QUERIES)
    try:
        return {
            name: round(await _recall(corpus, store, queries, prefixes, holds), 4)
            for name, prefixes, holds in _scopes(corpus)
        }
    finally:
        await store.close()


async def _recall(
    corpus: Corpus,
    store: ChunkStore,
    queries: FloatArray,
    prefixes: Sequence[str],
    holds: Callable[[CorpusPage], bool],
) -> float:
    clause = ScopeClause(ScopeId("s"), frozenset(prefixes), frozenset(), frozenset({PUBLIC}))
    inside = np.zeros(corpus.size, dtype=np.bool_)
    for page in corpus.pages:
        inside[page.first : page.first + CHUNKS_PER_PAGE] = holds(page)
    places = np.flatnonzero(inside)
    found, depth = 0, RetrieverSettings.load().candidates
    for vector in queries:
        # As the retriever asks: more than it returns.
        query = StoreQuery(text="", vector=vector, scope_filter=ScopeFilter((clause,)), limit=depth)
        best = (await store.search(query))[:LIMIT]
        hits = {int(hit.text.split(maxsplit=2)[1]) for hit in best}
        similarities = corpus.vectors[places] @ vector
        exact = places[np.argsort(-similarities)[:LIMIT]]
        found += len(hits & set(exact.tolist()))
    return found / (len(queries) * min(LIMIT, len(places)))


def _scopes(corpus: Corpus) -> list[tuple[str, list[str], Callable[[CorpusPage], bool]]]:
    """Returns scopes by name: their prefixes, and which pages they hold."""
    listed = [_listed(corpus, percent) for percent in (0.1, 1)]
    buckets = [_buckets(count) for count in (1, 2, 5, BUCKETS - 1)]
    tenth = KMEANS_CLUSTERS // 10
    clusters = [_clusters(count) for count in (1, 2 * tenth, 5 * tenth, 9 * tenth)]
    return [*listed, *buckets, *clusters, ("all_100", [HOST], lambda page: True)]


def _listed(corpus: Corpus, percent: float) -> tuple[str, list[str], Callable[[CorpusPage], bool]]:
    chance = np.random.default_rng(SEED)
    count = max(1, round(len(corpus.pages) * percent / 100))
    chosen = frozenset(chance.choice(len(corpus.pages), count, replace=False).tolist())
    urls = [page.url.removeprefix("https://") for page in corpus.pages if page.number in chosen]
    return f"list_{percent}", urls, lambda page: page.number in chosen


def _buckets(count: int) -> tuple[str, list[str], Callable[[CorpusPage], bool]]:
    prefixes = [f"{HOST}/k{k}/b{b}" for k in range(KMEANS_CLUSTERS) for b in range(count)]
    return f"bucket_{100 * count // BUCKETS}", prefixes, lambda page: page.bucket < count


def _clusters(count: int) -> tuple[str, list[str], Callable[[CorpusPage], bool]]:
    prefixes = [f"{HOST}/k{cluster}" for cluster in range(count)]
    return f"kmeans_{100 * count // KMEANS_CLUSTERS}", prefixes, lambda page: page.cluster < count


if __name__ == "__main__":
    main()
