"""Fits what the cosines of an embedder mean beside its ranking.

    python -m benchmarks.reference.fit_ranking --data ../shared/data/qa --embedder e5-int8 [--write]

Of every folder of paragraphs and questions, one half of the pages fits and the other judges; pages
of one title fall into the same half in all languages. Folders weigh alike.

- `unrelated`: the median cosine of a question with paragraphs of other pages; `alike` so that the
  best sentence for a question has the likeness `SENTENCE_LEVEL` at the median.

How both sides of the store are weighed is `fit_fusion`'s, which goes first; how answers are read is
`fit_reader`'s.

Keys: `record`, and `held_out`: what the other half would have given.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.languages.answering import Answerer
from benchmarks.languages.folders import Folder, folder_names, read_folder
from benchmarks.reference.records import write_record
from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from benchmarks.shared.judged.passage_store import Passage, PassageStore
from benchmarks.shared.judged.scoring import Scorer
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from benchmarks.shared.splits import DEVELOPMENT, half_of_page
from scops.explainer.answer.evidence import PASSAGES
from scops.libraries.embedder.port import model_of
from scops.libraries.embedder.registry import load_embedder
from scops.retriever.scoring.score import SENTENCE_LEVEL

QUESTIONS = 120
HITS = 50
QUANTILE = 0.5


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
    record = _likeness(fitting)
    embedder.close()
    if args.write:
        write_record(model_of(args.embedder).name, record)
    return {"record": record, "held_out": _likeness(judging)}


def _observe(folder: Folder, embedder: CachingEmbedder, halves: Sequence[Sample]) -> None:
    passages = [Passage(one.id, one.title, one.text) for one in folder.paragraphs]
    store, scorer = PassageStore.build(passages, embedder), Scorer(embedder)
    answerer = Answerer(embedder, {one.id: one for one in folder.paragraphs})
    for asked in folder.questions:
        page = folder.titles[asked.paragraph_id]
        sample = halves[half_of_page(page) != DEVELOPMENT]
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
