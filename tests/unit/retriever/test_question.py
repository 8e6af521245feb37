"""What a `Retrieve` may ask."""

import math
from dataclasses import replace
from typing import Any

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.retrieval import (
    Awaited,
    PreferredScope,
    RetrieveRequest,
    Weights,
)
from scops.common.contract.messages.types import ScopeRef
from scops.retriever.question import (
    AWAITED_MAX,
    BETA,
    GAMMA,
    LIMIT_DEFAULT,
    LIMIT_MAX,
    SCOPES_MAX,
    parse_question,
)
from scops.retriever.scoring.recipes import DEFAULT, PRESETS, RECIPES
from scops.retriever.scoring.score import WEIGHT_FRESH, ScoreWeights
from scops.retriever.settings import RetrieverSettings
from tests.fakes.clock import START

SETTINGS = RetrieverSettings()
DOCS = ScopeRef(scope_id=ScopeId("docs"), revision=3)
ASKED = RetrieveRequest(query="why?", scopes=(DOCS,))


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (replace(ASKED, query=" \n"), "QUERY_EMPTY"),
        (replace(ASKED, query="x" * 8001), "QUERY_TOO_LONG"),
        (replace(ASKED, scopes=()), "SCOPES_EMPTY"),
        (replace(ASKED, scopes=(DOCS,) * (SCOPES_MAX + 1)), "TOO_MANY_SCOPES"),
        (replace(ASKED, limit=-1), "LIMIT_NEGATIVE"),
        (replace(ASKED, recipe="magic"), "UNKNOWN_RECIPE"),
        (replace(ASKED, weights=Weights(alpha=1.1)), "WEIGHTS_OUT_OF_RANGE"),
        (replace(ASKED, weights=Weights(gamma=-0.1)), "WEIGHTS_OUT_OF_RANGE"),
        (replace(ASKED, weights=Weights(delta=math.inf)), "WEIGHTS_OUT_OF_RANGE"),
        (replace(ASKED, weights=Weights(beta=math.nan)), "WEIGHTS_OUT_OF_RANGE"),
        (
            replace(ASKED, preferred=(PreferredScope(scope_id=ScopeId("other")),)),
            "PREFERRED_NOT_ASKED",
        ),
        (
            replace(ASKED, preferred=(PreferredScope(scope_id=DOCS.scope_id, priority=2),)),
            "PRIORITY_OUT_OF_RANGE",
        ),
        (
            replace(
                ASKED,
                awaited=(Awaited(page_id=PageId("p"), observed_time=START),) * (AWAITED_MAX + 1),
            ),
            "TOO_MANY_AWAITED",
        ),
    ],
)
def test_refuses_what_cannot_be_answered(request_: RetrieveRequest, reason: str) -> None:
    """Each bad request names its own reason."""
    with pytest.raises(InvalidInput) as raised:
        parse_question(request_, SETTINGS, now=START)

    assert reason == raised.value.reason


@pytest.mark.parametrize(
    ("limit", "expected"), [(0, LIMIT_DEFAULT), (1, 1), (20, 20), (500, LIMIT_MAX)]
)
def test_limit_zero_takes_the_default_and_too_many_are_lowered(limit: int, expected: int) -> None:
    """AIP-158: 0 is unset, above the most is the most."""
    assert expected == parse_question(replace(ASKED, limit=limit), SETTINGS, now=START).limit


def test_scope_named_twice_counts_once_at_its_newest_revision() -> None:
    """A repeated scope must not list its rule twice, and the later revision must be there."""
    older = replace(DOCS, revision=1)

    assert (DOCS,) == parse_question(
        replace(ASKED, scopes=(older, DOCS)), SETTINGS, now=START
    ).scopes


def _weights(**asked: Any) -> ScoreWeights:
    return parse_question(replace(ASKED, **asked), SETTINGS, now=START).weights


def test_unset_weights_take_the_recipes() -> None:
    """A weight of 0 is a wish, an absent one is not."""
    weights = _weights(weights=Weights(alpha=0.0, delta=0.3))

    assert (0.0, BETA, GAMMA, 0.3) == (
        weights.alpha,
        weights.beta,
        weights.gamma,
        weights.delta,
    )


def test_owlerlite_takes_its_published_weights() -> None:
    """alpha 0.8, beta 0.2, gamma 0.1, delta 0."""
    expected = ScoreWeights(alpha=0.8, beta=0.2, gamma=0.1, delta=0.0)

    assert expected == _weights(recipe="owlerlite")


def test_freshness_has_a_say_only_where_the_recent_is_wanted() -> None:
    """By the recipe, or by the question's own words."""
    deltas = [
        _weights().delta,
        _weights(query="What is the latest release?").delta,
        _weights(recipe="fresh").delta,
        _weights(query="What is the latest release?", recipe="hybrid").delta,
    ]

    assert [0.0, WEIGHT_FRESH, WEIGHT_FRESH, 0.0] == deltas


def test_hybrid_does_not_look_at_time() -> None:
    """It stays cheap."""
    dated = replace(ASKED, query="Who led it in 1990?")

    assert (
        None is parse_question(replace(dated, recipe="hybrid"), SETTINGS, now=START).time.constraint
    )
    assert None is not parse_question(dated, SETTINGS, now=START).time.constraint


@pytest.mark.parametrize(
    ("recipe", "limit", "expected"),
    [("top2", 0, 2), ("top3", 100, 3), ("top5", 5, 5), ("top5", 1, 1), ("default", 100, 100)],
)
def test_preset_bounds_the_passages_that_are_asked_for(
    recipe: str, limit: int, expected: int
) -> None:
    """Whoever asks for fewer gets fewer."""
    request = replace(ASKED, recipe=recipe, limit=limit)

    assert expected == parse_question(request, SETTINGS, now=START).limit


@pytest.mark.parametrize("name", PRESETS)
def test_preset_ranks_as_the_default_does(name: str) -> None:
    """All that it changes is how many passages there are."""
    preset = replace(PRESETS[name], name=DEFAULT, passages_max=None, likeness_min=None)

    assert RECIPES[DEFAULT] == preset
