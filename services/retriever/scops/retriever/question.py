"""What a `Retrieve` asks, checked, with what it leaves open filled in."""

import math
from dataclasses import dataclass
from datetime import datetime

from scops.common.errors import InvalidInput
from scops.common.messages.retrieval import RetrieveRequest, Weights
from scops.common.messages.types import ScopeRef
from scops.retriever.score import ScoreWeights
from scops.retriever.settings import RetrieverSettings

RECIPES = ("hybrid",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that can be answered.

    Attributes:
        scopes: each once, in the order asked.
        limit: passages wanted, 1 to the setting's most.
    """

    text: str
    scopes: tuple[ScopeRef, ...]
    limit: int
    as_of: datetime | None
    recipe: str
    weights: ScoreWeights


def checked(request: RetrieveRequest, settings: RetrieverSettings) -> Question:
    """Returns the question that a request asks.

    Raises:
        InvalidInput: no query or one too long, no scope or too many, too many awaited pages, a
            negative limit, an unknown recipe, or weights out of range.
    """
    return Question(
        text=_text(request.query, settings),
        scopes=_scopes(request, settings),
        limit=_limit(request.limit, settings),
        as_of=request.as_of_time,
        recipe=_recipe(request.recipe),
        weights=_weights(request.weights or Weights(), settings),
    )


def _text(query: str, settings: RetrieverSettings) -> str:
    text = query.strip()
    if not text:
        raise InvalidInput("The query is empty; ask for something.", reason="QUERY_EMPTY")
    if len(text) > settings.query_characters_max:
        raise InvalidInput(
            f"The query has {len(text)} characters; at most {settings.query_characters_max} are "
            "searched for. Shorten it to the question itself.",
            reason="QUERY_TOO_LONG",
        )
    return text


def _scopes(request: RetrieveRequest, settings: RetrieverSettings) -> tuple[ScopeRef, ...]:
    if not request.scopes:
        raise InvalidInput("The query names no scope; name at least one.", reason="SCOPES_EMPTY")
    if len(request.scopes) > settings.scopes_max:
        raise InvalidInput(
            f"The query names {len(request.scopes)} scopes; at most {settings.scopes_max} are "
            "searched at once. Name fewer.",
            reason="TOO_MANY_SCOPES",
        )
    if len(request.awaited) > settings.awaited_max:
        raise InvalidInput(
            f"The query waits for {len(request.awaited)} pages; at most {settings.awaited_max} "
            "are waited for at once. Name fewer.",
            reason="TOO_MANY_AWAITED",
        )
    newest: dict[str, ScopeRef] = {}
    for ref in request.scopes:
        held = newest.get(ref.scope_id)
        if held is None or held.revision < ref.revision:
            newest[ref.scope_id] = ref
    return tuple(newest.values())


def _limit(limit: int, settings: RetrieverSettings) -> int:
    if limit < 0:
        raise InvalidInput(
            f"The limit {limit} is negative; give 1 to {settings.limit_max}, or 0 for "
            f"{settings.limit_default}.",
            reason="LIMIT_NEGATIVE",
        )
    return min(limit or settings.limit_default, settings.limit_max)


def _recipe(recipe: str) -> str:
    if recipe and recipe not in RECIPES:
        raise InvalidInput(
            f"There is no recipe {recipe[:80]!r}; known are {', '.join(RECIPES)}.",
            reason="UNKNOWN_RECIPE",
        )
    return recipe or RECIPES[0]


def _weights(asked: Weights, settings: RetrieverSettings) -> ScoreWeights:
    chosen = ScoreWeights(
        alpha=settings.alpha if asked.alpha is None else asked.alpha,
        beta=settings.beta if asked.beta is None else asked.beta,
        gamma=settings.gamma if asked.gamma is None else asked.gamma,
        delta=settings.delta if asked.delta is None else asked.delta,
        lexical_share=settings.lexical_share,
        half_life_days=settings.half_life_days,
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
