"""Recipes: which parts speak, and how much each adds to a passage's score.

All but `owlerlite` add up log-odds: a score of 0 is even chances that the passage is relevant.
Where the weights of `default` come from says docs/fitting.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType


class Scale(StrEnum):
    """What the numbers of a recipe mean."""

    LOG_ODDS = "log_odds"
    # OwlerLite's h(q, p): cosine and graph evidence as they are.
    CONVEX = "convex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What a question may use; a part that has nothing to say is absent all the same.

    Attributes:
        graph: the part is shown, absent where nothing is known.
        walk: graph evidence is looked for.
        time: the question's time is held against the times in the passages.
        rerank: a configured reranker reads the best passages.
        fresh: `never`, `asked` (when the question wants the recent), or `always`.
        passages_max: most passages, however many are asked for; None bounds them not.
        likeness_min: passages that are less like the question in meaning, as a whole and in each
            sentence, are left out, on the scale that all embedders share; None leaves out none.
    """

    name: str
    scale: Scale = Scale.LOG_ODDS
    graph: bool = False
    walk: bool = False
    time: bool = False
    rerank: bool = False
    fresh: str = "never"
    passages_max: int | None = None
    likeness_min: float | None = None


RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        recipe.name: recipe
        for recipe in (
            Recipe(name="default", graph=True, time=True, rerank=True, fresh="asked"),
            Recipe(name="hybrid"),
            Recipe(name="owlerlite", scale=Scale.CONVEX, graph=True, walk=True, fresh="always"),
            Recipe(name="graph", graph=True, walk=True, time=True, rerank=True, fresh="asked"),
            Recipe(name="temporal", time=True, rerank=True, fresh="asked"),
            Recipe(name="fresh", rerank=True, fresh="always"),
        )
    }
)
DEFAULT = "default"
# They rank as `default`, and bound what an answer may rest on. Source: scholar-chatbot,
# Evaluation, top k and minimal score, as of a similarity search. Differs: the score is the cosine
# of the passage or its best sentence, on the scale that all embedders share, which for MiniLM is
# the cosine itself.
PRESETS: Mapping[str, Recipe] = MappingProxyType(
    {
        name: replace(
            RECIPES[DEFAULT], name=name, passages_max=passages_max, likeness_min=likeness_min
        )
        for name, passages_max, likeness_min in (
            ("top2", 2, 0.3),
            ("top3", 3, 0.5),
            ("top5", 5, 0.6),
        )
    }
)
