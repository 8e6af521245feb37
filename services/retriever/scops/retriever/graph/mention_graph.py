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
        similarities: likeness of each passage to the question.

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
    holders = np.array([len(edges[key]) for key in keys])
    # One entry an edge: its passage, its mention and which share of either's weight it carries.
    passage_of = np.array([place for key in keys for place in edges[key]])
    mention_of = np.repeat(np.arange(len(keys)), holders)
    weights = np.log1p(count / holders)[mention_of]
    share_of_passage = weights / np.bincount(passage_of, weights, count)[passage_of]
    share_of_mention = 1 / holders[mention_of]
    begin_mentions, begin_passages = _start(edges, seeds, keys), _spread(similarities)
    passages, inner = begin_passages, begin_mentions
    for _ in range(ROUNDS):
        to_passages = np.bincount(passage_of, share_of_mention * inner[mention_of], count)
        to_mentions = np.bincount(mention_of, share_of_passage * passages[passage_of], len(keys))
        passages = (1 - DAMPING) * begin_passages + DAMPING * to_passages
        inner = (1 - DAMPING) * begin_mentions + DAMPING * to_mentions
    return passages


def _start(edges: Mapping[str, Sequence[int]], seeds: Sequence[str], keys: Sequence[str]) -> Array:
    """Returns the mentions' share of the start: the seeds, the more the fewer passages hold one."""
    named = frozenset(seeds)
    start = np.array([1 / len(edges[key]) if key in named else 0.0 for key in keys])
    result: Array = start * ((1 - PASSAGE_SHARE) / start.sum())
    return result


def _spread(similarities: Sequence[float]) -> Array:
    """Returns the passages' share of the start, by how much they resemble the question."""
    values = np.asarray(similarities, dtype=np.float64)
    above = values - values.min()
    total = above.sum()
    spread = above / total if total else np.full(len(values), 1 / len(values))
    result: Array = PASSAGE_SHARE * spread
    return result
