"""Passages that only a second step leads to, with and without the graph.

    python -m benchmarks.multihop --data ../shared/data/retrieval/msmarco-dl19 --json

Questions are made of the corpus (`two_hops`): each names what one passage alone mentions, and some
common words of the goal, which shares a bridge with that passage. They are made by the rules for
names, so they tell what a walk can gain, not what people ask.

Keys, by recipe (`hybrid`, `default`, `graph`):
    hit@5|10|20, mrr@10: of the goal. `graph` searches a second time, as the retriever does.
    start@10: the passage that the question starts from is among the first ten.
`graph_by_alpha`: hits of `graph` where the request gives the walk more weight than the default.
`by_extractor`: the same of `graph` at the default weight and at ALPHA_SHOWN, with mentions by
    `rules` (the default), `names` (the rules without noun phrases) and, with --spacy, `spacy`;
    `milliseconds` of CPU a passage, `keys` and `key_bytes` a passage.
`against`: `graph` less `hybrid` and `default`: `graph.OTHER.mrr@10`, with `..._interval` (95 %,
    bootstrap over questions) and `..._p` (two-sided randomisation test).
`bridged`: share of the questions whose bridge the second search asked for. `questions`.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.multihop.mention_sets import read_by
from benchmarks.multihop.two_hops import TwoHopQuestion, two_hop_questions
from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from benchmarks.shared.judged import beir
from benchmarks.shared.judged.passage_store import Passage, PassageStore
from benchmarks.shared.judged.ranks import (
    against,
    hit_share,
    mean,
    mean_reciprocal_rank,
    rank_of,
)
from benchmarks.shared.judged.scoring import Scorer
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from scops.common.config.settings import EMBEDDER_DEFAULT, EmbedderName
from scops.common.contract.messages.retrieval import Weights
from scops.libraries.embedder.calibration import Calibration
from scops.libraries.embedder.port import FloatArray
from scops.libraries.embedder.registry import load_embedder
from scops.libraries.index.ports import StoreHit
from scops.libraries.mentions.port import Mentions
from scops.retriever.candidates.search import RESCORED_FACTOR
from scops.retriever.graph.evidence import graph_evidence
from scops.retriever.settings import RetrieverSettings

QUESTIONS = 150
CUTS = (5, 10, 20)
ALPHAS = (0.6, 0.4, 0.2)
ALPHA_SHOWN = 0.4
PLAIN = ("hybrid", "default")


def main() -> None:
    parser = command_parser(__doc__, data="folder in the BEIR layout")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="at most so many")
    parser.add_argument("--spacy", default="", metavar="PIPELINE", help="compare with its mentions")
    add_embedder(parser)
    args = parser.parse_args()
    result = measure(
        args.data,
        count=args.questions,
        spacy_pipeline=args.spacy,
        embedder_name=args.embedder,
    )
    print_result(result, args)


def measure(
    data: Path, *, count: int, spacy_pipeline: str, embedder_name: EmbedderName = EMBEDDER_DEFAULT
) -> dict[str, Any]:
    """Returns the figures that the module's docstring names."""
    started = time.monotonic()
    documents = beir.read(data).documents
    asked = two_hop_questions([document.text for document in documents], count=count)
    progress(f"made {len(asked)} questions")
    embedder = CachingEmbedder(load_embedder(embedder_name))
    passages = [Passage(entry.id, entry.title, entry.text) for entry in documents]
    corpus = _Corpus(passages, asked, embedder)
    read = read_by(passages, spacy_pipeline=spacy_pipeline)
    found = {name: corpus.figures(entry.mentions, ALPHAS) for name, entry in read.items()}
    plain = {recipe: corpus.plain(recipe) for recipe in PLAIN}
    embedder.close()
    rules = found["rules"]
    return {
        **{recipe: corpus.figures_of(rankings) for recipe, rankings in plain.items()},
        "graph": rules.by_alpha[None],
        "against": graph_against(corpus.goal_ranks({**plain, "graph": rules.rankings})),
        "graph_by_alpha": {str(alpha): rules.by_alpha[alpha] for alpha in ALPHAS},
        "by_extractor": {
            name: {
                "graph": found[name].by_alpha[None],
                f"graph_{ALPHA_SHOWN}": found[name].by_alpha[ALPHA_SHOWN],
                "bridged": found[name].bridged,
                **entry.cost,
            }
            for name, entry in read.items()
        },
        "bridged": rules.bridged,
        "questions": len(asked),
        "benchmark_seconds": round(time.monotonic() - started),
    }


@dataclass(frozen=True, slots=True)
class _Found:
    by_alpha: Mapping[float | None, Mapping[str, float]]
    bridged: float | None
    rankings: Sequence[Sequence[str]]


class _Corpus:
    """Passages with their vectors, and the questions made of them."""

    def __init__(
        self,
        passages: Sequence[Passage],
        asked: Sequence[TwoHopQuestion],
        embedder: CachingEmbedder,
    ) -> None:
        self._passages, self._asked = passages, asked
        self._embedder, self._scorer = embedder, Scorer(embedder)
        self._questions = embedder.embed_now([question.text for question in asked], as_queries=True)
        self._ids = [passage.id for passage in passages]

    def plain(self, recipe: str) -> list[list[str]]:
        """Returns the rankings of a recipe that does not walk."""
        store = PassageStore.build(self._passages, self._embedder)
        rankings = []
        for question, vector in zip(self._asked, self._questions, strict=True):
            hits = store.search(question.text, vector, limit=RetrieverSettings().candidates)
            asked = self._scorer.question(question.text, recipe=recipe)
            rankings.append(self._scorer.ranking(asked, hits))
        return rankings

    def figures_of(self, rankings: Sequence[Sequence[str]]) -> Mapping[str, float]:
        """Returns the figures of rankings."""
        return _figures(rankings, self._asked, self._ids)

    def goal_ranks(
        self, rankings: Mapping[str, Sequence[Sequence[str]]]
    ) -> Mapping[str, Sequence[int]]:
        """Returns by recipe the place of each question's goal."""
        return {
            recipe: [
                rank_of(ranking, [self._ids[question.goal]])
                for ranking, question in zip(found, self._asked, strict=True)
            ]
            for recipe, found in rankings.items()
        }

    def figures(self, mentions: Sequence[Mentions], alphas: Sequence[float]) -> _Found:
        """Returns the figures of `graph` over these mentions, by the weight of the rest."""
        store = PassageStore.build(self._passages, self._embedder, mentions=mentions)
        rankings: dict[float | None, list[list[str]]] = {None: [], **{one: [] for one in alphas}}
        bridged = []
        for question, vector in zip(self._asked, self._questions, strict=True):
            hits, followed = _with_bridges(store, question, vector, self._embedder.calibration)
            bridged.append(followed)
            for alpha, found in rankings.items():
                weights = None if alpha is None else Weights(alpha=alpha)
                asked = self._scorer.question(question.text, recipe="graph", weights=weights)
                found.append(self._scorer.ranking(asked, hits))
        by_alpha = {key: _figures(found, self._asked, self._ids) for key, found in rankings.items()}
        return _Found(by_alpha, mean(bridged) if bridged else None, rankings[None])


def graph_against(ranks: Mapping[str, Sequence[int]]) -> Mapping[str, float | list[float]]:
    """Returns how far `graph` lies above the recipes that do not walk, from the goals' places."""
    return against(ranks, ("graph",), PLAIN)


def _with_bridges(
    store: PassageStore, question: TwoHopQuestion, vector: FloatArray, calibration: Calibration
) -> tuple[list[StoreHit], bool]:
    """Returns the hits of both searches, and whether the second asked for the bridge."""
    asked = RetrieverSettings().candidates
    hits = store.search(question.text, vector, limit=asked * RESCORED_FACTOR)
    bridges = frozenset(graph_evidence(question.text, hits, calibration).bridges)
    if not bridges:
        return hits, False
    known = {hit.chunk_id for hit in hits}
    second = store.search(question.text, vector, limit=asked, mentioning=bridges)
    new = [hit for hit in second if hit.chunk_id not in known]
    return [*hits, *new], question.bridge in bridges


def _figures(
    rankings: Sequence[Sequence[str]], asked: Sequence[TwoHopQuestion], ids: Sequence[str]
) -> Mapping[str, float]:
    if not asked:
        return {}
    goals = [
        rank_of(ranking, [ids[question.goal]])
        for ranking, question in zip(rankings, asked, strict=True)
    ]
    starts = [
        rank_of(ranking, [ids[question.start]])
        for ranking, question in zip(rankings, asked, strict=True)
    ]
    figures = {f"hit@{cut}": hit_share(goals, cut) for cut in CUTS}
    figures["mrr@10"] = mean_reciprocal_rank(goals)
    figures["start@10"] = hit_share(starts, 10)
    return figures


if __name__ == "__main__":
    main()
