r"""What one of our embedders finds beside another, on every judged set.

    python -m benchmarks.embed_quality --data ../shared/data [--embedder e5-int8] \
        [--recipe hybrid] --json

Each set (`retrieval/*`, those of `benchmarks.derived_sets`, `qa/*`) is ranked by a recipe,
`default` where none is named, with either embedder, by its own record.

Keys, each of `<set>`, of `english`, of `others` and of `pooled` (their queries together): `base`,
`other`: nDCG@10 with either; `other_less_base`, with `..._interval` (95 %, bootstrap by page) and
`..._p` (two-sided randomisation by page); `queries`. Of `english`, `others` and `pooled` sets weigh
as many as their queries.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.embed_cost import BASE
from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from benchmarks.shared.figures import rounded_mean
from benchmarks.shared.judged.collections import ENGLISH, Collection, collections_of
from benchmarks.shared.judged.passage_store import Passage, PassageStore
from benchmarks.shared.judged.scoring import Scorer, judged_each
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from scops.libraries.embedder.registry import load_embedder
from scops.retriever.scoring.recipes import DEFAULT, RECIPES
from scops.standalone.evaluation.paired import paired

QUERIES = 150
PLACES = 10
MEASURE = "nDCG@10"


@dataclass(slots=True)
class Compared:
    """A value of each query by either embedder, with what it belongs to."""

    base: list[float] = field(default_factory=list)
    other: list[float] = field(default_factory=list)
    units: list[str] = field(default_factory=list)

    def add(self, more: "Compared") -> None:
        """Takes in the queries of another set."""
        self.base += more.base
        self.other += more.other
        self.units += more.units

    def figures(self) -> dict[str, object]:
        """Returns the keys that the module's docstring names."""
        if not self.units:
            return {"queries": 0}
        return {
            "base": rounded_mean(self.base),
            "other": rounded_mean(self.other),
            **paired("other_less_base", self.other, self.base, units=self.units),
            "queries": len(self.units),
        }


def main() -> None:
    parser = command_parser(__doc__, data="folder with retrieval, temporal, changes and qa")
    add_embedder(parser, default="e5-int8")
    parser.add_argument("--sets", default="", help="names, with commas; all where empty")
    parser.add_argument("--recipe", choices=RECIPES, default=DEFAULT)
    parser.add_argument("--queries", type=int, default=QUERIES, help="at most, of a set")
    args = parser.parse_args()
    print_result(measure(args), args)


def measure(args: argparse.Namespace) -> Mapping[str, object]:
    """Returns the figures that the module's docstring names."""
    wanted = [name for name in args.sets.split(",") if name]
    embedders = [CachingEmbedder(load_embedder(name)) for name in (BASE, args.embedder)]
    english, others, pooled = Compared(), Compared(), Compared()
    result: dict[str, object] = {}
    for collection in collections_of(args.data, queries=args.queries):
        if wanted and collection.name not in wanted:
            continue
        found = _compared(collection, embedders, args.recipe)
        result[collection.name] = found.figures()
        for whole in (pooled, english if collection.language == ENGLISH else others):
            whole.add(found)
        progress(f"{collection.name}: {result[collection.name]}")
    for embedder in embedders:
        embedder.close()
    result |= {"english": english.figures(), "others": others.figures()}
    return result | {"pooled": pooled.figures()}


def _compared(
    collection: Collection, embedders: Sequence[CachingEmbedder], recipe: str
) -> Compared:
    base, other = (_values(collection, embedder, recipe) for embedder in embedders)
    queries = sorted(collection.judged.queries)
    return Compared(base, other, [f"{collection.name}/{collection.units[one]}" for one in queries])


def _values(collection: Collection, embedder: CachingEmbedder, recipe: str) -> list[float]:
    """Returns the measure of each query, by their names."""
    judged = collection.judged
    passages = [Passage(one.id, one.title, one.text) for one in judged.documents]
    store = PassageStore.build(passages, embedder, mentions=[None] * len(passages))
    vectors = embedder.embed_now(list(judged.queries.values()), as_queries=True)
    scorer, rankings = Scorer(embedder), {}
    for (name, text), vector in zip(judged.queries.items(), vectors, strict=True):
        question = scorer.question(text, recipe=recipe, limit=PLACES)
        rankings[name] = scorer.ranking(question, scorer.hits(store, question, vector))[:PLACES]
    return judged_each(rankings, judged.qrels, MEASURE)


if __name__ == "__main__":
    main()
