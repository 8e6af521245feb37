r"""Fits what finds the short answer inside a quote, and says how well it does.

    python -m benchmarks.reference.fit_highlight --data ../shared/data [--embedder NAME] \
        [--sets squad2,xquad-en] [--judged xquad-de,xquad-zh] [--write]

Answerable questions of `--sets` and the development half of TimeQA, each with the
sentence of its paragraph that holds a marked span. Conditional logit of the marked
runs of words among all of their sentence (`scops.explainer.quotes.highlighting`), in as many axes
of the vectors as vary most; ridge.

Sets that are only `--judged` show whether the weights carry over to languages that they were not
fitted on. XQuAD has the same pages in each language, and so the same folds.

Weights of each fold of pages, fitted without it, are kept beside other benchmarks' data, so that
`benchmarks.reader --folds` measures no question on what was fitted on its page.

Keys, of the folds: by source, `questions`; `em` and `f1` as SQuAD 2 scores them, of the run that is
shown, and `sentence_f1` of the whole sentence; `by_probability`, from which on shown: the `share`
that is and its `f1`.
"""

import argparse
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from benchmarks.languages.answering import evidence_of, version_of
from benchmarks.reader.cross_fitted import FOLDS, fold_path
from benchmarks.reader.outcomes import match_of
from benchmarks.reader.sets import Place, ReadingQuestion, ReadingSet, read_set
from benchmarks.reference.fit_reader import timeqa_set
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from benchmarks.shared.splits import fold_of
from scops.common.config.settings import EmbedderName
from scops.explainer.quotes.highlighting import (
    RUN_SIGNALS,
    WordRuns,
    most_shared,
    opening,
    run_probabilities,
    word_runs,
)
from scops.explainer.quotes.spans import Quote, quotes_of
from scops.libraries.embedder.highlight_weights import (
    HighlightWeights,
    highlight_path,
    write_highlight_weights,
)
from scops.libraries.embedder.port import model_of
from scops.libraries.embedder.registry import load_embedder

Floats = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float32]
SETS = "squad2,xquad-en"
COMMON_TEXTS = 500
HEADS = 5
WORD_AXES = 64
QUESTION_AXES = 16
RIDGE = 0.3
SIGNAL_RIDGE = 1e-3
STEPS = 30
QUESTIONS = 900
JUDGED_QUESTIONS = 300
THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)


@dataclass(frozen=True, slots=True)
class Example:
    """A question with the sentence that answers it.

    Attributes:
        begins, common: shape (d,), of the question, and of all tokens.
        right: shape (m,), of the sentence's runs.
    """

    source: str
    question: ReadingQuestion
    quote: Quote
    runs: WordRuns
    begins: Matrix
    common: Matrix
    right: Floats

    @property
    def fold(self) -> int:
        return fold_of(self.question.page, FOLDS)


@dataclass(frozen=True, slots=True)
class Basis:
    """The axes along which words, and how questions begin, vary most."""

    common: Matrix
    words: Matrix
    asked_mean: Matrix
    asked: Matrix
    scales: Matrix


def main() -> None:
    parser = command_parser(__doc__, data="folder of all data")
    parser.add_argument("--embedder", choices=get_args(EmbedderName), default="onnx-int8")
    parser.add_argument("--sets", default=SETS, help="folders of qa, fitted on, with commas")
    parser.add_argument("--judged", default="", help="folders of qa that are not fitted on")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="at most, of a set")
    parser.add_argument("--write", action="store_true", help="put the weights into their file")
    args = parser.parse_args()
    print_result(fit(args), args)


def fit(args: argparse.Namespace) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    embedder = CachingEmbedder(load_embedder(args.embedder))
    judged = _names(args.judged)
    examples = list(_examples(args, embedder))
    fitted_on = [one for one in examples if one.source not in judged]
    embedder.close()
    model = model_of(args.embedder).name
    shown: dict[str, list[Shown]] = {}
    for fold in range(FOLDS):
        weights = fitted([one for one in fitted_on if one.fold != fold])
        write_highlight_weights(fold_path(model, fold), weights)
        for one in (one for one in examples if one.fold == fold):
            shown.setdefault(one.source, []).append(_shown(one, weights))
        progress(f"fold {fold}")
    if args.write:
        write_highlight_weights(highlight_path(model), fitted(fitted_on))
    return {
        "sources": {name: _figures(outcomes) for name, outcomes in shown.items()},
        "embedder_id": embedder.embedder_id,
    }


def fitted(examples: Sequence[Example]) -> HighlightWeights:
    """Returns weights by which the softmax gives most to what is right."""
    told = [one for one in examples if one.right.any()]
    basis = _basis(told)
    table = RunTable.of(told, basis)
    shape = (HEADS, WORD_AXES, QUESTION_AXES + 1)
    count = len(RUN_SIGNALS)

    def loss(weights: Floats) -> tuple[float, Floats]:
        signals, heads = weights[:count], weights[count:].reshape(shape)
        lost, of_signals, of_heads = table.loss(signals, heads)
        lost += SIGNAL_RIDGE * float(signals @ signals) / 2 + RIDGE * float((heads**2).sum()) / 2
        slopes = of_signals + SIGNAL_RIDGE * signals, (of_heads + RIDGE * heads).ravel()
        return lost, np.concatenate(slopes)

    start = np.zeros(count + int(np.prod(shape)))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    heads = found[count:].reshape(shape)
    return HighlightWeights(
        common=basis.common,
        asked_mean=basis.asked_mean,
        asked_axes=basis.asked,
        heads=np.einsum("dk,hkq->hdq", basis.words, heads).astype(np.float32),
        signals=(found[:count] / basis.scales).astype(np.float32),
    )


@dataclass(frozen=True, slots=True)
class RunTable:
    """All runs of all examples, one after the other.

    Attributes:
        words: shape (n, `WORD_AXES`); `word_starts` has the first of each example.
        begins: shape (e, `QUESTION_AXES` + 1).
        first, last: shape (m,), rows of `words`; `starts` has the first run of each example.
        has_before, has_after: whether a word of the same sentence stands beside the run.
    """

    words: Floats
    word_starts: npt.NDArray[np.intp]
    begins: Floats
    first: npt.NDArray[np.intp]
    last: npt.NDArray[np.intp]
    has_before: npt.NDArray[np.bool_]
    has_after: npt.NDArray[np.bool_]
    starts: npt.NDArray[np.intp]
    signals: Floats
    right: Floats

    @classmethod
    def of(cls, examples: Sequence[Example], basis: Basis) -> "RunTable":
        word_counts = [len(one.runs.spans) for one in examples]
        run_counts = [len(one.runs.first) for one in examples]
        word_starts, starts = (np.cumsum([0, *counts[:-1]]) for counts in (word_counts, run_counts))
        offsets = np.repeat(word_starts, run_counts)
        first = np.concatenate([one.runs.first for one in examples])
        last = np.concatenate([one.runs.last for one in examples])
        asked = (np.array([one.begins for one in examples]) - basis.asked_mean) @ basis.asked
        return cls(
            words=np.concatenate([one.runs.vectors for one in examples]) @ basis.words,
            word_starts=word_starts,
            begins=np.column_stack([np.ones(len(examples)), asked]),
            first=first + offsets,
            last=last + offsets,
            has_before=first > 0,
            has_after=last + 1 < np.repeat(word_counts, run_counts),
            starts=starts,
            signals=np.concatenate([one.runs.signals for one in examples]) / basis.scales,
            right=np.concatenate([one.right for one in examples]),
        )

    def loss(self, signals: Floats, heads: Floats) -> tuple[float, Floats, Floats]:
        """Returns the mean loss of an example, and its slopes."""
        owner = np.repeat(np.arange(len(self.starts)), self._counts())
        word_owner = np.repeat(np.arange(len(self.starts)), self._word_counts())
        directions = np.einsum("hkq,eq->hek", heads, self.begins)
        of_words = np.array([(self.words * one[word_owner]).sum(axis=1) for one in directions])
        scores = self.signals @ signals + self._of_runs(of_words)
        raised = np.exp(scores - np.maximum.reduceat(scores, self.starts)[owner])
        every = np.add.reduceat(raised, self.starts)
        good = np.add.reduceat(raised * self.right, self.starts)
        slope = (raised / every[owner] - raised * self.right / good[owner]) / len(self.starts)
        of_heads = [
            np.add.reduceat(self.words * one[:, None], self.word_starts).T @ self.begins
            for one in self._to_words(slope)
        ]
        lost = float(np.log(every / good).mean())
        return lost, self.signals.T @ slope, np.array(of_heads)

    def _counts(self) -> npt.NDArray[np.intp]:
        return np.diff(np.append(self.starts, len(self.first)))

    def _word_counts(self) -> npt.NDArray[np.intp]:
        return np.diff(np.append(self.word_starts, len(self.words)))

    def _of_runs(self, of_words: Floats) -> Floats:
        """Returns the scores of runs by what each head says of each word."""
        first, last = self.first, self.last
        sums = np.append(0.0, np.cumsum(of_words[2]))
        found: Floats = of_words[0][first] + of_words[1][last]
        found += (sums[last + 1] - sums[first]) / (last + 1 - first)
        found += np.where(self.has_before, of_words[3][first - 1], 0.0)
        after = np.append(of_words[4], 0.0)[last + 1]
        return found + np.where(self.has_after, after, 0.0)

    def _to_words(self, slope: Floats) -> Iterator[Floats]:
        """Yields the slope of each head by word."""
        first, last, count = self.first, self.last, len(self.words)
        each = slope / (last + 1 - first)
        inside = _summed(first, each, count + 1) - _summed(last + 1, each, count + 1)
        before, after = slope * self.has_before, slope * self.has_after
        yield _summed(first, slope, count)
        yield _summed(last, slope, count)
        yield np.cumsum(inside)[:count]
        yield _summed(np.maximum(first - 1, 0), before, count)
        yield _summed(np.minimum(last + 1, count - 1), after, count)


def _summed(places: npt.NDArray[np.intp], values: Floats, count: int) -> Floats:
    """Returns the sum of values by place, shape (count,)."""
    found: Floats = np.bincount(places, values, count).astype(np.float64)
    return found


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of an example, by weights that were not fitted on its page."""

    probability: float
    exact: float
    f1: float
    sentence_f1: float


def _shown(one: Example, weights: HighlightWeights) -> Shown:
    probable = run_probabilities(one.runs, one.begins, weights)
    place, probability = most_shared(one.runs, probable)
    start, end = one.runs.spans[one.runs.first[place], 0], one.runs.spans[one.runs.last[place], 1]
    exact, f1 = match_of(one.quote.text[start:end], one.question.answers)
    return Shown(probability, exact, f1, match_of(one.quote.text, one.question.answers)[1])


def _figures(shown: Sequence[Shown]) -> dict[str, object]:
    by_probability = {}
    for bound in THRESHOLDS:
        kept = [one.f1 for one in shown if one.probability >= bound]
        by_probability[str(bound)] = {
            "share": round(len(kept) / len(shown), 3),
            "f1": round(statistics.fmean(kept), 3) if kept else None,
        }
    return {
        "questions": len(shown),
        "em": round(statistics.fmean(one.exact for one in shown), 4),
        "f1": round(statistics.fmean(one.f1 for one in shown), 4),
        "sentence_f1": round(statistics.fmean(one.sentence_f1 for one in shown), 4),
        "by_probability": by_probability,
    }


def _basis(examples: Sequence[Example]) -> Basis:
    words = np.concatenate([one.runs.vectors for one in examples])
    begins = np.array([one.begins for one in examples])
    signals = np.concatenate([one.runs.signals for one in examples])
    asked_mean = begins.mean(axis=0)
    return Basis(
        common=examples[0].common,
        words=_axes(words, WORD_AXES),
        asked_mean=asked_mean,
        asked=_axes(begins - asked_mean, QUESTION_AXES),
        scales=signals.std(axis=0) + 1e-6,
    )


def _axes(rows: Matrix, count: int) -> Matrix:
    """Returns the axes of the largest variances, scaled to variance 1; shape (d, count)."""
    values, axes = np.linalg.eigh(np.cov(rows.T))
    found: Matrix = (axes[:, -count:] / np.sqrt(values[-count:])).astype(np.float32)
    return found


def _examples(args: argparse.Namespace, embedder: CachingEmbedder) -> Iterator[Example]:
    folder = args.data / "qa"
    judged = _names(args.judged)
    sets = {name: read_set(folder / name, questions=args.questions) for name in _names(args.sets)}
    sets |= {name: read_set(folder / name, questions=JUDGED_QUESTIONS) for name in judged}
    sets["timeqa"] = timeqa_set(args.data / "temporal" / "timeqa-train", questions=args.questions)
    marked = {name: list(_marked(among)) for name, among in sets.items()}
    fitted_on = [pairs for name, pairs in marked.items() if name not in judged]
    texts = [quote.embedded_text for pairs in fitted_on for _, quote in pairs]
    some = embedder.tokens_now(texts[:: max(len(texts) // COMMON_TEXTS, 1)])
    common = np.concatenate([one.tokens for one in some]).mean(axis=0)
    for name, pairs in marked.items():
        progress(f"{name}: {len(pairs)} questions")
        for question, quote in pairs:
            yield _example(name, question, quote, common, embedder)


def _names(listed: str) -> list[str]:
    return [name for name in listed.split(",") if name]


def _marked(among: ReadingSet) -> Iterator[tuple[ReadingQuestion, Quote]]:
    """Yields the questions of a set, each with the first sentence that holds a marked span."""
    quotes: dict[str, list[Quote]] = {}
    for question in among.questions:
        paragraph = among.paragraphs.get(question.paragraph_id)
        if paragraph is None or not question.spans:
            continue
        if paragraph.id not in quotes:
            passage, version = evidence_of(paragraph, 1.0), version_of(paragraph)
            quotes[paragraph.id] = quotes_of(0, passage, version)
        for quote in quotes[paragraph.id]:
            if any(_inside(gold, quote) for gold in question.spans):
                yield question, quote
                break


def _inside(gold: Place, quote: Quote) -> bool:
    same = gold.paragraph_id == str(quote.version_id)
    return same and quote.start <= gold.start and gold.end <= quote.end


def _example(
    source: str,
    question: ReadingQuestion,
    quote: Quote,
    common: Matrix,
    embedder: CachingEmbedder,
) -> Example:
    (asked,) = embedder.tokens_now([question.text], as_queries=True)
    (read,) = embedder.tokens_now([quote.embedded_text])
    runs = word_runs(question.text, asked, quote, read, common)
    spans = runs.spans + quote.start
    right = np.zeros(len(runs.first))
    for gold in (gold for gold in question.spans if _inside(gold, quote)):
        meets = np.flatnonzero((spans[:, 0] < gold.end) & (spans[:, 1] > gold.start))
        if len(meets):
            right[(runs.first == meets[0]) & (runs.last == meets[-1])] = 1.0
    return Example(source, question, quote, runs, opening(asked), common, right)


if __name__ == "__main__":
    main()
