"""Ways to ask with and without scopes, side by side: nDCG, SF and SL, as OwlerLite's table 1.

Source: OwlerLite, section 5, table 1. Differs: it re-ranks the first 100 of all; here a preferred
scope is searched on its own as well, and a scope alone leaves nothing else in.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scops.standalone.evaluation.asking import AskedWith
from scops.standalone.evaluation.figures import means_of
from scops.standalone.evaluation.outcomes import AskedQuestion
from scops.standalone.evaluation.paired import paired
from scops.standalone.evaluation.questions import EvaluationQuestion
from scops.standalone.evaluation.ranking import ndcg

PUBLISHED = "owlerlite"
# Table 1 of the paper: 200 topics of TREC RAG 2024, 20 clusters of MS MARCO 2.1.
PAPER: Mapping[str, Mapping[str, float]] = {
    "baseline": {"ndcg@10": 0.503, "sf@10": 0.64, "sl@10": 0.36},
    "scope_aware": {"ndcg@10": 0.495, "sf@10": 0.83, "sl@10": 0.17},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSystem:
    """A way to ask.

    Attributes:
        prefers: the target's passages come first among those found.
        alone: the target is asked, and nothing else.
    """

    name: str
    recipe: str = ""
    prefers: bool = False
    alone: bool = False

    def asked(self, scopes: Sequence[str], target: str, *, limit: int) -> AskedWith:
        """Returns how it asks a question that one of some scopes is meant for."""
        return AskedWith(
            scopes=(target,) if self.alone else tuple(scopes),
            target=(target,),
            recipe=self.recipe,
            prefer=(target,) if self.prefers else (),
            limit=limit,
            answers=False,
        )


# The first two are those of the paper; each later one is held against the first of its recipe.
SYSTEMS = (
    ScopeSystem(name="baseline", recipe=PUBLISHED),
    ScopeSystem(name="scope_aware", recipe=PUBLISHED, prefers=True),
    ScopeSystem(name="global"),
    ScopeSystem(name="preferred", prefers=True),
    ScopeSystem(name="scoped", alone=True),
)
AskAll = Callable[[Sequence[EvaluationQuestion], AskedWith], Sequence[AskedQuestion]]


def measured(
    questions: Sequence[EvaluationQuestion], scopes: Sequence[str], ask_all: AskAll, *, limit: int
) -> dict[str, dict[str, Any]]:
    """Returns the figures of each system: means with intervals, and gains over its first.

    Args:
        questions: each with the scope that it is meant for.
        ask_all: asks some questions in one way, and returns what came back in their order.

    Returns:
        By system and measure `mean`, `interval` and `questions`; under `gain` the difference from
        the first system of its recipe with interval and p, where it is not that itself.
    """
    by_target: dict[str, list[EvaluationQuestion]] = defaultdict(list)
    for question in questions:
        by_target[question.scope].append(question)
    told: dict[str, dict[str, Any]] = {}
    first: dict[str, list[AskedQuestion]] = {}
    for system in SYSTEMS:
        outcomes = [
            with_inside(question, outcome, prefix=f"file://{target}/", limit=limit)
            for target, asked in by_target.items()
            for question, outcome in zip(
                asked, ask_all(asked, system.asked(scopes, target, limit=limit)), strict=True
            )
        ]
        figures = {name: mean.to_json() for name, mean in means_of(outcomes).items()}
        told[system.name] = figures
        if system.recipe in first:
            told[system.name] = {**figures, "gain": _gains(first[system.recipe], outcomes)}
        first.setdefault(system.recipe, outcomes)
    return told


def with_inside(
    question: EvaluationQuestion, outcome: AskedQuestion, *, prefix: str, limit: int
) -> AskedQuestion:
    """Returns an outcome with its nDCG by what the target holds alone.

    Over all relevant pages a scope can only lose; over its own it is told how well it ranks.
    """
    expected = [one for one in question.expected if one.page.startswith(prefix)]
    if outcome.error or not expected:
        return outcome
    worth = {one.page: one.gain for one in expected}
    gains = [(worth[page],) if page in worth else () for page in outcome.pages]
    inside = round(ndcg(gains, expected, cut=limit), 4)
    return replace(outcome, scores={**outcome.scores, f"ndcg@{limit}_inside": inside})


def _gains(
    before: Sequence[AskedQuestion], after: Sequence[AskedQuestion]
) -> dict[str, dict[str, Any]]:
    names = dict.fromkeys(name for one in (*before, *after) for name in one.scores)
    gains = {}
    for name in names:
        pairs = [
            (new.scores[name], old.scores[name])
            for old, new in zip(before, after, strict=True)
            if name in old.scores and name in new.scores
        ]
        if pairs:
            ours, theirs = zip(*pairs, strict=True)
            found = paired("gain", ours, theirs)
            gains[name] = {
                "gain": found["gain"],
                "interval": found["gain_interval"],
                "p": found["gain_p"],
            }
    return gains
