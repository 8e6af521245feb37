"""Retrieval of the paragraph that answers a question with a time, over pages of paragraphs.

    python -m benchmarks.temporal --data ../shared/data/temporal/timeqa-train --json

The corpus is every paragraph of every page, headings and list items included. `dense`, `bm25` (of
stems, as the store has it), `hybrid` (reciprocal rank fusion) and `mrag_keyword` (temporal-rag,
section 3.2: dense, then the best sentence by overlap with the question's keywords and years) see
the paragraphs as they are; `dense_header`, `bm25_header` and `hybrid_header` see them under their
header, as the index holds them and as `ours` does, the recipe `default`.

Keys, by questions (`original`, `perturbed`) and system:
    hit@1|5|10|20, mrr@10, recall@20: of the gold paragraphs; `…_answer`: of the paragraphs of the
        page that hold the answer.
    wrong_year@1: first passages that name years, none of them within the interval asked for.
    no_year@1: first passages that name no year.
    page_given: `ours` among the paragraphs of the right page: the ceiling.
    parts: `ours` built up part by part.
    against: `ours` less each of the others: `ours.OTHER.mrr@10`, with `..._interval` (95 %,
        bootstrap by page) and `..._p` (two-sided randomisation by page).
`held_out` repeats `ours` on the half of the pages (by a hash of their link) that no constant was
fitted on.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from benchmarks.shared.judged.passage_store import Passage, PassageStore
from benchmarks.shared.judged.ranks import (
    against,
    hit_share,
    mean,
    mean_reciprocal_rank,
    rank_of,
)
from benchmarks.shared.judged.scoring import Scorer, by_bm25, by_rank_fusion, by_similarity
from benchmarks.shared.judged.timeqa import Paragraph, TimeQuestion, read
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from benchmarks.shared.splits import HELD_OUT, half_of_link
from benchmarks.temporal.mrag_keyword import keyword_ranking
from scops.common.config.settings import EMBEDDER_DEFAULT, EmbedderName
from scops.common.contract.ids import ChunkId
from scops.libraries.embedder.port import FloatArray
from scops.libraries.embedder.registry import load_embedder
from scops.libraries.index.ports import StoreHit
from scops.retriever.time.expressions import time_expressions
from scops.retriever.time.intervals import DateInterval, year_interval

HITS = 200
CUTS = (1, 5, 10, 20)
BASELINES = (
    "dense",
    "bm25",
    "hybrid",
    "mrag_keyword",
    "dense_header",
    "bm25_header",
    "hybrid_header",
)
System = Callable[[TimeQuestion, Sequence[StoreHit]], list[str]]


@dataclass(frozen=True, slots=True)
class Index:
    """A corpus in a store, with the vectors of the questions."""

    store: PassageStore
    vectors: Mapping[str, FloatArray]

    def hits(self, question: TimeQuestion, *, page: str | None = None) -> list[StoreHit]:
        return self.store.search(question.text, self.vectors[question.text], limit=HITS, group=page)


def main() -> None:
    parser = command_parser(__doc__, data="folder with timeqa.json.gz")
    parser.add_argument("--questions", type=int, default=0, help="only so many; 0 for all")
    add_embedder(parser)
    args = parser.parse_args()
    result = measure(args.data, questions=args.questions, embedder_name=args.embedder)
    print_result(result, args)


def measure(
    data: Path, *, questions: int = 0, embedder_name: EmbedderName = EMBEDDER_DEFAULT
) -> dict[str, Any]:
    """Returns the figures that the module's docstring names."""
    started = time.monotonic()
    loaded = read(data)
    asked = loaded.questions[:: max(1, len(loaded.questions) // questions)] if questions else None
    asked = asked or loaded.questions
    embedder = CachingEmbedder(load_embedder(embedder_name))
    vectors = embedder.vectors_of([one.text for one in asked], as_queries=True)
    bare = Index(_store(loaded.paragraphs, embedder, header=False), vectors)
    full = Index(_store(loaded.paragraphs, embedder, header=True), vectors)
    texts = {paragraph.id: paragraph.text for paragraph in loaded.paragraphs}
    positions = {ChunkId(paragraph.id): paragraph.position for paragraph in loaded.paragraphs}
    rankings = _rankings(asked, bare, full, texts, positions, embedder)
    embedder.close()
    result = {
        kind: {system: _figures(of_kind, found, texts) for system, found in rankings.items()}
        | {"against": against_baselines(of_kind, rankings)}
        for kind, of_kind in _kinds(asked).items()
    }
    held_out = [one for one in asked if half_of_link(one.link) == HELD_OUT]
    return {
        **result,
        "held_out": {
            kind: _figures(of_kind, rankings["ours"], texts)
            for kind, of_kind in _kinds(held_out).items()
        },
        "paragraphs": len(loaded.paragraphs),
        "questions": len(asked),
        "benchmark_seconds": round(time.monotonic() - started),
    }


def _kinds(questions: Sequence[TimeQuestion]) -> dict[str, list[TimeQuestion]]:
    return {
        "original": [one for one in questions if one.kind == "original"],
        "perturbed": [one for one in questions if one.kind != "original"],
    }


def _store(
    paragraphs: Sequence[Paragraph], embedder: CachingEmbedder, *, header: bool
) -> PassageStore:
    passages = [
        Passage(one.id, one.header if header else "", one.text, one.link) for one in paragraphs
    ]
    return PassageStore.build(passages, embedder)


def _rankings(
    asked: Sequence[TimeQuestion],
    bare: Index,
    full: Index,
    texts: Mapping[str, str],
    positions: Mapping[ChunkId, int],
    embedder: CachingEmbedder,
) -> dict[str, dict[TimeQuestion, list[str]]]:
    """Returns by system the ids found for each question, best first."""
    ours = Scorer(embedder)
    # The part `time` alone: every window counts as its passage does.
    kernel = Scorer(embedder, windows_max=1)
    found: dict[str, dict[TimeQuestion, list[str]]] = {}

    def put(system: str, question: TimeQuestion, ranking: list[str]) -> None:
        found.setdefault(system, {})[question] = ranking[: CUTS[-1]]

    for number, question in enumerate(asked):
        hits = bare.hits(question)
        put("dense", question, by_similarity(hits))
        put("bm25", question, by_bm25(hits))
        put("hybrid", question, by_rank_fusion(hits))
        put("mrag_keyword", question, keyword_ranking(question.text, hits, texts))
        plain = ours.question(question.text, recipe="hybrid")
        timed = ours.question(question.text)
        put("part_fusion", question, ours.ranking(plain, hits))
        hits = full.hits(question)
        put("dense_header", question, by_similarity(hits))
        put("bm25_header", question, by_bm25(hits))
        put("hybrid_header", question, by_rank_fusion(hits))
        put("part_header", question, ours.ranking(plain, hits))
        put("part_time", question, kernel.ranking(timed, hits, positions=positions))
        put("ours", question, ours.ranking(timed, hits, positions=positions))
        of_page = full.hits(question, page=question.link)
        put("page_given", question, ours.ranking(timed, of_page, positions=positions))
        if number % 100 == 0:
            progress(f"{number} of {len(asked)} questions")
    return found


def _figures(
    questions: Sequence[TimeQuestion],
    found: Mapping[TimeQuestion, list[str]],
    texts: Mapping[str, str],
) -> dict[str, float]:
    if not questions:
        return {}
    gold = [rank_of(found[one], one.gold) for one in questions]
    answer = [rank_of(found[one], one.answered_by) for one in questions]
    first = [year_standing(one, texts.get((found[one] or [""])[0], "")) for one in questions]
    figures = {f"hit@{cut}": hit_share(gold, cut) for cut in CUTS}
    figures["mrr@10"] = mean_reciprocal_rank(gold)
    figures["recall@20"] = mean([_recall(found[one], one.gold) for one in questions])
    figures |= {f"hit@{cut}_answer": hit_share(answer, cut) for cut in CUTS}
    figures["mrr@10_answer"] = mean_reciprocal_rank(answer)
    figures["wrong_year@1"] = mean([standing == "wrong" for standing in first])
    figures["no_year@1"] = mean([standing == "none" for standing in first])
    figures["n"] = len(questions)
    return figures


def against_baselines(
    questions: Sequence[TimeQuestion], rankings: Mapping[str, Mapping[TimeQuestion, list[str]]]
) -> dict[str, float | list[float]]:
    """Returns how far `ours` lies above each baseline, with what chance may have done."""
    ranks = {
        system: [rank_of(rankings[system][one], one.gold) for one in questions]
        for system in ("ours", *BASELINES)
    }
    return against(ranks, ("ours",), BASELINES, units=[one.link for one in questions])


def _recall(ranking: Sequence[str], wanted: Sequence[str]) -> float:
    return sum(one in wanted for one in ranking) / len(wanted)


def year_standing(question: TimeQuestion, text: str) -> str:
    """Returns whether a text names a year within the interval asked for, others, or none."""
    if question.asked_years is None:
        return "right"
    asked = year_interval(*question.asked_years)
    named: list[DateInterval] = [found.interval for found in time_expressions(text)]
    if not named:
        return "none"
    return "right" if any(one.meets(asked) for one in named) else "wrong"


if __name__ == "__main__":
    main()
