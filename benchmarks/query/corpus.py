"""A made-up corpus: texts of real words by Zipf's law, vectors in clusters, pages under URLs.

A page's chunks lie in one cluster, as those of a page on one subject do. Its URL names a k-means
cluster and a bucket drawn by lot, so that scopes of both kinds are a few prefixes.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scops.libraries.embedder.port import FloatArray
from scops.libraries.embedder.weights import ensure_model

HOST = "bench.example"
DIMENSIONS = 384
CHUNKS_PER_PAGE = 20
WORDS_PER_CHUNK = 200
TOPICS = 60
# The cosine of two vectors of one topic is about 0.6, that of two topics about 0.
NOISE = 0.8
KMEANS_CLUSTERS = 20
KMEANS_ROUNDS = 8
BUCKETS = 10
ZIPF_OFFSET = 10.0
WORD_LETTERS_MIN = 3
VOCABULARY = 20_000


@dataclass(frozen=True, slots=True)
class CorpusPage:
    """A page: `first` is the place of its first chunk."""

    number: int
    first: int
    cluster: int
    bucket: int

    @property
    def url(self) -> str:
        return f"https://{HOST}/k{self.cluster}/b{self.bucket}/p{self.number}"


class Corpus:
    """Chunks by their places, 0 to `size` - 1."""

    def __init__(self, size: int, *, seed: int) -> None:
        self.size = size
        self._seed = seed
        self._words = words()
        weights = 1.0 / (np.arange(len(self._words)) + ZIPF_OFFSET)
        self._weights = weights / weights.sum()

    @cached_property
    def vectors(self) -> FloatArray:
        """Shape (size, DIMENSIONS), unit rows."""
        chance = np.random.default_rng(self._seed)
        topics = _unit(chance.standard_normal((TOPICS, DIMENSIONS)))
        pages = -(-self.size // CHUNKS_PER_PAGE)
        topic_of_page = chance.integers(0, TOPICS, pages)
        topic = np.repeat(topic_of_page, CHUNKS_PER_PAGE)[: self.size]
        noise = chance.standard_normal((self.size, DIMENSIONS)) * NOISE / np.sqrt(DIMENSIONS)
        return _unit(topics[topic] + noise)

    @cached_property
    def pages(self) -> tuple[CorpusPage, ...]:
        """The pages, with the k-means cluster of their chunks' mean."""
        chance = np.random.default_rng(self._seed + 1)
        starts = range(0, self.size, CHUNKS_PER_PAGE)
        means = np.array([self.vectors[s : s + CHUNKS_PER_PAGE].mean(axis=0) for s in starts])
        clusters = _kmeans(means, KMEANS_CLUSTERS, chance)
        buckets = chance.integers(0, BUCKETS, len(clusters))
        return tuple(
            CorpusPage(number, start, int(clusters[number]), int(buckets[number]))
            for number, start in enumerate(starts)
        )

    def text(self, place: int) -> str:
        """Returns the text of a chunk."""
        chance = np.random.default_rng((self._seed, place))
        return f"Chunk {place} " + " ".join(self._draw(chance, WORDS_PER_CHUNK))

    def queries(self, count: int, *, seed: int) -> list[str]:
        """Returns questions of some words each, none of them twice."""
        chance = np.random.default_rng((self._seed, 7, seed))
        lengths = chance.integers(4, 9, count)
        return [" ".join(self._draw(chance, int(length))) for length in lengths]

    def query_vectors(self, count: int) -> FloatArray:
        """Returns vectors near those of the corpus, as questions about it have."""
        chance = np.random.default_rng((self._seed, 11))
        places = chance.integers(0, self.size, count)
        noise = chance.standard_normal((count, DIMENSIONS)) * NOISE / np.sqrt(DIMENSIONS)
        return _unit(self.vectors[places] + noise)

    def _draw(self, chance: np.random.Generator, count: int) -> list[str]:
        places = chance.choice(len(self._words), size=count, p=self._weights)
        return [self._words[place] for place in places]


def words() -> Sequence[str]:
    """Returns English words, those of the embedder's vocabulary, the commonest first."""
    vocabulary = json.loads((ensure_model() / "tokenizer.json").read_text())["model"]["vocab"]
    found = sorted(vocabulary, key=vocabulary.__getitem__)
    return [word for word in found if word.isalpha() and len(word) >= WORD_LETTERS_MIN][:VOCABULARY]


def _unit(rows: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> FloatArray:
    unit: FloatArray = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _kmeans(
    points: "np.ndarray[tuple[int, ...], np.dtype[np.float32]]",
    clusters: int,
    chance: np.random.Generator,
) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    centres = points[chance.choice(len(points), clusters, replace=False)]
    nearest = np.zeros(len(points), dtype=np.int64)
    for _ in range(KMEANS_ROUNDS):
        nearest = np.argmax(points @ centres.T - 0.5 * (centres**2).sum(axis=1), axis=1)
        for cluster in range(clusters):
            members = points[nearest == cluster]
            if len(members):
                centres[cluster] = members.mean(axis=0)
    return nearest
