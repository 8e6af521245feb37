"""Weights of both sides by query, fitted on made-up queries."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.reference.fit_fusion import Weights, _Block, fit, fitted_record, judge
from benchmarks.reference.fusion_queries import Floats, JudgedQueries
from scops.libraries.embedder.calibration import calibration_of
from scops.libraries.embedder.models import E5
from scops.retriever.scoring.fusion import SIGNALS

HITS = 8
LEAD = SIGNALS.index("lead")


def made_up(name: str, *, queries: int = 60, seed: int = 0) -> JudgedQueries:
    """Returns queries whose words are right where BM25 leads, and whose cosines are elsewhere."""
    chance = np.random.default_rng(seed)
    signals = chance.normal(size=(queries, len(SIGNALS)))
    cosine = 0.5 + 0.1 * chance.normal(size=(queries, HITS))
    bm25 = np.abs(3 * chance.normal(size=(queries, HITS)))
    by_words = signals[:, [LEAD]] > 0
    gain = np.zeros((queries, HITS))
    best = np.where(by_words, bm25 / bm25.std(), cosine / cosine.std()).argmax(axis=1)
    gain[np.arange(queries), best] = 1
    return JudgedQueries(
        name=name,
        family=name,
        signals=signals,
        cosine=cosine,
        bm25=bm25,
        margin=np.maximum(bm25 - np.sort(bm25)[:, [-6]], 0),
        held=np.ones((queries, HITS), dtype=bool),
        gain=gain,
        ideal=np.ones(queries),
        units=[f"{name}{place % 12}" for place in range(queries)],
    )


def sets() -> dict[str, dict[str, JudgedQueries]]:
    return {name: {"all": made_up(name, seed=seed)} for seed, name in enumerate("abc")}


def test_the_signal_that_tells_is_found() -> None:
    """Where BM25 leads its words count more, and cosines less."""
    weights = fit(sets())
    trust = weights.bm25 - weights.similarity

    assert LEAD == int(np.argmax(np.abs(trust)))
    assert trust[LEAD] > 1


def test_weights_by_query_find_more_than_either_side() -> None:
    """On a set that was left out."""
    known = calibration_of(E5.name)
    figures = judge(sets(), known)

    assert {"a", "b", "c", "worst", "worst_scoped", "mean"} == set(figures)
    assert isinstance(figures["worst"], float)
    assert figures["worst"] > 0.1
    assert figures["worst_scoped"] is None


def test_slope_of_the_loss_is_that_of_its_values() -> None:
    """Else the fit ends anywhere."""
    one = made_up("a")
    count = len(SIGNALS)
    block = _Block.of(one, 1.0, np.zeros(count), np.ones(count))
    at = np.concatenate([[2.0, -1.0, -0.5], 0.1 * np.arange(2 * count)])
    step = 1e-6

    def partial(place: int) -> float:
        aside = np.zeros(len(at))
        aside[place] = step
        return (block.loss(at + aside)[0] - block.loss(at - aside)[0]) / (2 * step)

    slopes = [partial(place) for place in range(len(at))]
    assert slopes == pytest.approx(block.loss(at)[1].tolist(), abs=1e-4)


def test_record_ranks_as_the_weights_do() -> None:
    """What is written is what was fitted; one factor makes log-odds of it."""
    found = sets()
    weights = fit(found)
    record = fitted_record(found, weights)
    trust = record["trust"]
    assert isinstance(trust, dict)
    values = {
        key: [trust[name][key] for name in SIGNALS] for key in ("level", "similarity", "bm25")
    }
    similarity, bm25, margin = (
        float(str(record[key])) for key in ("similarity", "bm25", "bm25_margin")
    )
    written = Weights(
        np.log([similarity, bm25, margin / bm25]),
        np.array(values["similarity"]),
        np.array(values["bm25"]),
        np.array(values["level"]),
        np.ones(len(SIGNALS)),
    )
    one = found["a"]["all"]

    assert np.mean(best(written, one) == best(weights, one)) > 0.97


def test_sides_and_their_fusion_are_judged() -> None:
    """A query whose best hit by cosine is relevant, and that BM25 finds nothing for."""
    one = replace(
        made_up("a", queries=1),
        cosine=np.arange(HITS, 0.0, -1.0)[np.newaxis],
        bm25=np.zeros((1, HITS)),
        gain=np.eye(1, HITS),
    )

    assert [1.0] == one.ndcg(one.cosine).tolist() == one.ndcg(one.rank_fusion()).tolist()


def best(weights: Weights, queries: JudgedQueries) -> Floats:
    return weights.scores(queries).argmax(axis=1)
