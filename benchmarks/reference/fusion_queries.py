"""What both sides of the store say of judged queries, as arrays that weights are fitted on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.retrieval.synthetic_scopes import synthetic_scopes
from benchmarks.shared.judged.collections import Collection
from benchmarks.shared.judged.passage_store import Passage, PassageStore, embedded, grouped
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from scops.libraries.index.ports import StoreHit
from scops.retriever.scoring.fusion import bm25_margins, query_signals

Floats = NDArray[np.float64]
HITS = 50
PLACES = 10
RANK_CONSTANT = 60
# Of places that a query has no hit for.
NOTHING = -1e9


@dataclass(frozen=True, slots=True)
class JudgedQueries:
    """Queries of one set, each with its hits; shape (queries, hits) but where told otherwise.

    Attributes:
        signals: shape (queries, signals); of `query_signals`.
        held: which places hold a hit.
        gain: what each hit is worth.
        ideal: shape (queries,); the best that ten places can be worth.
        units: of each query, what must be drawn together.
    """

    name: str
    family: str
    signals: Floats
    cosine: Floats
    bm25: Floats
    margin: Floats
    held: NDArray[np.bool_]
    gain: Floats
    ideal: Floats
    units: Sequence[str]

    def ndcg(self, scores: Floats) -> Floats:
        """Returns the nDCG@10 of each query under scores of the hits."""
        order = np.argsort(-np.where(self.held, scores, NOTHING), axis=1, kind="stable")
        gains = np.take_along_axis(self.gain, order[:, :PLACES], axis=1)
        found: Floats = gains @ _discounts(gains.shape[1]) / self.ideal
        return found

    def words_alone(self) -> Floats:
        """Returns the scores of BM25 alone; what it did not find comes last."""
        found: Floats = np.where(self.bm25 > 0, self.bm25, NOTHING)
        return found

    def rank_fusion(self) -> Floats:
        """Returns the scores of reciprocal rank fusion."""
        cosine, words = (
            1 / (RANK_CONSTANT + 1 + np.argsort(np.argsort(-side, axis=1), axis=1))
            for side in (np.where(self.held, self.cosine, NOTHING), self.words_alone())
        )
        fused: Floats = cosine + np.where(self.bm25 > 0, words, 0)
        return fused


def judged_queries(
    collection: Collection, embedder: CachingEmbedder
) -> Iterator[tuple[str, JudgedQueries]]:
    """Yields the queries of a set over everything (`all`) and, where it has scopes, inside."""
    judged = collection.judged
    passages = [Passage(one.id, one.title, one.text) for one in judged.documents]
    scopes = None
    if collection.scoped:
        vectors = embedder.embed_now(embedded(passages))
        scopes = synthetic_scopes([one.id for one in passages], vectors, judged.qrels)
        passages = grouped(passages, scopes.of_document)
    # Nothing is walked here, so that nothing need be read for its mentions.
    store = PassageStore.build(passages, embedder, mentions=[None] * len(passages))
    vectors = embedder.embed_now(list(judged.queries.values()), as_queries=True)
    for where in ("all", "scoped") if scopes else ("all",):
        hits = [
            store.search(
                text,
                vector,
                limit=HITS,
                group=scopes.of_query[query] if scopes and where == "scoped" else None,
            )
            for (query, text), vector in zip(judged.queries.items(), vectors, strict=True)
        ]
        yield where, _arrays(collection, hits)


def _arrays(collection: Collection, found: Sequence[Sequence[StoreHit]]) -> JudgedQueries:
    judged = collection.judged
    shape = (len(found), max(map(len, found)))
    cosine, bm25, margin, gain = (np.zeros(shape) for _ in range(4))
    held = np.zeros(shape, dtype=bool)
    signals, ideal = [], []
    for place, (query, hits) in enumerate(zip(judged.queries, found, strict=True)):
        last = len(hits)
        words = [hit.bm25 or 0.0 for hit in hits]
        cosines = [hit.similarity for hit in hits]
        cosine[place, :last], bm25[place, :last] = cosines, words
        margin[place, :last] = bm25_margins(words)
        gain[place, :last] = [judged.qrels[query].get(hit.chunk_id, 0) for hit in hits]
        held[place, :last] = True
        signals.append(query_signals(cosines, words))
        best = sorted(judged.qrels[query].values(), reverse=True)[:PLACES]
        ideal.append(np.array(best) @ _discounts(len(best)))
    return JudgedQueries(
        name=collection.name,
        family=collection.family,
        signals=np.array(signals),
        cosine=cosine,
        bm25=bm25,
        margin=margin,
        held=held,
        gain=gain,
        ideal=np.array(ideal),
        units=[collection.units[query] for query in judged.queries],
    )


def _discounts(places: int) -> Floats:
    found: Floats = 1 / np.log2(np.arange(places) + 2)
    return found
