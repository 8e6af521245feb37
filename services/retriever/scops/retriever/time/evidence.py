"""Holds the sentences of passages against the time that a question asks about.

Windows of one and three sentences; those of likely passages whose time fits are embedded first,
under their passage's header. Source: temporal-rag (window max-sim with a time kernel).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from scops.common.contract.ids import ChunkId, PageId, embedded_text
from scops.libraries.embedder.port import Embedder, FloatArray
from scops.retriever.scoring.score import (
    WEIGHT_LENGTH,
    WEIGHT_PAGE,
    WEIGHT_SENTENCE,
    WEIGHT_TIME,
    TimeSignals,
    length,
)
from scops.retriever.scoring.window_vectors import WindowVectors
from scops.retriever.time.constraint import TimeConstraint
from scops.retriever.time.event_times import EventTime, TextWindow, text_windows, weaker
from scops.retriever.time.kernel import KernelShape, time_fit

# Fewer words without any time are a heading: it is as old as what stands under it.
WORDS_MIN = 7
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedPassage:
    """A passage to be held against a time.

    Attributes:
        position: among its page's passages, in reading order; None where it is not known.
        similarity: cosine of the passage with the question, what a window has that is not embedded.
        relevance: its score so far.
        page: see `TimeSignals`.
        stated: the day the page states for itself; None where it states none.
    """

    chunk_id: ChunkId
    page_id: PageId
    header: str
    text: str
    similarity: float
    relevance: float
    page: float = 0.0
    position: int | None = None
    stated: date | None = None


@dataclass(frozen=True, slots=True)
class _Fitted:
    passage: DatedPassage
    window: TextWindow
    fit: float
    words: int

    @property
    def text(self) -> str:
        part = self.passage.text[self.window.start : self.window.end]
        return embedded_text(self.passage.header, part)

    @property
    def promise(self) -> float:
        """How good the window can be as far as is known before it is embedded."""
        base = self.passage.relevance + WEIGHT_PAGE * self.passage.page
        return base + WEIGHT_LENGTH * length(self.words) + WEIGHT_TIME * self.fit


async def time_signals(
    passages: Sequence[DatedPassage],
    constraint: TimeConstraint,
    vector: FloatArray,
    *,
    shape: KernelShape,
    windows_max: int,
    vectors: WindowVectors,
    embedder: Embedder,
) -> Mapping[ChunkId, TimeSignals]:
    """Returns for each passage what its best window says.

    Args:
        vector: of the question without its time; shape (dimensions,), unit length.
        windows_max: most windows embedded for one question; a passage of which none is embedded
            is judged by its own cosine.
    """
    fitted = _fitted(passages, constraint, shape)
    fitted.sort(key=lambda one: (-one.promise, one.passage.chunk_id, one.window.start))
    chosen = fitted[:windows_max]
    rows = await vectors.get([entry.text for entry in chosen], embedder)
    cosines = np.clip(rows @ vector, -1.0, 1.0)
    best: dict[ChunkId, TimeSignals] = {}
    for entry, cosine in zip(chosen, cosines.tolist(), strict=True):
        _keep_better(best, entry, cosine)
    reached = frozenset(best)
    for entry in fitted[windows_max:]:
        if entry.passage.chunk_id not in reached:
            _keep_better(best, entry, entry.passage.similarity)
    return best


def _keep_better(best: dict[ChunkId, TimeSignals], entry: _Fitted, cosine: float) -> None:
    chunk_id = entry.passage.chunk_id
    signals = TimeSignals(
        fit=entry.fit,
        sentence=cosine,
        page=entry.passage.page,
        words=entry.words,
        window=entry.window,
    )
    if chunk_id not in best or _value(signals) > _value(best[chunk_id]):
        best[chunk_id] = signals


def _value(signals: TimeSignals) -> float:
    return WEIGHT_SENTENCE * signals.sentence + WEIGHT_TIME * signals.fit


def _fitted(
    passages: Sequence[DatedPassage], constraint: TimeConstraint, shape: KernelShape
) -> list[_Fitted]:
    by_position = {(one.page_id, one.position): one for one in passages if one.position is not None}
    fitted: list[_Fitted] = []
    for passage in passages:
        below = None
        if passage.position is not None:
            below = by_position.get((passage.page_id, passage.position + 1))
        fitted += _fits(passage, below, constraint, shape)
    return fitted


def _fits(
    passage: DatedPassage,
    below: DatedPassage | None,
    constraint: TimeConstraint,
    shape: KernelShape,
) -> Iterator[_Fitted]:
    words = len(WORD.findall(passage.text))
    windows = text_windows(passage.header, passage.text, passage.stated)
    undated = time_fit((), constraint, shape)
    if words < WORDS_MIN:
        undated = 0.0
        if below is not None and not any(window.times for window in windows):
            times = _times_below(below)
            windows = tuple(replace(window, times=times) for window in windows)
    for window in windows:
        fit = time_fit(window.times, constraint, shape) if window.times else undated
        yield _Fitted(passage, window, fit, words)


def _times_below(passage: DatedPassage) -> tuple[EventTime, ...]:
    """Returns the times that a heading takes from the passage under it, each once."""
    windows = text_windows(passage.header, passage.text, passage.stated)
    named = (time for window in windows for time in window.times)
    return tuple(dict.fromkeys(weaker(time) for time in named))
