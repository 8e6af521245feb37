"""Fits what the cosines of an embedder mean beside its ranking, and when quotes answer.

    python -m benchmarks.reference.fit_ranking --data ../shared/data/qa --embedder e5-int8 [--write]

Of every folder of paragraphs and questions, one half of the pages fits and the other judges; pages
of one title fall into the same half in all languages. Folders weigh alike.

- `unrelated`: the median cosine of a question with paragraphs of other pages; `alike` so that the
  best sentence for a question has the likeness `SENTENCE_LEVEL` at the median.
- `support_…`: logistic regression of whether the gold paragraph is among the passages that are
  quoted, each question asked with its page and without.

How both sides of the store are weighed is `fit_fusion`'s, which goes first.

Keys: `record`, and of the other half, by the record that is there and by the new one, `answered`
(the page of the question there) and `abstained` (its page left out), pooled.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.languages.answering import Answerer
from benchmarks.languages.folders import Folder, folder_names, read_folder
from benchmarks.reference.records import write_record
from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from benchmarks.shared.judged.passage_store import Passage, PassageStore
from benchmarks.shared.judged.scoring import Scorer
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from benchmarks.shared.splits import DEVELOPMENT, half_of_page
from scops.explainer.answer.evidence import PASSAGES
from scops.explainer.settings import ExplainerSettings
from scops.libraries.embedder.calibration import Calibration
from scops.libraries.embedder.port import model_of
from scops.libraries.embedder.registry import load_embedder
from scops.retriever.scoring.score import SENTENCE_LEVEL

Floats = NDArray[np.float64]
QUESTIONS = 120
HITS = 50
QUANTILE = 0.5
RIDGE = 1e-3
# Of the signals of support.
COSINE = 0


@dataclass(slots=True)
class Sample:
    """What is known of the questions of one half."""

    strange: list[float] = field(default_factory=list)
    signals: list[list[tuple[float, float, float]]] = field(default_factory=list)
    answers: list[list[bool]] = field(default_factory=list)

    @property
    def support(self) -> tuple[Floats, Floats, Floats]:
        """Signals, whether they answer, and weights that make folders alike."""
        signals = np.array([one for folder in self.signals for one in folder])
        answers = np.array([one for folder in self.answers for one in folder], dtype=float)
        weights = np.array([1 / len(folder) for folder in self.signals for _ in folder])
        return signals, answers, weights


def main() -> None:
    parser = command_parser(__doc__, data="folder of folders of paragraphs and questions")
    add_embedder(parser)
    parser.add_argument("--folders", default="", help="names, with commas; all where empty")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="at most, of a folder")
    parser.add_argument("--write", action="store_true", help="put the record into its file")
    args = parser.parse_args()
    print_result(fit(args), args)


def fit(args: argparse.Namespace) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    embedder = CachingEmbedder(load_embedder(args.embedder))
    names = [name for name in args.folders.split(",") if name] or folder_names(args.data)
    folders = [read_folder(args.data / name, questions=args.questions) for name in names]
    halves = Sample(), Sample()
    for folder in folders:
        _observe(folder, embedder, halves)
        progress(folder.name)
    fitting, judging = halves
    known = embedder.calibration
    record = {
        name: round(value, 3) for name, value in (_likeness(fitting) | _support(fitting)).items()
    }
    found = replace(known, **record)
    embedder.close()
    if args.write:
        write_record(model_of(args.embedder).name, record)
    return {
        "record": record,
        "held_out": {
            "known": _judged(judging, known),
            "fitted": _judged(judging, found),
        },
    }


def _observe(folder: Folder, embedder: CachingEmbedder, halves: Sequence[Sample]) -> None:
    passages = [Passage(one.id, one.title, one.text) for one in folder.paragraphs]
    store, scorer = PassageStore.build(passages, embedder), Scorer(embedder)
    answerer = Answerer(embedder, {one.id: one for one in folder.paragraphs})
    for sample in halves:
        sample.signals.append([])
        sample.answers.append([])
    for asked in folder.questions:
        page = folder.titles[asked.paragraph_id]
        sample = halves[half_of_page(page) != DEVELOPMENT]
        (vector,) = embedder.embed_now([asked.text], as_queries=True)
        hits = store.search(asked.text, vector, limit=HITS)
        sample.strange += [hit.similarity for hit in hits if hit.header != page]
        question = scorer.question(asked.text, limit=PASSAGES)
        ranked = scorer.scored(question, hits)[:PASSAGES]
        sample.signals[-1].append(answerer.signals(asked.text, ranked))
        sample.answers[-1].append(asked.paragraph_id in {one for one, _ in ranked})
        strangers = [hit for hit in hits if hit.header != page]
        ranked = scorer.scored(question, strangers)[:PASSAGES]
        sample.signals[-1].append(answerer.signals(asked.text, ranked))
        sample.answers[-1].append(False)


def _likeness(sample: Sample) -> dict[str, float]:
    """Returns which cosines count as unrelated and as alike."""
    unrelated = float(np.quantile(sample.strange, QUANTILE))
    signals, answers, _ = sample.support
    best = float(np.quantile(signals[answers > 0, COSINE], QUANTILE))
    return {"unrelated": unrelated, "alike": unrelated + (best - unrelated) / SENTENCE_LEVEL}


def _support(sample: Sample) -> dict[str, float]:
    """Returns the weights of what quotes have in common with a question."""
    offset, similarity, overlap, covered = _logistic(*sample.support)
    return {
        "support_offset": -offset,
        "support_similarity": similarity,
        "support_overlap": overlap,
        "support_covered": covered,
    }


def _logistic(features: Floats, held: Floats, weights: Floats) -> tuple[float, ...]:
    """Returns intercept and weights, none of these below 0; features on their own scales."""
    mean, spread = features.mean(axis=0), features.std(axis=0)
    scaled = (features - mean) / spread

    def loss(values: Floats) -> float:
        odds = values[0] + scaled @ values[1:]
        unsure = weights * (np.logaddexp(0, odds) - held * odds)
        return float(unsure.sum() + RIDGE * values[1:] @ values[1:])

    count = features.shape[1]
    bounds = [(None, None), *[(0.0, None)] * count]
    intercept, *slopes = minimize(loss, np.zeros(count + 1), bounds=bounds).x
    own = np.array(slopes) / spread
    return float(intercept - own @ mean), *map(float, own)


def _judged(sample: Sample, record: Calibration) -> dict[str, float]:
    signals, answers, _ = sample.support
    own = np.array([record.support_similarity, record.support_overlap, record.support_covered])
    sure = 1 / (1 + np.exp(record.support_offset - signals @ own))
    answered = sure >= ExplainerSettings().support_min
    return {
        "answered": round(float(answered[answers > 0].mean()), 4),
        "abstained": round(float(1 - answered[answers == 0].mean()), 4),
    }


if __name__ == "__main__":
    main()
