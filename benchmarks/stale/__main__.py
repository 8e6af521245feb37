"""How much of what is found has been superseded, on replayed histories of real pages.

    python -m benchmarks.stale --data ../shared/data/changes/docs-md --json

Every paragraph that ever stood on a page lies in one store, as in an index that never forgets. The
questions are the words that an edited paragraph shares with what it replaced, so that both
wordings resemble them equally.

Keys:
    stale@10: share of superseded passages among the first ten. `without`: recipe `hybrid` over
        everything; `fresh_only`: recipe `fresh` over everything, each paragraph as old as its
        first version; `with`: what the version that stands does not list is dropped, as the
        retriever does.
    changed: the new wording by `hybrid` and by `fresh`, both among what stands: hit@1, hit@10,
        mrr@10; `hybrid_without` over everything.
    lately: "what has changed lately about", two words that some pages hold (`latest_changes`),
        among what stands, each passage as old as its page's text, as in the retriever; `hybrid`,
        `fresh` and `default` (which sees that the recent is wanted): hit@1, hit@10, mrr@10 of
        what the page that changed last says, and matter@10, the share of the first ten that hold
        both words.
    against: in `changed` and `lately`, `fresh` less `hybrid`: `fresh.hybrid.mrr@10`, with
        `..._interval` (95 %, bootstrap over questions) and `..._p` (two-sided randomisation test).
"""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.shared.command import command_parser, print_result
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
from benchmarks.stale.latest_changes import LatestQuestion, latest_questions, page_ages
from benchmarks.stale.page_histories import ChangeQuestion, DatedParagraph, Histories, read
from scops.common.contract.ids import PageId
from scops.libraries.embedder.registry import load_embedder
from scops.libraries.index.ports import StoreHit
from scops.retriever.scoring.freshness import (
    TextAge,
    age_days,
    half_lives,
    recency_weight,
    site_of,
)
from scops.retriever.scoring.ranking import NO_FRESHNESS
from scops.retriever.settings import RetrieverSettings

HITS = 200
PLACES = 10
PAGES = 8
Found = dict[str, list[list[str]]]


def main() -> None:
    parser = command_parser(__doc__, data="folder of *.jsonl.gz")
    parser.add_argument("--pages", type=int, default=PAGES, help="pages of each file")
    args = parser.parse_args()
    result = measure(args.data, pages=args.pages)
    print_result(result, args)


def measure(data: Path, *, pages: int = PAGES) -> dict[str, Any]:
    """Returns the figures that the module's docstring names."""
    started = time.monotonic()
    histories = read(data, pages_max=pages)
    embedder = CachingEmbedder(load_embedder())
    passages = [Passage(entry.id, entry.title, entry.text) for entry in histories.dated]
    store = PassageStore.build(passages, embedder)
    dated = {entry.id: entry for entry in histories.dated}
    settings = RetrieverSettings()
    fresh = {
        entry.id: recency_weight(
            age_days(entry.since, histories.now), half_life_days=settings.half_life_days
        )
        for entry in histories.dated
    }
    found: Found = {}
    vectors = embedder.embed_now(
        [question.text for question in histories.questions], as_queries=True
    )
    scorer = _Ranker(embedder, fresh)
    for question, vector in zip(histories.questions, vectors, strict=True):
        hits = store.search(question.text, vector, limit=HITS)
        standing = [hit for hit in hits if dated[hit.chunk_id].current]
        for name, recipe, among in (
            ("without", "hybrid", hits),
            ("fresh_only", "fresh", hits),
            ("with", "hybrid", standing),
            ("fresh", "fresh", standing),
        ):
            found.setdefault(name, []).append(scorer.ranking(question.text, recipe, among))
    lately = _lately(histories, store, embedder, settings)
    embedder.close()
    return {
        "stale@10": {
            name: _stale(found[name], dated) for name in ("without", "fresh_only", "with")
        },
        "changed": {
            "hybrid": _figures(found["with"], histories.questions),
            "fresh": _figures(found["fresh"], histories.questions),
            "hybrid_without": _figures(found["without"], histories.questions),
            "against": fresh_against_hybrid(
                found["fresh"], found["with"], [[one.gold] for one in histories.questions]
            ),
        },
        "lately": lately,
        "passages": len(histories.dated),
        "superseded": sum(not entry.current for entry in histories.dated),
        "questions": len(histories.questions),
        "benchmark_seconds": round(time.monotonic() - started),
    }


def _lately(
    histories: Histories,
    store: PassageStore,
    embedder: CachingEmbedder,
    settings: RetrieverSettings,
) -> dict[str, Any]:
    questions = latest_questions(histories.dated)
    fresh = _page_freshness(histories, settings)
    ranker = _Ranker(embedder, fresh)
    standing = {entry.id for entry in histories.dated if entry.current}
    found: Found = {"hybrid": [], "fresh": [], "default": []}
    vectors = embedder.embed_now([question.text for question in questions], as_queries=True)
    for question, vector in zip(questions, vectors, strict=True):
        hits = store.search(question.text, vector, limit=HITS)
        among = [hit for hit in hits if hit.chunk_id in standing]
        for recipe, rankings in found.items():
            rankings.append(ranker.ranking(question.text, recipe, among))
    return {
        **{recipe: _lately_figures(found[recipe], questions) for recipe in found},
        "against": fresh_against_hybrid(
            found["fresh"], found["hybrid"], [one.gold for one in questions]
        ),
        "questions": len(questions),
    }


def _page_freshness(histories: Histories, settings: RetrieverSettings) -> dict[str, float]:
    """Returns freshness by passage, from its page's age and the pace of its site."""
    latest = page_ages(histories.dated)
    replaced = {entry.page for entry in histories.dated if not entry.current}
    ages = {
        entry.page: TextAge(
            url=f"https://{entry.site}/",
            age_days=age_days(latest[entry.page], histories.now),
            replaced=entry.page in replaced,
        )
        for entry in histories.dated
    }
    paces = half_lives(ages.values(), usual_days=settings.half_life_days)
    by_page = {
        page: recency_weight(age.age_days, half_life_days=paces[site_of(age.url)])
        for page, age in ages.items()
    }
    return {entry.id: by_page[entry.page] for entry in histories.dated}


def _lately_figures(
    rankings: Sequence[Sequence[str]], questions: Sequence[LatestQuestion]
) -> dict[str, float]:
    pairs = list(zip(rankings, questions, strict=True))
    ranks = [rank_of(ranking, question.gold) for ranking, question in pairs]
    matter = [_share(one in question.matter for one in ranking) for ranking, question in pairs]
    return {**_by_ranks(ranks), "matter@10": mean(matter)}


class _Ranker:
    """The retriever's scoring with the freshness of each passage."""

    def __init__(self, embedder: CachingEmbedder, fresh: Mapping[str, float]) -> None:
        self._scorer = Scorer(embedder)
        # A passage is a page of its own here.
        self._fresh = {PageId(passage): weight for passage, weight in fresh.items()}

    def ranking(self, text: str, recipe: str, hits: Sequence[StoreHit]) -> list[str]:
        """Returns the ids of the first ten."""
        question = self._scorer.question(text, recipe=recipe)
        fresh = self._fresh if question.weights.delta else NO_FRESHNESS
        return self._scorer.ranking(question, hits, freshness=fresh)[:PLACES]


def _stale(rankings: Sequence[Sequence[str]], dated: Mapping[str, DatedParagraph]) -> float:
    return mean([_share(not dated[one].current for one in ranking) for ranking in rankings])


def _share(holds: Iterable[bool]) -> float:
    return float(np.mean(list(holds)))


def _figures(
    rankings: Sequence[Sequence[str]], questions: Sequence[ChangeQuestion]
) -> dict[str, float]:
    pairs = zip(rankings, questions, strict=True)
    return _by_ranks([rank_of(ranking, [question.gold]) for ranking, question in pairs])


def fresh_against_hybrid(
    fresh: Sequence[Sequence[str]],
    hybrid: Sequence[Sequence[str]],
    wanted: Sequence[Collection[str]],
) -> Mapping[str, float | list[float]]:
    """Returns how far recipe `fresh` lies above `hybrid`, from the rankings of both."""
    ranks = {
        name: [rank_of(ranking, gold) for ranking, gold in zip(found, wanted, strict=True)]
        for name, found in (("fresh", fresh), ("hybrid", hybrid))
    }
    return against(ranks, ("fresh",), ("hybrid",))


def _by_ranks(ranks: Sequence[int]) -> dict[str, float]:
    return {
        "hit@1": hit_share(ranks, 1),
        "hit@10": hit_share(ranks, 10),
        "mrr@10": mean_reciprocal_rank(ranks),
    }


if __name__ == "__main__":
    main()
