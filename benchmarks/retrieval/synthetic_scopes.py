"""OwlerLite's synthetic scopes: clusters of a corpus, and the cluster a query is meant for.

Source: OwlerLite, section 5.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.cluster.vq import kmeans2  # type: ignore[import-untyped]

from scops.libraries.embedder.port import FloatArray

SCOPES = 20
SEED = 0
MOSTLY = 0.8
ITERATIONS = 50


@dataclass(frozen=True, slots=True)
class Scopes:
    """Which scope each document is in, and which one each query is meant for.

    Attributes:
        mostly: the queries of which at least 80 % of the relevant documents are in their scope.
    """

    of_document: Mapping[str, str]
    of_query: Mapping[str, str]
    mostly: frozenset[str]

    def size(self, scope: str) -> int:
        return sum(1 for held in self.of_document.values() if held == scope)

    def inside(self, query: str, documents: Sequence[str]) -> list[bool]:
        target = self.of_query[query]
        return [self.of_document[document] == target for document in documents]


def synthetic_scopes(
    documents: Sequence[str],
    vectors: FloatArray,
    qrels: Mapping[str, Mapping[str, int]],
    *,
    count: int = SCOPES,
    seed: int = SEED,
) -> Scopes:
    """Clusters the documents by k-means; ties between scopes go to the lower number."""
    count = min(count, len(documents))
    _, labels = kmeans2(
        vectors.astype(np.float64), count, iter=ITERATIONS, minit="++", seed=seed, missing="warn"
    )
    of_document = {one: f"s{int(label):02}" for one, label in zip(documents, labels, strict=True)}
    of_query: dict[str, str] = {}
    mostly: set[str] = set()
    for query, relevant in qrels.items():
        held = Counter(of_document[document] for document in sorted(relevant))
        target, inside = min(held.items(), key=lambda item: (-item[1], item[0]))
        of_query[query] = target
        if inside >= MOSTLY * len(relevant):
            mostly.add(query)
    return Scopes(of_document, of_query, frozenset(mostly))
