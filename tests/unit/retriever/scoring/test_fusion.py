"""How much each side of the store counts for one query."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from scops.common.contract.ids import ChunkId, ObjectId, PageId
from scops.libraries.embedder.calibration import Calibration, Trust, calibration_of
from scops.libraries.embedder.models import E5, MINILM, EmbeddingModel
from scops.libraries.index.ports import StoreHit
from scops.retriever.scoring.fusion import (
    SIGNALS,
    bm25_margins,
    query_signals,
    side_weights,
)
from scops.retriever.scoring.relevance import most_relevant, store_evidence

CALIBRATION = calibration_of(MINILM.name)
MODELS = (MINILM, E5)
COSINES = (0.6, 0.5, 0.45, 0.4, 0.4, 0.3, 0.2)
WORDS = (0.0, 2.0, 9.0, 3.0, 0.0, 1.0, 0.0)


def _hits(cosines: Sequence[float] = COSINES, words: Sequence[float] = WORDS) -> list[StoreHit]:
    return [
        StoreHit(
            object_id=ObjectId(f"o{place}"),
            chunk_id=ChunkId(f"c{place}"),
            page_id=PageId(f"p{place}"),
            similarity=cosine,
            bm25=score or None,
            header="",
            text="",
        )
        for place, (cosine, score) in enumerate(zip(cosines, words, strict=True))
    ]


def _trusting(signal: str, *, similarity: float = 0.0, bm25: float = 0.0) -> Calibration:
    none = Trust(level=0.0, similarity=0.0, bm25=0.0)
    trust = dict.fromkeys(SIGNALS, none)
    trust[signal] = Trust(level=0.0, similarity=similarity, bm25=bm25)
    return replace(CALIBRATION, trust=trust)


def test_signals_tell_what_a_query_and_its_hits_look_like() -> None:
    """Lead of the best BM25, spread and best of the cosines, best BM25, what both find."""
    lead, spread, cosine, bm25, shared = query_signals(COSINES, WORDS)

    assert (1.0, 0.6, math.log(10)) == pytest.approx((lead, cosine, bm25))
    assert 0.3 == pytest.approx(spread)
    assert 4 / 7 == pytest.approx(shared)


def test_signals_of_nothing_are_numbers() -> None:
    """No hits, and hits that BM25 does not find."""
    assert (0.0, 0.0, 0.0, 0.0, 0.0) == query_signals([], [])
    assert (0.0, 0.0, 0.4, 0.0, 0.0) == query_signals([0.4], [0.0])


def test_weights_are_the_embedder_s_where_signals_are_at_their_levels() -> None:
    """Signals change weights, and say nothing where they are as usual."""
    usual = query_signals(COSINES, WORDS)
    trust = {
        name: Trust(level=level, similarity=1.0, bm25=1.0)
        for name, level in zip(SIGNALS, usual, strict=True)
    }
    weights = side_weights(_hits(), replace(CALIBRATION, trust=trust))

    assert CALIBRATION.similarity == pytest.approx(weights.similarity)
    assert CALIBRATION.bm25 == pytest.approx(weights.bm25)
    assert CALIBRATION.bm25_margin == pytest.approx(weights.bm25_margin)


def test_a_signal_moves_the_side_that_it_speaks_of() -> None:
    """BM25 counts the more the further its best leads, the cosine as before."""
    plain, led = (side_weights(_hits(), _trusting("lead", bm25=trust)) for trust in (0.0, 0.5))

    assert plain.similarity == led.similarity
    assert math.exp(0.5) == pytest.approx(led.bm25 / plain.bm25)
    assert math.exp(0.5) == pytest.approx(led.bm25_margin / plain.bm25_margin)


def test_trust_in_cosines_leaves_the_typical_passage_as_likely() -> None:
    """Log-odds stay log-odds: only what is above or below the typical cosine is moved."""
    hits = _hits((CALIBRATION.typical, 0.9, 0.1), (0.0, 0.0, 0.0))
    less, more = (
        store_evidence(hits, side_weights(hits, _trusting("cosine", similarity=trust)))
        for trust in (-0.5, 0.5)
    )

    assert CALIBRATION.prior == pytest.approx(less[0].relevance)
    assert CALIBRATION.prior == pytest.approx(more[0].relevance)
    assert less[1].relevance < more[1].relevance
    assert less[2].relevance > more[2].relevance


@pytest.mark.parametrize(("model", "likeness"), [(MINILM, 0.3), (E5, 0.4)])
def test_lone_bm25_lead_outweighs_a_mere_resemblance(
    model: EmbeddingModel, likeness: float
) -> None:
    """A passage that alone holds the question's rare word beats one that only resembles it."""
    calibration = calibration_of(model.name)
    span = calibration.alike - calibration.unrelated
    likenesses = (likeness, 0.5, 0.45, 0.45, 0.4, 0.4, *(0.3,) * 10)
    cosines = [calibration.unrelated + span * one for one in likenesses]
    hits = _hits(cosines, (14.0, 2.0, 2.0, *(0.0,) * 13))

    assert hits[0] == most_relevant(hits, 1, calibration)[0]


@pytest.mark.parametrize("model", MODELS)
def test_no_query_leaves_a_side_out(model: EmbeddingModel) -> None:
    """Whatever signals say, also of a language that the model does not know."""
    calibration = calibration_of(model.name)
    for bm25 in ((0.0,) * 7, (60.0, *(1.0,) * 6), (8.0,) * 7):
        for low in (calibration.unrelated, calibration.alike - 0.05):
            cosines = [low + 0.05 / (1 + place) for place in range(7)]
            weights = side_weights(_hits(cosines, bm25), calibration)

            for ratio in (
                weights.similarity / calibration.similarity,
                weights.bm25 / calibration.bm25,
            ):
                assert 1 / 10 < ratio < 10


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([], []), ([3.0], [0.0]), ([9, 8, 7, 6, 5, 4, 3], [5, 4, 3, 2, 1, 0, 0])],
)
def test_lead_is_counted_from_the_sixth(scores: list[float], expected: list[float]) -> None:
    """What most of the best share is no margin."""
    assert expected == bm25_margins(scores)
