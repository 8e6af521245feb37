"""Graph evidence for the candidates of a question, and what a second search is to ask for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scops.common.ids import ChunkId
from scops.common.index.ports import StoreHit
from scops.retriever.graph import PASSAGES_MAX, bridges, graph_paths, graph_scores
from scops.retriever.mentions import mentions, named_in
from scops.retriever.score import leads, relevance

BRIDGES = 4


@dataclass(frozen=True, slots=True)
class GraphEvidence:
    """What the graph over some hits says; nothing where the question names nothing in it.

    Attributes:
        scores: in [0, 1] by chunk.
        bridges: mentions that the closest passages lead to, best first.
        paths: mentions that lead from the question to a passage, by chunk; see `graph_paths`.
    """

    scores: Mapping[ChunkId, float]
    bridges: tuple[str, ...] = ()
    paths: Mapping[ChunkId, tuple[str, ...]] = field(default_factory=dict)


def graph_evidence(question: str, hits: Sequence[StoreHit]) -> GraphEvidence:
    """Returns the evidence over the likeliest hits, each of which may be shown."""
    likely = _likeliest(hits)
    mentioned = [mentions(f"{hit.header}. {hit.text}") for hit in likely]
    seeds = named_in(question, frozenset().union(*mentioned)) | mentions(question)
    scores = graph_scores(mentioned, seeds, [hit.similarity for hit in likely]) if likely else None
    if scores is None:
        return GraphEvidence({})
    chunk_ids = [hit.chunk_id for hit in likely]
    return GraphEvidence(
        dict(zip(chunk_ids, scores, strict=True)),
        tuple(bridges(mentioned, seeds, scores, BRIDGES)),
        dict(zip(chunk_ids, graph_paths(mentioned, seeds), strict=True)),
    )


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
