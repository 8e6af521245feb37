"""What sentences say of the times that questions ask for, as arrays that weights are fitted on."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.shared.judged.passage_store import Passage, PassageStore
from benchmarks.shared.judged.scoring import Scorer
from benchmarks.shared.judged.timeqa import TimeQuestion, read
from benchmarks.shared.judged.vector_cache import CachingEmbedder, Recalibrated
from benchmarks.shared.splits import half_of_link, part_of
from scops.common.contract.ids import ChunkId
from scops.libraries.embedder.calibration import Calibration, TimedWeights
from scops.libraries.embedder.port import FloatArray
from scops.libraries.index.ports import StoreHit
from scops.retriever.question import Question
from scops.retriever.time.kernel import KERNEL, KernelShape

Floats = NDArray[np.float64]
PLACES = 10
PAGES_KEPT_ONE_IN = 3
# What both sides of the store say together, then the parts of a time.
SIDES = ("prior", "vector", "bm25", "bm25_margin")
PARTS = ("sentence", "time", "page", "length")


@dataclass(frozen=True, slots=True)
class TimedQuery:
    """A question with its likeliest passages.

    Attributes:
        page: that it was asked of.
        table: shape (passages, 5); log-odds of both sides, then `PARTS` without weights.
        gain: shape (passages,); what each is worth: 2 for gold, 1 for one that holds the answer.
        ideal: the best that ten places can be worth.
    """

    page: str
    table: Floats
    gain: Floats
    ideal: float

    def ndcg(self, weights: Floats) -> float:
        """Returns nDCG@10 under weights of the table's columns."""
        order = np.argsort(-(self.table @ weights), kind="stable")[:PLACES]
        return float(self.gain[order] @ _discounts(len(order)) / self.ideal)


@dataclass(frozen=True, slots=True)
class _Asked:
    asked: TimeQuestion
    question: Question
    hits: Sequence[StoreHit]


class TimedQueries:
    """Questions of TimeQA that name a time, over a third of its pages; headings are passages.

    Args:
        calibration: what the embedder's cosines mean.
        questions: at most, of each half.
    """

    def __init__(
        self, folder: Path, embedder: CachingEmbedder, calibration: Calibration, *, questions: int
    ) -> None:
        held = read(folder)
        kept = [one for one in held.paragraphs if _is_kept(one.link)]
        self._embedder, self._calibration = embedder, calibration
        self._positions = {ChunkId(one.id): one.position for one in kept}
        passages = [Passage(one.id, one.header, one.text, one.link) for one in kept]
        store = PassageStore.build(passages, embedder, mentions=[None] * len(kept))
        asked = _drawn(held.questions, questions)
        vectors = embedder.vectors_of([one.text for one in asked], as_queries=True)
        self._asked = list(
            _with_hits(asked, store, vectors, Scorer(Recalibrated(embedder, calibration)))
        )

    @property
    def pages(self) -> list[str]:
        """The page of each question."""
        return [one.asked.link for one in self._asked]

    def under(
        self, weights: TimedWeights, pages: frozenset[str], *, shape: KernelShape = KERNEL
    ) -> list[TimedQuery]:
        """Returns the questions of some pages, with the sentences that these weights choose."""
        calibration = replace(self._calibration, timed=weights)
        scorer = Scorer(Recalibrated(self._embedder, calibration), shape=shape)
        return [self._query(one, scorer) for one in self._asked if one.asked.link in pages]

    def _query(self, one: _Asked, scorer: Scorer) -> TimedQuery:
        rows, gain = [], []
        worth = _worth(one.asked)
        for found in scorer.candidates(one.question, one.hits, positions=self._positions):
            terms = {name: (raw or 0.0, weight) for name, raw, weight in found.score.terms}
            scale = scorer.calibration.timed.scale
            sides = sum(raw * weight for raw, weight in map(terms.__getitem__, SIDES)) / scale
            rows.append([sides, *(terms[name][0] for name in PARTS)])
            gain.append(worth.get(found.hit.chunk_id, 0.0))
        best = np.array(sorted(worth.values(), reverse=True)[:PLACES])
        ideal = float(best @ _discounts(len(best)))
        return TimedQuery(one.asked.link, np.array(rows), np.array(gain), ideal)


def columns(weights: TimedWeights) -> Floats:
    """Returns the weights of a table's columns, without their scale."""
    return np.array([1.0, weights.sentence, weights.time, weights.page, weights.length])


def _is_kept(link: str) -> bool:
    return part_of(link, PAGES_KEPT_ONE_IN) == 0


def _drawn(asked: Sequence[TimeQuestion], questions: int) -> list[TimeQuestion]:
    """Returns at most so many questions of either half, evenly from those of the pages kept."""
    halves: dict[str, list[TimeQuestion]] = {}
    for one in asked:
        if _is_kept(one.link):
            halves.setdefault(half_of_link(one.link), []).append(one)
    return [one for half in halves.values() for one in half[:: math.ceil(len(half) / questions)]]


def _with_hits(
    asked: Sequence[TimeQuestion],
    store: PassageStore,
    vectors: Mapping[str, FloatArray],
    scorer: Scorer,
) -> list[_Asked]:
    """Returns the questions of which a time is understood, with what the retriever would rank."""
    found = []
    for one in asked:
        question = scorer.question(one.text)
        if question.time.constraint is not None:
            hits = scorer.hits(store, question, vectors[one.text])
            found.append(_Asked(one, question, hits))
    return found


def _worth(asked: TimeQuestion) -> dict[str, float]:
    return {one: 1.0 + (one in asked.gold) for one in {*asked.gold, *asked.answered_by}}


def _discounts(places: int) -> Floats:
    found: Floats = 1 / np.log2(np.arange(places) + 2)
    return found
