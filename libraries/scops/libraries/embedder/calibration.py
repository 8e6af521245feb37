"""What cosines of a model mean: each model's lie in a range of their own.

A record a model, in `calibrations.json`: `python -m benchmarks.reference.fit_fusion` writes what
ranks, `fit_ranking` what cosines mean beside it, `fit_reader` what reads, `fit_relevance` how
probable it is that what ranks so is relevant. What marks the short answer is in a file of its
own, see `highlight_weights`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from scops.libraries.embedder.highlight_weights import (
    HighlightWeights,
    highlight_path,
    read_highlight_weights,
)

Number = TypeVar("Number", np.float32, np.float64)
PATH = Path(__file__).with_name("calibrations.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What a signal of a query says of the weights of its two sides; see the retriever's `fusion`.

    Attributes:
        level: what it usually is; there it says nothing.
        similarity, bm25: what the logarithm of a side's weight gains for each 1 above that.
    """

    level: float
    similarity: float
    bm25: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedWeights:
    """What adds to the log-odds of a passage where the question names a time.

    Attributes:
        sentence: for each 1 of the likeness of its best sentence.
        time: for each 1 of that sentence's fit to the time asked for.
        page: for each 1 that the log-odds of its page lie below those of the best page.
        length: for each 1 of the logarithm of its length in typical passages.
        scale: of all these and of the two sides; without it they are too sure of themselves.
    """

    sentence: float
    time: float
    page: float
    length: float
    scale: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderWeights:
    """How much each signal of a sentence says of whether it answers a question.

    Attributes:
        sentence: log-odds by signal, of one sentence against the others.
        answer, answer_offset: log-odds by signal that one of them answers.
        enough: share of the answer at which nothing more is quoted, in (0, 1].
        enough_dated: the same where a time is asked for.
    """

    sentence: Mapping[str, float]
    answer: Mapping[str, float]
    answer_offset: float
    enough: float
    enough_dated: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """Log-odds that a passage is relevant: slope * score + offset."""

    slope: float
    offset: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceOdds:
    """What the score of a passage says of whether it is relevant.

    Attributes:
        plain, timed: of questions that name no time, and of those that name one; None where too
            few were judged.
        sets, questions: that it was fitted on.
    """

    plain: Odds | None
    timed: Odds | None
    sets: int
    questions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Constants that belong to a model.

    Attributes:
        prior, similarity, bm25, bm25_margin: log-odds that a passage of the typical cosine, which
            BM25 does not find, is relevant, and how much its cosine with the query, its BM25 and
            its lead in BM25 add to them where the query's signals are at their levels.
        typical: cosine of a passage that is relevant.
        trust: by signal, how it changes these weights.
        unrelated, alike: cosines that likeness counts as 0 and as 1.
        timed: of questions with a time.
        reader: of the sentences that are compared with a question by their vectors.
        highlight: of the words inside them; None where no short answer is marked.
        relevance: what scores of recipe `default` say; None where nobody fitted it.
    """

    prior: float
    similarity: float
    bm25: float
    bm25_margin: float
    typical: float
    trust: Mapping[str, Trust] = field(hash=False)
    unrelated: float
    alike: float
    timed: TimedWeights
    reader: ReaderWeights = field(hash=False)
    highlight: HighlightWeights | None = field(default=None, hash=False)
    relevance: RelevanceOdds | None = None

    def likeness(self, cosine: float) -> float:
        """Returns a cosine on the scale that all models share: 0 unrelated, 1 the same."""
        return (cosine - self.unrelated) / (self.alike - self.unrelated)

    def likenesses(self, cosines: NDArray[Number]) -> NDArray[Number]:
        """Returns cosines on the scale that all models share; see `likeness`."""
        return (cosines - self.unrelated) / (self.alike - self.unrelated)


@cache
def calibration_of(model: str) -> Calibration:
    """Returns the record of a model.

    Args:
        model: its name, the first part of an `embedder_id`.

    Raises:
        KeyError: it has none.
    """
    record = json.loads(PATH.read_text())[model]
    trust = {name: Trust(**values) for name, values in record.pop("trust").items()}
    timed = TimedWeights(**record.pop("timed"))
    reader = ReaderWeights(**record.pop("reader"))
    highlight = read_highlight_weights(highlight_path(model))
    relevance = _relevance(record.pop("relevance", None))
    return Calibration(
        **record,
        trust=trust,
        timed=timed,
        reader=reader,
        highlight=highlight,
        relevance=relevance,
    )


def _relevance(record: Mapping[str, Any] | None) -> RelevanceOdds | None:
    if record is None:
        return None
    plain, timed = (Odds(**record[kind]) if kind in record else None for kind in ("plain", "timed"))
    return RelevanceOdds(
        plain=plain, timed=timed, sets=record["sets"], questions=record["questions"]
    )
