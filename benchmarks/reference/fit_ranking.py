"""Fits the record of an embedder: what its cosines mean beside BM25, and when quotes answer.

    python -m benchmarks.reference.fit_ranking --data ../shared/data/qa --embedder e5-int8 [--write]

Of every folder of paragraphs and questions, one half of the pages fits and the other judges; pages
of one title fall into the same half in all languages. Folders weigh alike.

- `similarity`, `bm25`, `bm25_margin`: conditional logit of the gold paragraph among the hits of its
  question, so that they rank; then `prior` and one factor of all four by logistic regression, so
  that scores are log-odds.
- `unrelated`: the median cosine of a question with paragraphs of other pages; `alike` so that the
  best sentence for a question has the likeness `SENTENCE_LEVEL` at the median.
- `support_…`: logistic regression of whether the gold paragraph is among the passages that are
  quoted, each question asked with its page and without.

Keys: `record`, and of the other half, by the record that is there and by the new one, `hit@1` of
the gold paragraph, `answered` (its page there) and `abstained` (its page left out), pooled.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.languages.answering import Answerer
from benchmarks.languages.folders import Folder, folder_names, read_folder
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.judged.passage_store import Passage, PassageStore
from benchmarks.shared.judged.scoring import Scorer
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from benchmarks.shared.splits import DEVELOPMENT, half_of_page
from scops.common.config.settings import EmbedderName
from scops.explainer.answer.evidence import PASSAGES
from scops.explainer.settings import ExplainerSettings
from scops.libraries.embedder.calibration import PATH, Calibration
from scops.libraries.embedder.port import model_of
from scops.libraries.embedder.registry import load_embedder
from scops.retriever.scoring.relevance import bm25_margins, word_share
from scops.retriever.scoring.score import SENTENCE_LEVEL

Floats = NDArray[np.float64]
QUESTIONS = 120
HITS = 50
QUANTILE = 0.5
RIDGE = 1e-3
# Cosine, BM25 and its margin, and of the signals of support.
COSINE = 0


@dataclass(frozen=True, slots=True)
class AskedHits:
    """The hits of a question: shape (hits, 3), and the place of the gold one."""

    features: Floats
    gold: int


@dataclass(slots=True)
class Sample:
    """What is known of the questions of one half."""

    hits: list[list[AskedHits]] = field(default_factory=list)
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
    parser.add_argument("--embedder", choices=get_args(EmbedderName), default="onnx-int8")
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
    found = replace(known, **_ranking(fitting), **_likeness(fitting), **_support(fitting))
    found = Calibration(**{name: round(value, 3) for name, value in asdict(found).items()})
    embedder.close()
    if args.write:
        _write(PATH, model_of(args.embedder).name, found)
    return {
        "record": asdict(found),
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
        sample.hits.append([])
        sample.signals.append([])
        sample.answers.append([])
    for asked in folder.questions:
        page = folder.titles[asked.paragraph_id]
        sample = halves[half_of_page(page) != DEVELOPMENT]
        (vector,) = embedder.embed_now([asked.text], as_queries=True)
        hits = store.search(asked.text, vector, limit=HITS)
        ids = [hit.chunk_id for hit in hits]
        scores = [hit.bm25 or 0.0 for hit in hits]
        share, margins = word_share(asked.text), bm25_margins(scores)
        cosines = [hit.similarity for hit in hits]
        features = np.column_stack([cosines, np.array(scores) * share, np.array(margins) * share])
        strange = [one for one, hit in zip(cosines, hits, strict=True) if hit.header != page]
        sample.strange += strange
        if asked.paragraph_id in ids:
            sample.hits[-1].append(AskedHits(features, ids.index(asked.paragraph_id)))
        question = scorer.question(asked.text, limit=PASSAGES)
        ranked = scorer.scored(question, hits)[:PASSAGES]
        sample.signals[-1].append(answerer.signals(asked.text, ranked))
        sample.answers[-1].append(asked.paragraph_id in {one for one, _ in ranked})
        strangers = [hit for hit in hits if hit.header != page]
        ranked = scorer.scored(question, strangers)[:PASSAGES]
        sample.signals[-1].append(answerer.signals(asked.text, ranked))
        sample.answers[-1].append(False)


def _ranking(sample: Sample) -> dict[str, float]:
    """Returns prior and weights of the two sides of the store."""
    groups = [(one, 1 / len(folder)) for folder in sample.hits for one in folder]
    spread = np.concatenate([one.features for one, _ in groups]).std(axis=0)

    def choice_loss(weights: Floats) -> float:
        loss = RIDGE * float(weights @ weights)
        for one, weight in groups:
            scores = one.features / spread @ weights
            loss += weight * (np.logaddexp.reduce(scores) - scores[one.gold])
        return loss

    found = minimize(choice_loss, np.ones(3), bounds=[(0, None)] * 3).x / spread
    scores = np.concatenate([one.features @ found for one, _ in groups])
    gold = np.concatenate([np.arange(len(one.features)) == one.gold for one, _ in groups])
    weights = np.concatenate([np.full(len(one.features), weight) for one, weight in groups])
    prior, factor = _logistic(scores[:, np.newaxis], gold.astype(float), weights)
    similarity, bm25, margin = found * factor
    return {"prior": prior, "similarity": similarity, "bm25": bm25, "bm25_margin": margin}


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
    weights = np.array([record.similarity, record.bm25, record.bm25_margin])
    first = [
        int(np.argmax(one.features @ weights)) == one.gold
        for folder in sample.hits
        for one in folder
    ]
    signals, answers, _ = sample.support
    own = np.array([record.support_similarity, record.support_overlap, record.support_covered])
    sure = 1 / (1 + np.exp(record.support_offset - signals @ own))
    answered = sure >= ExplainerSettings().support_min
    return {
        "hit@1": round(float(np.mean(first)), 4),
        "answered": round(float(answered[answers > 0].mean()), 4),
        "abstained": round(float(1 - answered[answers == 0].mean()), 4),
    }


def _write(path: Path, model: str, record: Calibration) -> None:
    records = json.loads(path.read_text())
    records[model] = asdict(record)
    path.write_text(json.dumps(records, indent=1) + "\n")


if __name__ == "__main__":
    main()
