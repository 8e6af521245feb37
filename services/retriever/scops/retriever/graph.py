"""Graph evidence: how close passages lie to what the question names, over what they mention.

Passages and mentions are the nodes, a mention in a passage is an edge. The walk starts anew at the
mentions that the question names (and a little at the passages that resemble it) and its standing
probability is the evidence. Only passages that may be shown are in the graph, so nothing reaches a
passage by way of one outside of the scopes.

Source: HippoRAG 2 and LinearRAG (personalised PageRank, a seed's weight divided by the passages
that hold it, passages at 0.05), without synonym edges; SPRIG (hubs left out).
"""

import math
from collections import Counter, deque
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

PASSAGES_MAX = 400
DAMPING = 0.5
ROUNDS = 30
PASSAGE_SHARE = 0.05
# What more than this share of the passages mention leads everywhere.
HUB_SHARE = 0.5
HUB_PASSAGES_MIN = 8
Array = NDArray[np.float64]


def edges_of(mentioned: Sequence[frozenset[str]]) -> dict[str, list[int]]:
    """Returns the passages of each mention that two or more share and that is no hub."""
    held: dict[str, list[int]] = {}
    for place, keys in enumerate(mentioned):
        for key in keys:
            held.setdefault(key, []).append(place)
    most = max(HUB_SHARE * len(mentioned), HUB_PASSAGES_MIN)
    return {key: held[key] for key in sorted(held) if len(held[key]) <= most}


def graph_scores(
    mentioned: Sequence[frozenset[str]], seeds: frozenset[str], similarities: Sequence[float]
) -> list[float] | None:
    """Returns the evidence for each passage.

    Args:
        mentioned: what each passage mentions; at most `PASSAGES_MAX` passages.
        seeds: what the question names.
        similarities: cosine of each passage with the question.

    Returns:
        In [0, 1], 1 for the closest; None where no passage mentions what the question names.
    """
    edges = edges_of(mentioned)
    known = sorted(seeds & edges.keys())
    if not known:
        return None
    standing = _walk(edges, known, mentioned, similarities)
    best = float(standing.max())
    return (standing / best).tolist() if best > 0 else None


def graph_paths(
    mentioned: Sequence[frozenset[str]], seeds: frozenset[str]
) -> list[tuple[str, ...]]:
    """Returns for each passage the mentions on a shortest way to it from what the question names.

    The first is named by the question, each next one is mentioned together with the one before,
    the last stands in the passage. Empty where no way leads to it. Of equally short ways the one
    by the rarest mention is told.
    """
    edges = edges_of(mentioned)
    paths: list[tuple[str, ...]] = [()] * len(mentioned)
    known = sorted(seeds & edges.keys(), key=lambda key: (len(edges[key]), key))
    waiting: deque[tuple[str, ...]] = deque((key,) for key in known)
    reached = set(known)
    while waiting:
        path = waiting.popleft()
        for place in edges[path[-1]]:
            if paths[place]:
                continue
            paths[place] = path
            onward = sorted(mentioned[place] & edges.keys() - reached)
            onward.sort(key=lambda key: len(edges[key]))
            reached.update(onward)
            waiting.extend((*path, key) for key in onward)
    return paths


def bridges(
    mentioned: Sequence[frozenset[str]], seeds: frozenset[str], scores: Sequence[float], count: int
) -> list[str]:
    """Returns the mentions, beside the seeds, that the closest passages lead to, best first.

    A mention counts the evidence of its passages, less the more of the candidates hold it.
    """
    gained: dict[str, float] = {}
    holders = Counter(key for keys in mentioned for key in keys)
    for keys, score in zip(mentioned, scores, strict=True):
        for key in keys - seeds:
            gain = score * math.log(1 + len(mentioned) / holders[key])
            gained[key] = gained.get(key, 0.0) + gain
    ranked = sorted(gained, key=lambda key: (-gained[key] / math.sqrt(holders[key]), key))
    return ranked[:count]


def _walk(
    edges: Mapping[str, Sequence[int]],
    seeds: Sequence[str],
    mentioned: Sequence[frozenset[str]],
    similarities: Sequence[float],
) -> Array:
    count, keys = len(mentioned), list(edges)
    rows = [place for key in keys for place in edges[key]]
    columns = [number for number, key in enumerate(keys) for _ in edges[key]]
    weights = [math.log(1 + count / len(edges[key])) for key in keys for _ in edges[key]]
    links = csr_matrix((weights, (rows, columns)), shape=(count, len(keys)))
    to_mentions, to_passages = _normal(links), _normal(links.T.tocsr())
    numbers = {key: number for number, key in enumerate(keys)}
    begin_mentions, begin_passages = np.zeros(len(keys)), _spread(similarities)
    for seed in seeds:
        begin_mentions[numbers[seed]] = 1 / len(edges[seed])
    begin_mentions *= (1 - PASSAGE_SHARE) / begin_mentions.sum()
    passages, inner = begin_passages, begin_mentions
    for _ in range(ROUNDS):
        passages, inner = (
            (1 - DAMPING) * begin_passages + DAMPING * (to_passages.T @ inner),
            (1 - DAMPING) * begin_mentions + DAMPING * (to_mentions.T @ passages),
        )
    result: Array = passages
    return result


def _normal(links: csr_matrix) -> csr_matrix:
    """Returns rows that sum to 1; empty ones stay empty."""
    sums = np.asarray(links.sum(axis=1)).ravel()
    scale = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)
    return links.multiply(scale[:, None]).tocsr()


def _spread(similarities: Sequence[float]) -> Array:
    """Returns the passages' share of the start, by how much they resemble the question."""
    values = np.asarray(similarities, dtype=np.float64)
    above = values - values.min()
    total = above.sum()
    spread = above / total if total else np.full(len(values), 1 / len(values))
    result: Array = PASSAGE_SHARE * spread
    return result
