"""The parts of a passage's score."""

import math
from datetime import UTC, datetime, timedelta

import pytest

from scops.retriever.score import (
    ScoreWeights,
    Signals,
    age_days,
    recency_weight,
    score_parts,
    total,
)

WEIGHTS = ScoreWeights(
    alpha=0.8, beta=0.2, gamma=0.1, delta=0.1, lexical_share=0.25, half_life_days=90
)
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def _signals(
    *,
    similarity: float = 0.6,
    lexical: float = 0.4,
    graph: float | None = None,
    membership: float = 1.0,
    age: float = 90.0,
) -> Signals:
    return Signals(
        similarity=similarity, lexical=lexical, graph=graph, membership=membership, age_days=age
    )


def test_score_is_the_sum_of_its_parts() -> None:
    """h(q, p) = alpha relevance + (1 - alpha) graph + beta log g + delta fresh."""
    parts = score_parts(_signals(graph=0.5), WEIGHTS)

    expected = 0.8 * (0.75 * 0.6 + 0.25 * 0.4) + 0.2 * 0.5 + 0.2 * math.log(1.0) + 0.1 * 0.5
    assert expected == pytest.approx(total(parts))
    assert ["vector", "bm25", "graph", "scope", "fresh"] == [part.name for part in parts]


def test_absent_graph_leaves_relevance_its_whole_weight() -> None:
    """Without graph evidence alpha counts as 1, and the graph's part is visibly absent."""
    parts = {part.name: part for part in score_parts(_signals(), WEIGHTS)}

    assert not parts["graph"].present
    assert 1.0 == pytest.approx(parts["vector"].weight + parts["bm25"].weight)


def test_membership_lowers_the_prior_towards_gamma() -> None:
    """log g is 0 for a page that a rule holds, and falls towards log gamma."""
    raw = [
        next(
            part.raw
            for part in score_parts(_signals(membership=m), WEIGHTS)
            if part.name == "scope"
        )
        for m in (1.0, 0.5)
    ]

    assert [0.0, pytest.approx(math.log(0.55))] == raw


def test_gamma_zero_is_allowed_inside_a_scope() -> None:
    """A hard filter is gamma 0; pages inside are not punished."""
    hard = ScoreWeights(alpha=1, beta=0.2, gamma=0.0, delta=0, lexical_share=0, half_life_days=90)

    assert total(score_parts(_signals(), hard)) == pytest.approx(0.6)


@pytest.mark.parametrize(("age", "expected"), [(0.0, 1.0), (90.0, 0.5), (180.0, 0.25), (-3.0, 1.0)])
def test_recency_halves_with_each_half_life(age: float, expected: float) -> None:
    """fresh(p) decays exponentially; the future counts as now."""
    assert expected == pytest.approx(recency_weight(age, half_life_days=90))


def test_age_is_counted_in_days() -> None:
    """Half a day is 0.5."""
    assert 0.5 == age_days(NOW - timedelta(hours=12), NOW)
