"""Holds the sentences of passages against the time that a question asks about.

Windows of one and three sentences; those of likely passages whose time fits are embedded first,
under their passage's header. Source: temporal-rag (window max-sim with a time kernel).
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scops.common.contract.ids import ChunkId, embedded_text
from scops.common.contract.messages.retrieval import TimeMatch
from scops.libraries.embedder.calibration import TimedWeights
from scops.libraries.embedder.port import Embedder, FloatArray
from scops.retriever.candidates.candidate import Candidate
from scops.retriever.scoring.relevance import StoreEvidence
from scops.retriever.scoring.score import TimeSignals, length
from scops.retriever.scoring.window_vectors import WindowVectors
from scops.retriever.time.constraint import TimeConstraint
from scops.retriever.time.event_times import TextWindow, weaker
from scops.retriever.time.intervals import open_days
from scops.retriever.time.kernel import KERNEL, KernelShape, best_time, time_fit
from scops.retriever.time.passage_windows import PassageWindows

# Most windows embedded for one question.
WINDOWS_MAX = 40
# Fewer words without any time are a heading: it is as old as what stands under it.
WORDS_MIN = 7
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _FittedWindow:
    candidate: Candidate
    evidence: StoreEvidence
    window: TextWindow
    fit: float
    words: int

    @property
    def text(self) -> str:
        hit = self.candidate.hit
        return embedded_text(hit.header, hit.text[self.window.start : self.window.end])

    def promise(self, weights: TimedWeights) -> float:
        """Returns how good the window can be as far as is known before it is embedded."""
        base = self.evidence.relevance + weights.page * self.evidence.page_gap
        return base + weights.length * length(self.words) + weights.time * self.fit


async def time_signals(
    matched: Sequence[tuple[Candidate, StoreEvidence]],
    constraint: TimeConstraint,
    vector: FloatArray,
    *,
    vectors: WindowVectors,
    passages: PassageWindows,
    embedder: Embedder,
    shape: KernelShape = KERNEL,
    windows_max: int = WINDOWS_MAX,
) -> Mapping[ChunkId, TimeSignals]:
    """Returns for each candidate what its best window says.

    Args:
        vector: of the question without its time; shape (dimensions,), unit length.
        windows_max: most windows embedded for one question; a passage of which none is embedded
            is judged by its own cosine.
    """
    windows = await passages.of([candidate for candidate, _ in matched])
    fitted = await _fitted(matched, windows, constraint, shape)
    weights = embedder.calibration.timed
    fitted.sort(
        key=lambda one: (-one.promise(weights), one.candidate.hit.chunk_id, one.window.start)
    )
    chosen = fitted[:windows_max]
    rows = await vectors.get([entry.text for entry in chosen], embedder)
    cosines = np.clip(rows @ vector, -1.0, 1.0)
    likeness = embedder.calibration.likeness
    best: dict[ChunkId, TimeSignals] = {}
    for entry, cosine in zip(chosen, cosines.tolist(), strict=True):
        _keep_better(best, entry, likeness(cosine), weights)
    reached = frozenset(best)
    for entry in fitted[windows_max:]:
        if entry.candidate.hit.chunk_id not in reached:
            _keep_better(best, entry, likeness(entry.candidate.hit.similarity), weights)
    return best


def time_match(
    signals: TimeSignals, constraint: TimeConstraint, *, start: int, shape: KernelShape = KERNEL
) -> TimeMatch:
    """Returns the sentences that fit the time asked for best, with the time they speak of.

    Args:
        start: of the passage in its version's text.
    """
    asked_from, asked_to = open_days(constraint.window)
    match = TimeMatch(relation=constraint.relation.value, asked_from=asked_from, asked_to=asked_to)
    window = signals.window
    if window is None:
        return match
    match = replace(match, start=start + window.start, end=start + window.end)
    time = best_time(window.times, constraint, shape)
    if time is None:
        return match
    named_from, named_to = open_days(time.interval)
    return replace(
        match, dated=True, named_from=named_from, named_to=named_to, confidence=time.strength
    )


def _keep_better(
    best: dict[ChunkId, TimeSignals],
    entry: _FittedWindow,
    likeness: float,
    weights: TimedWeights,
) -> None:
    chunk_id = entry.candidate.hit.chunk_id
    signals = TimeSignals(
        fit=entry.fit,
        sentence=likeness,
        page=entry.evidence.page_gap,
        words=entry.words,
        window=entry.window,
    )
    if chunk_id not in best or _value(signals, weights) > _value(best[chunk_id], weights):
        best[chunk_id] = signals


def _value(signals: TimeSignals, weights: TimedWeights) -> float:
    return weights.sentence * signals.sentence + weights.time * signals.fit


async def _fitted(
    matched: Sequence[tuple[Candidate, StoreEvidence]],
    windows: Mapping[ChunkId, tuple[TextWindow, ...]],
    constraint: TimeConstraint,
    shape: KernelShape,
) -> list[_FittedWindow]:
    at_position = {
        (one.hit.page_id, position): one.hit.chunk_id
        for one, _ in matched
        if (position := one.page.positions.get(one.hit.chunk_id)) is not None
    }
    undated = time_fit((), constraint, shape)
    fitted: list[_FittedWindow] = []
    for candidate, evidence in matched:
        hit = candidate.hit
        words = len(WORD.findall(hit.text))
        own = windows[hit.chunk_id]
        if words < WORDS_MIN and not any(window.times for window in own):
            position = candidate.page.positions.get(hit.chunk_id, -2)
            below = at_position.get((hit.page_id, position + 1))
            own = _with_times_of(own, windows[below] if below else ())
        for window in own:
            fit = time_fit(window.times, constraint, shape) if window.times else undated
            fit = 0.0 if words < WORDS_MIN and not window.times else fit
            fitted.append(_FittedWindow(candidate, evidence, window, fit, words))
        # A passage may have thousands of windows: others have their turn after each.
        await asyncio.sleep(0)
    return fitted


def _with_times_of(
    heading: Sequence[TextWindow], below: Sequence[TextWindow]
) -> tuple[TextWindow, ...]:
    """Returns a heading's windows with the times of the passage under it, each once, weaker."""
    named = (time for window in below for time in window.times)
    times = tuple(dict.fromkeys(weaker(time) for time in named))
    return tuple(replace(window, times=times) for window in heading)
