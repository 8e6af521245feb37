"""Fits what reads in the record of an embedder, and says how well it does.

    python -m benchmarks.reference.fit_reader --data ../shared/data [--embedder e5-int8] [--write]

Questions of `qa/squad2` and `qa/xquad-en`, a third of xquad again without the passages of their
page, which nothing then answers, and the development half of TimeQA, whose pages differ in their
times more than in their words; all English. A candidate is right where it holds a marked span.

- `sentence`: conditional logit of the right candidates among those of their question.
- `answer`, `answer_offset`: logistic regression of whether a candidate is right.
- `enough`, and `enough_dated` over questions that ask for a time: the least at which, in
  cross-validation over pages, the quotes hold no fewer answers than quotes that are picked until
  the words are full (`benchmarks.reader.padded`), what is not answered counted as not held.

Keys: `record`; `undated` and `dated`, the questions without and with a time, `quoted` by what is
enough and `padded`: `recall`, `precision`, `words_p50` and `words_mean`, of the folds, where what
is not answered holds no answer; `sources`, the same of each, with `first_is_right` of the
questions that some candidate answers, `abstained`, by the probability below which there is no
answer, of questions with an answer and without, and `auc` of that probability.
"""

import argparse
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from benchmarks.languages.folders import Paragraph
from benchmarks.reader.outcomes import Outcome, judge
from benchmarks.reader.selections import PreparedQuestion, Selections
from benchmarks.reader.sets import Place, ReadingQuestion, ReadingSet, read_set
from benchmarks.reference.conditional_logit import conditional_logit
from benchmarks.reference.records import write_record
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.figures import auc_of
from benchmarks.shared.judged import timeqa
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from benchmarks.shared.splits import DEVELOPMENT, fold_of, half_of_link
from scops.common.config.settings import EmbedderName
from scops.common.text.sentences import sentence_spans
from scops.explainer.quotes.reading import (
    ANSWER_SIGNALS,
    COLUMNS,
    SENTENCE_SIGNALS,
    answer_signals,
    is_dated,
    read_rows,
    sentence_shares,
    signal_rows,
    weights_of,
)
from scops.libraries.embedder.calibration import ReaderWeights
from scops.libraries.embedder.port import model_of
from scops.libraries.embedder.registry import load_embedder

Floats = npt.NDArray[np.float64]
FOLDS = 5
RIDGE = 1e-2
FOREIGN_EVERY = 3
ENOUGH = (0.7, 0.8, 0.9, 0.95)
THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7)
QUESTIONS = 500


@dataclass(frozen=True, slots=True)
class Example:
    """A question as the models see it.

    Attributes:
        rows: shape (n, signals), a row a candidate; `right` has which hold a marked span.
        padded: what is quoted where the words are filled.
    """

    source: str
    question: ReadingQuestion
    prepared: PreparedQuestion
    among: ReadingSet
    selections: Selections
    rows: Floats
    right: Floats
    padded: Outcome

    @property
    def fold(self) -> int:
        return fold_of(self.question.page, FOLDS)

    @property
    def answers(self) -> bool:
        """Whether a candidate is right."""
        return bool(self.right.any())


@dataclass(frozen=True, slots=True)
class Comparison:
    """How quotes compare with quotes that fill the words.

    Attributes:
        quoted: by what is enough.
    """

    questions: int
    padded: Mapping[str, float]
    quoted: Mapping[float, Mapping[str, float]]


def main() -> None:
    parser = command_parser(__doc__, data="folder of all data")
    parser.add_argument("--embedder", choices=get_args(EmbedderName), default="onnx-int8")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="at most, of a set")
    parser.add_argument("--write", action="store_true", help="put the record into its file")
    args = parser.parse_args()
    print_result(fit(args), args)


def fit(args: argparse.Namespace) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    embedder = CachingEmbedder(load_embedder(args.embedder))
    examples = [one for one in _examples(args, embedder) if len(one.rows)]
    folds = [fitted([one for one in examples if one.fold != fold]) for fold in range(FOLDS)]
    undated, dated = (_compared(examples, folds, dated=dated) for dated in (False, True))
    record = replace(
        fitted(examples), enough=_least_enough(undated), enough_dated=_least_enough(dated)
    )
    if args.write:
        write_record(model_of(args.embedder).name, {"reader": asdict(record)})
    embedder.close()
    return {
        "record": asdict(record),
        "undated": asdict(undated),
        "dated": asdict(dated),
        "sources": {
            name: _source([one for one in examples if one.source == name], folds, record)
            for name in dict.fromkeys(one.source for one in examples)
        },
        "embedder_id": embedder.embedder_id,
    }


def fitted(examples: Sequence[Example]) -> ReaderWeights:
    """Returns both models, fitted."""
    answering = [one for one in examples if one.answers]
    sentence = conditional_logit(
        [one.rows[:, : len(SENTENCE_SIGNALS)] for one in answering],
        [one.right for one in answering],
        ridge=RIDGE,
    )
    rows = np.array([_answer_signals(one, sentence) for one in examples])
    answer, offset = _logistic(rows, np.array([float(one.answers) for one in examples]))
    return ReaderWeights(
        sentence=_named(SENTENCE_SIGNALS, sentence),
        answer=_named(ANSWER_SIGNALS, answer),
        answer_offset=round(offset, 3),
        enough=ENOUGH[0],
        enough_dated=ENOUGH[0],
    )


def _compared(
    examples: Sequence[Example], folds: Sequence[ReaderWeights], *, dated: bool
) -> Comparison:
    """Returns how well the questions are answered that ask for a time, or those that do not."""
    asked = [one for one in examples if one.question.answerable and is_dated(one.rows) == dated]
    return Comparison(
        questions=len(asked),
        padded=_means([one.padded for one in asked]),
        quoted={
            enough: _figures(
                asked, [replace(fold, enough=enough, enough_dated=enough) for fold in folds]
            )
            for enough in ENOUGH
        },
    )


def _least_enough(found: Comparison) -> float:
    """Returns the least that loses no answers; the most where each does."""
    needed = found.padded["recall"]
    return next((one for one in ENOUGH if found.quoted[one]["recall"] >= needed), ENOUGH[-1])


def _examples(args: argparse.Namespace, embedder: CachingEmbedder) -> Iterator[Example]:
    count: int = args.questions
    folder = args.data / "qa"
    sets = {name: read_set(folder / name, questions=count) for name in ("squad2", "xquad-en")}
    sets["timeqa"] = timeqa_set(args.data / "temporal" / "timeqa-train", questions=count)
    for name, among in sets.items():
        progress(f"{name}: {len(among.questions)} questions")
        selections = Selections(among, embedder)
        for number, question in enumerate(among.questions):
            yield _example(name, question, among, selections)
            if name == "xquad-en" and number % FOREIGN_EVERY == 0:
                foreign = replace(question, answerable=False, answers=(), spans=())
                yield _example("foreign", foreign, among, selections, without_page=True)


def _example(
    source: str,
    question: ReadingQuestion,
    among: ReadingSet,
    selections: Selections,
    *,
    without_page: bool = False,
) -> Example:
    prepared = selections.prepared(question, without_page=without_page)
    spans = [entry.quote for entry in prepared.candidates]
    right = [
        any(Place(str(one.version_id), one.start, one.end).meets(gold) for gold in question.spans)
        for one in spans
    ]
    rows = (
        signal_rows(prepared.candidates, prepared.asked, prepared.texts)
        if spans
        else np.empty((0, len(COLUMNS)))
    )
    padded = judge(question, selections.padded(prepared), among)
    found = np.array(right, dtype=np.float64)
    return Example(source, question, prepared, among, selections, rows, found, padded)


def timeqa_set(folder: Path, *, questions: int) -> ReadingSet:
    """Returns the development half, each paragraph of it that is no heading."""
    paragraphs: dict[str, Paragraph] = {}
    asked: list[ReadingQuestion] = []
    for page in timeqa.pages_of(folder):
        link: str = page["link"]
        if half_of_link(link) != DEVELOPMENT or 0 < questions <= len(asked):
            continue
        title = str(page["paras"][0])
        for number, text in enumerate(page["paras"]):
            if not timeqa.is_heading(text):
                one = f"{link}#{number}"
                paragraphs[one] = Paragraph(one, title, text)
        asked += (_dated_question(page, title, *entry) for entry in page["questions"])
    sentences = {
        one.id: tuple(Place(one.id, start, end) for start, end in sentence_spans(one.text))
        for one in paragraphs.values()
    }
    return ReadingSet(paragraphs, sentences, tuple(asked))


def _dated_question(
    page: Mapping[str, Any], title: str, text: str, marked: Sequence[Mapping[str, Any]]
) -> ReadingQuestion:
    answers = [entry for entry in marked if entry["answer"]]
    spans = tuple(
        Place(f"{page['link']}#{entry['para']}", found.start(), found.end())
        for entry in answers
        for found in re.finditer(re.escape(entry["answer"]), page["paras"][entry["para"]])
    )
    return ReadingQuestion(
        text=text,
        paragraph_id=f"{page['link']}#{answers[0]['para'] if answers else 0}",
        page=title,
        answerable=bool(answers),
        answers=tuple(entry["answer"] for entry in answers),
        spans=spans,
        facts=(),
    )


def _logistic(rows: Floats, held: Floats) -> tuple[Floats, float]:
    """Returns weights and offset of log-odds."""
    mean, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    table = np.column_stack([(rows - mean) / scale, np.ones(len(rows))])
    shrunk = np.array([*([RIDGE] * rows.shape[1]), 0.0])

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = table @ weights
        slope = table.T @ (1 / (1 + np.exp(-odds)) - held) / len(held)
        lost = float((np.logaddexp(0, odds) - held * odds).mean() + shrunk @ weights**2 / 2)
        return lost, slope + shrunk * weights

    found = minimize(loss, np.zeros(table.shape[1]), jac=True).x
    own: Floats = found[:-1] / scale
    return own, float(found[-1] - mean @ own)


def _named(names: Sequence[str], weights: Floats) -> dict[str, float]:
    return {name: round(float(one), 3) for name, one in zip(names, weights, strict=True)}


def _figures(examples: Sequence[Example], folds: Sequence[ReaderWeights]) -> dict[str, float]:
    """Returns how well the folds quote what they were not fitted on."""
    outcomes = []
    for one in examples:
        found = read_rows(
            one.prepared.candidates, one.rows, folds[one.fold], covered=one.prepared.covered
        )
        reading = one.selections.reading_of(found, one.prepared)
        outcomes.append(judge(one.question, reading, one.among))
    return _means(outcomes)


def _means(outcomes: Sequence[Outcome]) -> dict[str, float]:
    words = [one.words for one in outcomes if not one.abstained]
    return {
        "recall": round(statistics.fmean(one.holds for one in outcomes), 4),
        "precision": round(float(np.nanmean([one.precision for one in outcomes])), 4),
        "words_p50": statistics.median(words),
        "words_mean": round(statistics.fmean(words), 1),
    }


def _source(
    examples: Sequence[Example], folds: Sequence[ReaderWeights], record: ReaderWeights
) -> dict[str, object]:
    shipped = [
        replace(fold, enough=record.enough, enough_dated=record.enough_dated) for fold in folds
    ]
    answerable = [one for one in examples if one.question.answerable]
    first = [
        bool(one.right[_shares(one, folds[one.fold]).argmax()]) for one in examples if one.answers
    ]
    probable = np.array([_probability(one, folds[one.fold]) for one in examples])
    held = np.array([one.answers for one in examples])
    return {
        "questions": len(examples),
        "first_is_right": round(statistics.fmean(first), 4) if first else None,
        "quoted": _figures(answerable, shipped) if answerable else None,
        "padded": _means([one.padded for one in answerable]) if answerable else None,
        "auc": auc_of(probable, held),
        "abstained": {
            str(bound): {
                "answerable": _share(probable[held] < bound),
                "unanswerable": _share(probable[~held] < bound),
            }
            for bound in THRESHOLDS
        },
    }


def _share(values: npt.NDArray[np.bool_]) -> float | None:
    return round(float(values.mean()), 4) if len(values) else None


def _probability(one: Example, weights: ReaderWeights) -> float:
    signals = _answer_signals(one, weights_of(SENTENCE_SIGNALS, weights.sentence))
    told = signals @ weights_of(ANSWER_SIGNALS, weights.answer) + weights.answer_offset
    return float(1 / (1 + np.exp(-told)))


def _answer_signals(one: Example, sentence: Floats) -> Floats:
    shares = sentence_shares(one.rows, sentence)
    return answer_signals(one.rows, shares, covered=one.prepared.covered)


def _shares(one: Example, weights: ReaderWeights) -> Floats:
    return sentence_shares(one.rows, weights_of(SENTENCE_SIGNALS, weights.sentence))


if __name__ == "__main__":
    main()
