"""Graph evidence for the candidates of a question, and what a second search is to ask for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scops.common.ids import ChunkId
from scops.common.index.ports import StoreHit
from scops.retriever.graph import PASSAGES_MAX, bridges, graph_scores
from scops.retriever.mentions import mentions, named_in
from scops.retriever.score import leads, relevance

BRIDGES = 4


@dataclass(frozen=True, slots=True)
class GraphEvidence:
    """What the graph over some hits says; nothing where the question names nothing in it.

    Attributes:
        scores: in [0, 1] by chunk.
        bridges: mentions that the closest passages lead to, best first.
    """

    scores: Mapping[ChunkId, float]
    bridges: tuple[str, ...] = ()


def graph_evidence(question: str, hits: Sequence[StoreHit]) -> GraphEvidence:
    """Returns the evidence over the likeliest hits, each of which may be shown."""
    likely = _likeliest(hits)
    mentioned = [mentions(f"{hit.header}. {hit.text}") for hit in likely]
    seeds = named_in(question, frozenset().union(*mentioned)) | mentions(question)
    scores = graph_scores(mentioned, seeds, [hit.similarity for hit in likely]) if likely else None
    if scores is None:
        return GraphEvidence({})
    by_chunk = {hit.chunk_id: score for hit, score in zip(likely, scores, strict=True)}
    return GraphEvidence(by_chunk, tuple(bridges(mentioned, seeds, scores, BRIDGES)))


def _likeliest(hits: Sequence[StoreHit]) -> list[StoreHit]:
    rises = leads([hit.bm25 or 0.0 for hit in hits])
    ranked = sorted(
        zip(hits, rises, strict=True),
        key=lambda one: (
            -relevance(one[0].similarity, one[0].bm25 or 0.0, one[1]),
            one[0].chunk_id,
        ),
    )
    return [hit for hit, _ in ranked[:PASSAGES_MAX]]
