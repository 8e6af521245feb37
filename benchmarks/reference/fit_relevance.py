r"""Fits how probable it is that a passage is relevant, by the score that it ranks by.

    python -m benchmarks.reference.fit_relevance --data ../shared/data --embedder onnx-int8 \
        [--sets cranfield,squad2] [--write]

Logistic regression of what judges call relevant on the score of the first ten passages by recipe
`default`, of questions that name a time apart from those that name none: the parts of the former
are others. Families of sets weigh alike. What nobody judged counts as not relevant; `NO_QUESTIONS`
are left out.

Keys: `record`, what `--write` puts into the embedder's record. Of each set, by what was fitted
without its family: `told`, the mean probability, against `relevant`, the share that is; `brier` and
`brier_of_share`, of always telling that share. `reliability`: of all sets left out, by tenths of
what was told: mean told, share relevant and passages; `ece`: their mean distance.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]

from benchmarks.reference.fusion_queries import Floats
from benchmarks.reference.records import write_record
from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from benchmarks.shared.judged.collections import Collection, collections_of
from benchmarks.shared.judged.passage_store import Passage, PassageStore
from benchmarks.shared.judged.scoring import Scorer
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from scops.common.config.settings import EMBEDDER_DEFAULT
from scops.libraries.embedder.port import model_of
from scops.libraries.embedder.registry import load_embedder

QUERIES = 100
PLACES = 10
BINS = 10
RIDGE = 1e-3
# Fewer questions of a kind tell too little of it.
QUESTIONS_MIN = 30
# Halves of paragraphs are no questions, and MS MARCO's corpus here is what was judged for them:
# nearly all that is found is relevant.
NO_QUESTIONS = frozenset({"halves", "msmarco-dl19"})
PLAIN, TIMED = "plain", "timed"


@dataclass(frozen=True, slots=True)
class Seen:
    """The passages of one kind of question of a set.

    Attributes:
        score, relevant: of each passage.
        questions: that they were found for.
    """

    family: str
    score: Floats
    relevant: Floats
    questions: int


Kinds = Mapping[str, Mapping[str, Seen]]
"""By kind of question, by set."""


def main() -> None:
    parser = command_parser(__doc__, data="folder with retrieval, temporal, changes and qa")
    add_embedder(parser, default=EMBEDDER_DEFAULT)
    parser.add_argument("--sets", default="", help="names, with commas; all where empty")
    parser.add_argument("--queries", type=int, default=QUERIES, help="at most, of a set")
    parser.add_argument("--write", action="store_true", help="put the record into its file")
    args = parser.parse_args()
    print_result(measure(args), args)


def measure(args: argparse.Namespace) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    wanted = [name for name in args.sets.split(",") if name]
    embedder = CachingEmbedder(load_embedder(args.embedder))
    kinds: dict[str, dict[str, Seen]] = {PLAIN: {}, TIMED: {}}
    for collection in collections_of(args.data, queries=args.queries):
        if collection.name in NO_QUESTIONS or (wanted and collection.name not in wanted):
            continue
        for kind, seen in observed(collection, embedder).items():
            kinds[kind][collection.name] = seen
        progress(f"{collection.name}: {len(collection.judged.queries)} queries")
    embedder.close()
    record = fitted_record(kinds)
    if args.write:
        write_record(model_of(args.embedder).name, {"relevance": record})
    return {"record": record, **judge(kinds)}


def observed(collection: Collection, embedder: CachingEmbedder) -> dict[str, Seen]:
    """Returns the first passages of a set's questions, by kind of question."""
    judged = collection.judged
    passages = [Passage(one.id, one.title, one.text) for one in judged.documents]
    store = PassageStore.build(passages, embedder, mentions=[None] * len(passages))
    vectors = embedder.embed_now(list(judged.queries.values()), as_queries=True)
    scorer = Scorer(embedder)
    found: dict[str, list[list[tuple[float, float]]]] = {}
    for (name, text), vector in zip(judged.queries.items(), vectors, strict=True):
        question = scorer.question(text, limit=PLACES)
        kind = PLAIN if question.time.constraint is None else TIMED
        ranked = scorer.scored(question, scorer.hits(store, question, vector))[:PLACES]
        gains = judged.qrels[name]
        rows = [(score, float(gains.get(one, 0) > 0)) for one, score in ranked]
        found.setdefault(kind, []).append(rows)
    return {kind: _seen(collection.family, rows) for kind, rows in found.items()}


def _seen(family: str, questions: Sequence[Sequence[tuple[float, float]]]) -> Seen:
    score, relevant = np.array([row for rows in questions for row in rows]).reshape(-1, 2).T
    return Seen(family, score, relevant, len(questions))


def fitted_record(kinds: Kinds) -> dict[str, object]:
    """Returns slope and offset of each kind that enough questions were of."""
    sets = {name for seen in kinds.values() for name in seen}
    counts = {kind: sum(one.questions for one in seen.values()) for kind, seen in kinds.items()}
    told: dict[str, object] = {
        kind: dict(zip(("slope", "offset"), map(_short, fit(seen)), strict=True))
        for kind, seen in kinds.items()
        if counts[kind] >= QUESTIONS_MIN
    }
    return told | {"sets": len(sets), "questions": sum(counts.values())}


def fit(seen: Mapping[str, Seen]) -> tuple[float, float]:
    """Returns slope and offset of the log-odds that a passage is relevant."""
    members: dict[str, int] = {}
    for one in seen.values():
        members[one.family] = members.get(one.family, 0) + len(one.score)
    score = np.concatenate([one.score for one in seen.values()])
    relevant = np.concatenate([one.relevant for one in seen.values()])
    share = np.concatenate(
        [np.full(len(one.score), 1 / members[one.family]) for one in seen.values()]
    )

    def loss(values: Floats) -> float:
        odds = values[0] * score + values[1]
        unsure = share * (np.logaddexp(0, odds) - relevant * odds)
        return float(unsure.sum() + RIDGE * values[0] ** 2)

    slope, offset = minimize(loss, np.array([1.0, 0.0])).x
    return float(slope), float(offset)


def judge(kinds: Kinds) -> dict[str, object]:
    """Returns the figures of each set, by what was fitted without its family."""
    result: dict[str, object] = {}
    for kind, seen in kinds.items():
        if len({one.family for one in seen.values()}) < 2:
            continue
        told = {name: _left_out(name, seen) for name in seen}
        result[kind] = {name: _figures(seen[name].relevant, told[name]) for name in seen}
        relevant = np.concatenate([seen[name].relevant for name in seen])
        result[kind] |= _reliability(relevant, np.concatenate([told[name] for name in seen]))  # type: ignore[operator]
    return result


def _left_out(name: str, seen: Mapping[str, Seen]) -> Floats:
    others = {key: one for key, one in seen.items() if one.family != seen[name].family}
    slope, offset = fit(others)
    told: Floats = 1 / (1 + np.exp(-(slope * seen[name].score + offset)))
    return told


def _figures(relevant: Floats, told: Floats) -> dict[str, float]:
    share = float(relevant.mean())
    return {
        "told": _short(told.mean()),
        "relevant": _short(share),
        "brier": _short(((told - relevant) ** 2).mean()),
        "brier_of_share": _short(share * (1 - share)),
    }


def _reliability(relevant: Floats, told: Floats) -> dict[str, object]:
    """Returns what was told against what is, by tenths, and their mean distance."""
    tenth = np.minimum((told * BINS).astype(int), BINS - 1)
    rows = [
        (float(told[here].mean()), float(relevant[here].mean()), int(here.sum()))
        for here in (tenth == place for place in range(BINS))
        if here.any()
    ]
    ece = sum(count * abs(said - held) for said, held, count in rows) / len(told)
    return {
        "reliability": [[_short(said), _short(held), count] for said, held, count in rows],
        "ece": _short(ece),
    }


def _short(value: float) -> float:
    return float(f"{value:.4g}")


if __name__ == "__main__":
    main()
