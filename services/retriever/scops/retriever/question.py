"""What a `Retrieve` asks, checked, with what it leaves open filled in."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.retrieval import RetrieveRequest, Weights
from scops.common.contract.messages.types import ScopeRef
from scops.retriever.scoring.recipes import DEFAULT, PRESETS, RECIPES, Recipe, Scale
from scops.retriever.scoring.score import WEIGHT_FRESH, ScoreWeights
from scops.retriever.settings import RetrieverSettings
from scops.retriever.shape.shaping import Bounds
from scops.retriever.time.constraint import AskedTime, asked_time

# Passages returned to a question that names no limit; a greater limit than the most is lowered.
LIMIT_DEFAULT = 10
LIMIT_MAX = 100
QUERY_CHARACTERS_MAX = 8000
SCOPES_MAX = 1000
AWAITED_MAX = 100
# Longest passage that is put together from neighbours.
JOINED_CHARACTERS_MAX = 4000
ALPHA = 0.8
# Weight of the scope prior's logarithm, where some scopes are preferred.
BETA = 1.0
# Odds that a passage outside of the preferred scopes is relevant, to those of one inside with the
# same score, where those scopes hold nothing that answers (`benchmarks.retrieval --gamma`).
GAMMA = 0.003
# As published, OwlerLite, section 5.
OWLERLITE_BETA = 0.2
OWLERLITE_GAMMA = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that can be answered.

    Attributes:
        scopes: each once, in the order asked.
        preferred: priority in (0, 1] of those scopes whose passages come first; may be empty.
        limit: passages wanted, 1 to the most that the recipe allows.
        time: what it asks of time; nothing where the recipe does not look at time.
        min_score: passages that score less are left out; None leaves out none.
        bounds: how passages are made of chunks.
        counterfactuals: passages tell where they would rank if something were otherwise.
    """

    text: str
    scopes: tuple[ScopeRef, ...]
    preferred: Mapping[ScopeId, float]
    limit: int
    as_of: datetime | None
    recipe: Recipe
    weights: ScoreWeights
    time: AskedTime
    min_score: float | None
    bounds: Bounds
    counterfactuals: bool = False


def parse_question(
    request: RetrieveRequest, settings: RetrieverSettings, *, now: datetime
) -> Question:
    """Returns the question that a request asks.

    Args:
        now: what "last year" counts from, unless the request names an instant.

    Raises:
        InvalidInput: no query or one too long, no scope or too many, too many awaited pages, a
            negative limit or bound, a least score that is no number, an unknown recipe, weights
            or priorities out of range, or a preferred scope that is not asked.
    """
    text, recipe = _text(request.query), _recipe(request.recipe)
    asked = asked_time(text, (request.as_of_time or now).date())
    limit = min(_limit(request.limit), recipe.passages_max or LIMIT_MAX)
    return Question(
        text=text,
        scopes=_scopes(request),
        preferred=_preferred(request),
        limit=limit,
        as_of=request.as_of_time,
        recipe=recipe,
        weights=_weights(request.weights or Weights(), recipe, asked),
        time=asked if recipe.time else AskedTime(text=text),
        min_score=_min_score(request.min_score),
        bounds=_bounds(request, limit, settings),
        counterfactuals=request.counterfactuals,
    )


def _text(query: str) -> str:
    text = query.strip()
    if not text:
        raise InvalidInput("The query is empty; ask for something.", reason="QUERY_EMPTY")
    if len(text) > QUERY_CHARACTERS_MAX:
        raise InvalidInput(
            f"The query has {len(text)} characters; at most {QUERY_CHARACTERS_MAX} are "
            "searched for. Shorten it to the question itself.",
            reason="QUERY_TOO_LONG",
        )
    return text


def _scopes(request: RetrieveRequest) -> tuple[ScopeRef, ...]:
    if not request.scopes:
        raise InvalidInput("The query names no scope; name at least one.", reason="SCOPES_EMPTY")
    if len(request.scopes) > SCOPES_MAX:
        raise InvalidInput(
            f"The query names {len(request.scopes)} scopes; at most {SCOPES_MAX} are "
            "searched at once. Name fewer.",
            reason="TOO_MANY_SCOPES",
        )
    if len(request.awaited) > AWAITED_MAX:
        raise InvalidInput(
            f"The query waits for {len(request.awaited)} pages; at most {AWAITED_MAX} "
            "are waited for at once. Name fewer.",
            reason="TOO_MANY_AWAITED",
        )
    newest: dict[str, ScopeRef] = {}
    for ref in request.scopes:
        held = newest.get(ref.scope_id)
        if held is None or held.revision < ref.revision:
            newest[ref.scope_id] = ref
    return tuple(newest.values())


def _preferred(request: RetrieveRequest) -> dict[ScopeId, float]:
    asked = {ref.scope_id for ref in request.scopes}
    for entry in request.preferred:
        if entry.scope_id not in asked:
            raise InvalidInput(
                f"The scope {entry.scope_id[:80]!r} is preferred but not asked; name it among the "
                "scopes as well.",
                reason="PREFERRED_NOT_ASKED",
            )
        if not 0 <= entry.priority <= 1:
            raise InvalidInput(
                f"The priority {entry.priority} of scope {entry.scope_id[:80]!r} is not in (0, 1].",
                reason="PRIORITY_OUT_OF_RANGE",
            )
    return {entry.scope_id: entry.priority or 1.0 for entry in request.preferred}


def _limit(limit: int) -> int:
    if limit < 0:
        raise InvalidInput(
            f"The limit {limit} is negative; give 1 to {LIMIT_MAX}, or 0 for {LIMIT_DEFAULT}.",
            reason="LIMIT_NEGATIVE",
        )
    return min(limit or LIMIT_DEFAULT, LIMIT_MAX)


def _min_score(asked: float | None) -> float | None:
    if asked is not None and math.isnan(asked):
        raise InvalidInput(
            "The least score is no number; give log-odds such as 0, or leave it out.",
            reason="MIN_SCORE_NOT_A_NUMBER",
        )
    return asked


def _bounds(request: RetrieveRequest, limit: int, settings: RetrieverSettings) -> Bounds:
    if request.as_chunks:
        return Bounds(limit, page_max=0, joined_characters_max=0)
    asked = request.page_passages_max
    if asked is not None and asked < 0:
        raise InvalidInput(
            f"The most passages of a page are {asked}; give 1 or more, or 0 for no bound.",
            reason="PAGE_PASSAGES_NEGATIVE",
        )
    return Bounds(
        limit,
        page_max=settings.page_passages_max if asked is None else asked,
        joined_characters_max=JOINED_CHARACTERS_MAX,
    )


def _recipe(recipe: str) -> Recipe:
    known = {**RECIPES, **PRESETS}
    if recipe and recipe not in known:
        raise InvalidInput(
            f"There is no recipe {recipe[:80]!r}; known are {', '.join(known)}.",
            reason="UNKNOWN_RECIPE",
        )
    return known[recipe or DEFAULT]


def _weights(asked: Weights, recipe: Recipe, time: AskedTime) -> ScoreWeights:
    is_published = recipe.scale is Scale.CONVEX
    fresh = recipe.fresh == "always" or (recipe.fresh == "asked" and time.recent)
    chosen = ScoreWeights(
        alpha=_chosen(asked.alpha, ALPHA),
        beta=_chosen(asked.beta, OWLERLITE_BETA if is_published else BETA),
        gamma=_chosen(asked.gamma, OWLERLITE_GAMMA if is_published else GAMMA),
        delta=_chosen(asked.delta, WEIGHT_FRESH if fresh and not is_published else 0.0),
    )
    shares = {"alpha": chosen.alpha, "gamma": chosen.gamma}
    factors = {"beta": chosen.beta, "delta": chosen.delta}
    wrong = [name for name, value in shares.items() if not 0 <= value <= 1]
    wrong += [name for name, value in factors.items() if not 0 <= value < math.inf]
    if wrong:
        raise InvalidInput(
            f"The weights {', '.join(wrong)} are out of range: alpha and gamma lie in [0, 1], "
            "beta and delta are at least 0 and finite.",
            reason="WEIGHTS_OUT_OF_RANGE",
        )
    return chosen


def _chosen(asked: float | None, otherwise: float) -> float:
    return otherwise if asked is None else asked
