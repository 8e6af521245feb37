"""Retrieval and answers in each language, over paragraphs with questions.

    python -m benchmarks.languages --data ../shared/data/qa [--folders xquad-de,…] --json

Every subfolder with `paragraphs.jsonl` or `paragraphs.jsonl.gz` is a corpus of its own; the gold
passage of a question is the paragraph that it was asked of. The store is the SQLite one in memory,
scoring and quoting are the services' own. `--embedder` takes what `SCOPS_EMBEDDER` does.

Keys, each of `<folder>` and of `pooled` (the questions of all folders, each in its own corpus):
    bm25, dense, ours: `hit@1`, `hit@5` and `mrr@10` of the gold paragraph, by one side of the
        store alone and by recipe `default`; `ours.hit@1_interval` is the 95 % interval of a
        bootstrap over paragraphs, since questions of one paragraph are not independent.
    answer_sentence: share of questions of which the quoted sentences hold a gold string.
    words_p50: median words of an answer, abstentions left out; null where all abstained.
    abstained: share of the folder's own questions that got no answer.
    abstained_foreign: share of questions of another folder that got no answer. Where that folder
        holds the same pages in another language, those of the question's page are left out.
        Null where there is no other folder.
    cross_lingual: by language of the question, `hit@1` of recipe `default` where a folder has the
        same paragraph ids in another language: pages in this language, question in that.
    years_named, years_understood: of all questions of the folder, how many name a year, and the
        share of these whose time is read so that it holds that year.
    questions, paragraphs: how many.
"""

import argparse
import random
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.languages.answering import Answerer, Quoted
from benchmarks.languages.folders import SEED, Asked, Folder, folder_names, read_folder
from benchmarks.languages.years import years_understood
from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from benchmarks.shared.figures import rounded_mean
from benchmarks.shared.judged.passage_store import Passage, PassageStore
from benchmarks.shared.judged.ranks import hit_share, mean_reciprocal_rank, rank_of
from benchmarks.shared.judged.scoring import Scorer, by_bm25, by_similarity
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from scops.common.config.settings import CommonSettings
from scops.libraries.embedder.opening import open_embedder

QUESTIONS = 300
FOREIGN = 100
PLACES = 10
HITS = 100
RESAMPLES = 1000
SYSTEMS = ("bm25", "dense", "ours")


@dataclass(slots=True)
class Tally:
    """What was seen of a folder, or of all.

    Attributes:
        places: by system, the place of each question's gold paragraph, 0 where it is not found.
        paragraphs: what each question was asked of, by folder and paragraph.
    """

    places: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in SYSTEMS})
    paragraphs: list[str] = field(default_factory=list)
    held: list[bool] = field(default_factory=list)
    answers: list[Quoted] = field(default_factory=list)
    foreign: list[bool] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Takes in what was seen of another folder."""
        for name in SYSTEMS:
            self.places[name] += other.places[name]
        self.paragraphs += other.paragraphs
        self.held += other.held
        self.answers += other.answers
        self.foreign += other.foreign

    def figures(self) -> dict[str, object]:
        """Returns the keys that the module's docstring names."""
        found: dict[str, object] = {
            name: {
                "hit@1": hit_share(places, 1),
                "hit@5": hit_share(places, 5),
                "mrr@10": mean_reciprocal_rank(places, cut=PLACES),
            }
            for name, places in self.places.items()
        }
        ours = found["ours"]
        assert isinstance(ours, dict)
        ours["hit@1_interval"] = self._interval()
        words = [answer.words for answer in self.answers if answer.quotes]
        return found | {
            "answer_sentence": rounded_mean(self.held),
            "words_p50": statistics.median(words) if words else None,
            "abstained": rounded_mean([not answer.quotes for answer in self.answers]),
            "abstained_foreign": rounded_mean(self.foreign),
            "questions": len(self.held),
        }

    def _interval(self) -> list[float]:
        hits: dict[str, list[bool]] = {}
        for paragraph, place in zip(self.paragraphs, self.places["ours"], strict=True):
            hits.setdefault(paragraph, []).append(place == 1)
        groups, chance = list(hits.values()), random.Random(SEED)
        means = []
        for _ in range(RESAMPLES):
            drawn = [hit for group in chance.choices(groups, k=len(groups)) for hit in group]
            means.append(statistics.fmean(drawn))
        return [round(float(bound), 4) for bound in np.percentile(means, (2.5, 97.5))]


class Corpus:
    """A folder in a store, with everything that asks it."""

    def __init__(self, folder: Folder, embedder: CachingEmbedder) -> None:
        self.folder = folder
        self._embedder = embedder
        passages = [Passage(one.id, one.title, one.text) for one in folder.paragraphs]
        self._store = PassageStore.build(passages, embedder)
        self._scorer = Scorer(embedder)
        self._answerer = Answerer(embedder, {one.id: one for one in folder.paragraphs})

    def tally(self, foreign: Sequence[Asked]) -> Tally:
        """Asks the folder's own questions, then those of another folder."""
        seen = Tally()
        for asked in self.folder.questions:
            (vector,) = self._embedder.embed_now([asked.text], as_queries=True)
            sides = self._store.search(asked.text, vector, limit=HITS)
            ranked = self.ranked(asked.text)
            rankings = {
                "bm25": by_bm25(sides),
                "dense": by_similarity(sides),
                "ours": [one for one, _ in ranked],
            }
            for name, ranking in rankings.items():
                place = rank_of(ranking, {asked.paragraph_id})
                seen.places[name].append(place)
            seen.paragraphs.append(f"{self.folder.name}/{asked.paragraph_id}")
            answer = self._answerer.answer(asked.text, ranked)
            seen.answers.append(answer)
            seen.held.append(answer.holds_any(asked.answers))
        seen.foreign = [self._abstains(asked) for asked in foreign]
        return seen

    def hit_share(self, questions: Sequence[Asked]) -> float:
        """Returns the share of questions whose gold paragraph comes first."""
        first = [self.ranked(one.text)[:1] for one in questions]
        places = [
            int(any(found == one.paragraph_id for found, _ in best))
            for one, best in zip(questions, first, strict=True)
        ]
        return hit_share(places, 1)

    def ranked(self, text: str, *, without: str | None = None) -> list[tuple[str, float]]:
        """Returns the ids of the best paragraphs with their scores, best first.

        Args:
            without: title of a page whose paragraphs are left out.
        """
        (vector,) = self._embedder.embed_now([text], as_queries=True)
        question = self._scorer.question(text, limit=PLACES)
        hits = self._scorer.hits(self._store, question, vector)
        kept = [hit for hit in hits if without is None or hit.header != without]
        return self._scorer.scored(question, kept)[:PLACES]

    def _abstains(self, asked: Asked) -> bool:
        page = self.folder.titles.get(asked.paragraph_id)
        return not self._answerer.answer(asked.text, self.ranked(asked.text, without=page)).quotes


def main() -> None:
    parser = command_parser(__doc__, data="folder of folders of paragraphs and questions")
    parser.add_argument("--folders", default="", help="names, with commas; all where empty")
    parser.add_argument(
        "--questions", type=int, default=QUESTIONS, help="at most so many a folder; 0 for all"
    )
    add_embedder(parser)
    args = parser.parse_args()
    print_result(measure(args.data, args), args)


def measure(data: Path, args: argparse.Namespace) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    started = time.monotonic()
    folders = [read_folder(data / name, questions=args.questions) for name in folder_names(data)]
    names = [name for name in args.folders.split(",") if name]
    if unknown := set(names) - {folder.name for folder in folders}:
        raise SystemExit(f"{data} has no such folders: {', '.join(sorted(unknown))}")
    embedder = CachingEmbedder(open_embedder(CommonSettings(embedder=args.embedder)))
    pooled, result = Tally(), dict[str, object]()
    for place, folder in enumerate(folders):
        if names and folder.name not in names:
            continue
        corpus = Corpus(folder, embedder)
        seen = corpus.tally(_foreign(folders, place))
        pooled.add(seen)
        result[folder.name] = seen.figures() | {
            "cross_lingual": _cross_lingual(corpus, folders),
            "paragraphs": len(folder.paragraphs),
            **years_understood(folder.every),
        }
        progress(f"{folder.name}: {result[folder.name]}")
    result["pooled"] = pooled.figures()
    result["embedder_id"] = embedder.embedder_id
    embedder.close()
    return result | {"benchmark_seconds": round(time.monotonic() - started)}


def _foreign(folders: Sequence[Folder], place: int) -> Sequence[Asked]:
    """Returns questions of the next folder that is no translation, else of the next."""
    others = [*folders[place + 1 :], *folders[:place]]
    strange = [one for one in others if one.ids.isdisjoint(folders[place].ids)]
    chosen = next(iter(strange or others), None)
    return () if chosen is None else chosen.questions[:FOREIGN]


def _cross_lingual(corpus: Corpus, folders: Sequence[Folder]) -> Mapping[str, float]:
    """Returns hit@1 by the language of the questions."""
    return {
        other.language: corpus.hit_share(other.questions[:FOREIGN])
        for other in folders
        if other.translates(corpus.folder)
    }


if __name__ == "__main__":
    main()
