r"""Fits what the cosines of an embedder mean: as likeness, and beside the time asked for.

    python -m benchmarks.reference.fit_ranking --data ../shared/data --embedder e5-int8 \
        [--only likeness|timed] [--write]

Likeness: of every folder of paragraphs and questions, one half of the pages fits and the other
judges; pages of one title fall into the same half in all languages. Folders weigh alike.

- `unrelated`: the median cosine of a question with paragraphs of other pages; `alike` so that the
  best sentence for a question has the likeness `SENTENCE_LEVEL` at the median.

Timed: what a sentence's likeness and its fit to the time asked for, its page and the length of its
passage add to the passage's log-odds; on the development half of a third of TimeQA's pages. The
sentences are those that the record's weights choose, so run it again after it has written.

How both sides of the store are weighed is `fit_fusion`'s, which goes first; how answers are read is
`fit_reader`'s.

Keys: `record`; `likeness_held_out`: what the other half would have given; `timed`: `development`
(five-fold by page) and `held_out`, each with nDCG@10 by the record that is there (`known`) and by
what was `fitted`, and `gain`, the difference, with `gain_interval` (95 %, bootstrap by page) and
`gain_p` (randomisation).
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from benchmarks.languages.answering import Answerer
from benchmarks.languages.folders import Folder, folder_names, read_folder
from benchmarks.reference.fit_timed import fit_timed
from benchmarks.reference.records import write_record
from benchmarks.reference.timed_queries import TimedQueries
from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from benchmarks.shared.judged.passage_store import Passage, PassageStore
from benchmarks.shared.judged.scoring import Scorer
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from benchmarks.shared.splits import part_of
from scops.explainer.answer.evidence import PASSAGES
from scops.libraries.embedder.port import model_of
from scops.libraries.embedder.registry import load_embedder
from scops.retriever.scoring.score import SENTENCE_LEVEL

QUESTIONS = 120
HITS = 50
QUANTILE = 0.5
ONLY = LIKENESS, TIMED = "likeness", "timed"


@dataclass(slots=True)
class Sample:
    """What is known of the questions of one half.

    Attributes:
        strange: cosines with paragraphs of other pages.
        best: cosines with the closest sentence, where the gold paragraph was found.
    """

    strange: list[float] = field(default_factory=list)
    best: list[float] = field(default_factory=list)


def main() -> None:
    parser = command_parser(__doc__, data="folder with qa and temporal")
    add_embedder(parser)
    parser.add_argument("--only", choices=ONLY, help="of the two; both where not given")
    parser.add_argument("--folders", default="", help="names, with commas; all where empty")
    parser.add_argument(
        "--questions", type=int, default=QUESTIONS, help="at most, of a folder or half"
    )
    parser.add_argument("--write", action="store_true", help="put the record into its file")
    args = parser.parse_args()
    print_result(fit(args), args)


def fit(args: argparse.Namespace) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    embedder = CachingEmbedder(load_embedder(args.embedder))
    record: dict[str, object] = {}
    figures: dict[str, object] = {}
    calibration = embedder.calibration
    if args.only != TIMED:
        likeness, figures["likeness_held_out"] = map(_likeness, _samples(args, embedder))
        record |= likeness
        calibration = replace(calibration, **likeness)
    if args.only != LIKENESS:
        queries = TimedQueries(
            args.data / "temporal" / "timeqa-train",
            embedder,
            calibration,
            questions=args.questions,
        )
        record["timed"], figures["timed"] = fit_timed(queries, calibration.timed)
    embedder.close()
    if args.write:
        write_record(model_of(args.embedder).name, record)
    return {"record": record, **figures}


def _samples(args: argparse.Namespace, embedder: CachingEmbedder) -> tuple[Sample, Sample]:
    """Returns what is seen of the half that fits and of the one that judges."""
    folder = args.data / "qa"
    names = [name for name in args.folders.split(",") if name] or folder_names(folder)
    halves = Sample(), Sample()
    for name in names:
        _observe(read_folder(folder / name, questions=args.questions), embedder, halves)
        progress(name)
    return halves


def _observe(folder: Folder, embedder: CachingEmbedder, halves: Sequence[Sample]) -> None:
    passages = [Passage(one.id, one.title, one.text) for one in folder.paragraphs]
    store, scorer = PassageStore.build(passages, embedder), Scorer(embedder)
    answerer = Answerer(embedder, {one.id: one for one in folder.paragraphs})
    for asked in folder.questions:
        page = folder.titles[asked.paragraph_id]
        sample = halves[part_of(page, 2)]
        (vector,) = embedder.embed_now([asked.text], as_queries=True)
        hits = store.search(asked.text, vector, limit=HITS)
        sample.strange += [hit.similarity for hit in hits if hit.header != page]
        question = scorer.question(asked.text, limit=PASSAGES)
        ranked = scorer.scored(question, hits)[:PASSAGES]
        if asked.paragraph_id in {one for one, _ in ranked}:
            sample.best.append(answerer.best_cosine(asked.text, ranked))


def _likeness(sample: Sample) -> dict[str, float]:
    """Returns which cosines count as unrelated and as alike."""
    unrelated = float(np.quantile(sample.strange, QUANTILE))
    best = float(np.quantile(sample.best, QUANTILE))
    alike = unrelated + (best - unrelated) / SENTENCE_LEVEL
    return {"unrelated": round(unrelated, 3), "alike": round(alike, 3)}


if __name__ == "__main__":
    main()
