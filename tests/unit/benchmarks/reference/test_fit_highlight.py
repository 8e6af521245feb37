"""What marks short answers, fitted on made-up sentences."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import check_grad  # type: ignore[import-untyped]

from benchmarks.reader.sets import ReadingQuestion
from benchmarks.reference.fit_highlight import (
    HEADS,
    QUESTION_AXES,
    WORD_AXES,
    Basis,
    Example,
    RunTable,
    fitted,
)
from scops.common.contract.ids import VersionId
from scops.explainer.quotes.highlighting import (
    RUN_SIGNALS,
    WordRuns,
    most_shared,
    run_probabilities,
)
from scops.explainer.quotes.spans import Quote

Vector = NDArray[np.float32]
DIMENSIONS = 96
WORDS = 9
RUN_WORDS_MAX = 3
SENTENCES = 400
ASKED = ReadingQuestion(
    text="Who built it?",
    paragraph_id="p",
    page="p",
    answerable=True,
    answers=(),
    spans=(),
    facts=(),
)
QUOTE = Quote(
    passage=0,
    version_id=VersionId("v"),
    start=0,
    end=WORDS * 5 - 1,
    text=" ".join(["word"] * WORDS),
    title="",
    section_path=(),
)


def example(chance: np.random.Generator, wanted: Vector, begins: Vector) -> Example:
    """Returns a sentence of random words, one of which is what such a question wants."""
    vectors = chance.normal(size=(WORDS, DIMENSIONS)).astype(np.float32)
    place = int(chance.integers(WORDS))
    vectors[place] += wanted
    runs = [
        (first, last)
        for first in range(WORDS)
        for last in range(first, min(first + RUN_WORDS_MAX, WORDS))
    ]
    first, last = np.array(runs).T
    signals = chance.normal(size=(len(runs), len(RUN_SIGNALS))).astype(np.float32)
    spans = np.array([(number * 5, number * 5 + 4) for number in range(WORDS)], dtype=np.int32)
    return Example(
        source="made up",
        question=ASKED,
        quote=QUOTE,
        runs=WordRuns(spans, vectors, first, last, signals),
        begins=begins + chance.normal(scale=0.1, size=DIMENSIONS).astype(np.float32),
        common=np.zeros(DIMENSIONS, dtype=np.float32),
        right=((first == place) & (last == place)).astype(np.float64),
    )


def examples(count: int, *, seed: int) -> list[Example]:
    """Returns questions of two kinds that want words of different meanings."""
    chance = np.random.default_rng(seed)
    kinds = [_direction(number) for number in range(4)]
    return [example(chance, kinds[number % 2], kinds[2 + number % 2]) for number in range(count)]


def _direction(number: int) -> Vector:
    found = np.zeros(DIMENSIONS, dtype=np.float32)
    found[number] = 6.0
    return found


def test_run_that_such_questions_want_is_found() -> None:
    """In sentences that were not fitted; by chance it would be one in twenty-four."""
    weights = fitted(examples(SENTENCES, seed=1))
    found = 0
    for one in examples(SENTENCES, seed=2):
        place, _ = most_shared(one.runs, run_probabilities(one.runs, one.begins, weights))
        found += bool(one.right[place])

    assert found / SENTENCES > 0.8


def test_slopes_are_those_of_the_loss() -> None:
    """Beside the sentence's ends there is no word, and no slope."""
    chance = np.random.default_rng(3)
    some = examples(4, seed=3)
    basis = Basis(
        common=some[0].common,
        words=np.eye(DIMENSIONS, WORD_AXES, dtype=np.float32),
        asked_mean=np.zeros(DIMENSIONS, dtype=np.float32),
        asked=np.eye(DIMENSIONS, QUESTION_AXES, dtype=np.float32),
        scales=np.ones(len(RUN_SIGNALS), dtype=np.float32),
    )
    table = RunTable.of(some, basis)
    shape = (HEADS, WORD_AXES, QUESTION_AXES + 1)
    chosen = chance.choice(int(np.prod(shape)), 40, replace=False)
    signals = chance.normal(size=len(RUN_SIGNALS)) / 10

    def heads(values: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.zeros(int(np.prod(shape)))
        found[chosen] = values
        return found.reshape(shape)

    def loss(values: NDArray[np.float64]) -> float:
        return table.loss(signals, heads(values))[0]

    def slope(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return table.loss(signals, heads(values))[2].ravel()[chosen]

    assert check_grad(loss, slope, chance.normal(size=len(chosen)) / 10) < 1e-4
