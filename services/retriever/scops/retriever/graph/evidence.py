"""Graph evidence for the candidates of a question, and what a second search is to ask for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scops.common.contract.ids import ChunkId
from scops.libraries.embedder.calibration import Calibration
from scops.libraries.index.ports import StoreHit
from scops.libraries.mentions.keys import mentions_text, named_in
from scops.libraries.mentions.rules import read_by_rules
from scops.retriever.graph.mention_graph import PASSAGES_MAX, bridges, graph_paths, graph_scores
from scops.retriever.scoring.relevance import most_relevant

BRIDGES = 8


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


def graph_evidence(
    question: str, hits: Sequence[StoreHit], calibration: Calibration
) -> GraphEvidence:
    """Returns the evidence over the likeliest hits, each of which may be shown."""
    likely = most_relevant(hits, PASSAGES_MAX, calibration)
    mentioned = [_mentioned(hit) for hit in likely]
    seeds = frozenset(
        key
        for key in named_in(question, frozenset().union(*mentioned))
        if _is_name(key, likely, mentioned)
    )
    likenesses = [calibration.likeness(hit.similarity) for hit in likely]
    scores = graph_scores(mentioned, seeds, likenesses) if likely else None
    if scores is None:
        return GraphEvidence({})
    chunk_ids = [hit.chunk_id for hit in likely]
    return GraphEvidence(
        dict(zip(chunk_ids, scores, strict=True)),
        tuple(bridges(mentioned, seeds, scores, BRIDGES)),
        dict(zip(chunk_ids, graph_paths(mentioned, seeds), strict=True)),
    )


def _mentioned(hit: StoreHit) -> frozenset[str]:
    """Returns what a hit mentions; what was indexed without its mentions is read now."""
    if hit.mentions is not None:
        return hit.mentions
    return frozenset(read_by_rules(mentions_text(hit.header, hit.text)).keys)


def _may_hold(text: str, key: str) -> bool:
    """Says at once of most texts that they do not hold a word, in whatever letters."""
    return key in text or not text.isascii() or key in text.lower()


def _is_name(key: str, hits: Sequence[StoreHit], mentioned: Sequence[frozenset[str]]) -> bool:
    """Returns whether a key is more than a word that some title writes in capitals.

    A single word is a name where at least as many passages mention it as merely hold it.
    """
    if " " in key:
        return True
    word = re.compile(rf"\b{re.escape(key)}\b", re.IGNORECASE)
    marked = sum(key in keys for keys in mentioned)
    plain = sum(
        _may_hold(hit.text, key) and word.search(hit.text) is not None
        for hit, keys in zip(hits, mentioned, strict=True)
        if key not in keys
    )
    return marked >= plain
