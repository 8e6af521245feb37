"""Fits how research runs weigh links, and tells how far links alone can lead.

    python -m benchmarks.expansion.fit FOLDER [FOLDER …] [--questions N] [--json]

Each FOLDER is the root of a site's HTML, as `--data` of `benchmarks.expansion`. Questions about its
pages are made as there, and walked offline: links of the pages seen so far are weighed by
`scops.explainer.links.gain`, the best four are opened, up to 25 pages. Of each look, the weights
are fitted to which of the pages answers, by a conditional logit model with a penalty of .5 on
their squares (McFadden 1974, "Conditional logit analysis of qualitative choice behavior"); then a
logistic regression makes the sum a probability. Where a folder holds the search index of Sphinx,
what it finds is weighed as well.

Keys:
    weights, offset, scale: fitted on all sites.
    sites.NAME.answered_share: of questions, those whose pages were opened, by the weights that the
        code has; sites.NAME.within_four: of looks at which a page that answers was among the
        links, those that have it among the best four, by weights fitted on the other sites.
    sites.NAME.all_links_share: of questions, those whose pages are among the best 24 when what
        every link of the whole site says is known for nothing: no order of links that weighs so
        can do better.
    answered_share, within_four, all_links_share: means over sites, each with the interval of a
        bootstrap over sites in `…_interval`.
"""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.expansion.offline import OfflineSite
from benchmarks.expansion.questions import Question, QuestionMaker
from benchmarks.expansion.sites import read_site
from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from scops.common.config.settings import CommonSettings
from scops.explainer.links.gain import WEIGHTS
from scops.libraries.embedder.opening import open_embedder

QUESTIONS = 30
BUDGET_PAGES, BATCH = 25, 4
PENALTY, ROUNDS, RATE = 0.5, 400, 0.4
NEWTON_ROUNDS = 40
RESAMPLES, LEVEL = 2000, 0.95
Floats = NDArray[np.float64]


@dataclass(slots=True)
class Looks:
    """What was seen of one site: signals of links, and which of them answer, look by look."""

    signals: list[Floats] = field(default_factory=list)
    answers: list[NDArray[np.bool_]] = field(default_factory=list)
    answered: list[bool] = field(default_factory=list)
    with_all_links: list[bool] = field(default_factory=list)


def main() -> None:
    parser = command_parser(__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="root folders of sites' HTML")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="of each site")
    add_embedder(parser)
    options = parser.parse_args()
    print_result(asyncio.run(fit(options.folders, options.questions, options.embedder)), options)


async def fit(folders: Sequence[Path], questions: int, embedder_name: str) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    embedder = CachingEmbedder(open_embedder(CommonSettings(embedder=embedder_name)))
    seen: dict[str, Looks] = {}
    for folder in folders:
        maker = QuestionMaker(read_site(folder))
        site = OfflineSite(maker, embedder)
        asked = [one for one in maker.questions(questions) if one.answerable]
        looks = seen[str(folder)] = Looks()
        for question in asked:
            await _walk(site, question, looks)
        progress(f"{folder}: {len(asked)} questions, {np.mean(looks.answered):.2f} answered")
    embedder.close()
    told = {name: _told(looks, _others(seen, name)) for name, looks in seen.items()}
    weights = _conditional_logit(list(seen.values()))
    offset, scale = _logistic(list(seen.values()), weights)
    means: dict[str, object] = {}
    for key in ("answered_share", "within_four", "all_links_share"):
        values = [value for one in told.values() if (value := one[key]) is not None]
        means |= {key: _mean(values), f"{key}_interval": _interval(values)}
    return means | {
        "weights": dict(zip(WEIGHTS, weights.round(2).tolist(), strict=True)),
        "offset": round(offset, 2),
        "scale": round(scale, 2),
        "sites": told,
    }


async def _walk(site: OfflineSite, question: Question, looks: Looks) -> None:
    """Opens pages until the budget ends, and notes what was seen at each look."""
    gold = {path for pages in question.gold for path in pages}
    fetched = [site.start]
    while len(fetched) < BUDGET_PAGES:
        weighed = await site.weighed(question.question, fetched)
        if not weighed.paths:
            break
        looks.signals.append(weighed.signals)
        looks.answers.append(np.array([path in gold for path in weighed.paths]))
        room = min(BATCH, BUDGET_PAGES - len(fetched))
        fetched.extend(weighed.paths[place] for place in weighed.order[:room])
    looks.answered.append(question.answered_by(fetched))
    every = await site.weighed(question.question, [site.start], with_all_links=True)
    best = [every.paths[place] for place in every.order[: BUDGET_PAGES - 1]]
    looks.with_all_links.append(question.answered_by([site.start, *best]))


def _told(looks: Looks, others: Sequence[Looks]) -> dict[str, float | None]:
    within: list[bool] = []
    if others:
        weights = _conditional_logit(others)
        for signals, answers in zip(looks.signals, looks.answers, strict=True):
            if answers.any():
                within.append(bool(answers[np.argsort(-(signals @ weights))[:BATCH]].any()))
    return {
        "answered_share": _mean(looks.answered),
        "within_four": _mean(within),
        "all_links_share": _mean(looks.with_all_links),
    }


def _others(seen: dict[str, Looks], name: str) -> list[Looks]:
    return [looks for other, looks in seen.items() if other != name]


def _conditional_logit(seen: Sequence[Looks]) -> Floats:
    """Returns the weight of each signal by gradient ascent on the mean log likelihood."""
    groups = [
        (signals, answers / answers.sum())
        for looks in seen
        for signals, answers in zip(looks.signals, looks.answers, strict=True)
        if answers.any()
    ]
    weights = np.zeros(len(WEIGHTS))
    for _ in range(ROUNDS if groups else 0):
        rise = -PENALTY * weights
        for signals, answers in groups:
            heights = signals @ weights
            chosen = np.exp(heights - heights.max())
            rise += signals.T @ (answers - chosen / chosen.sum())
        weights = weights + RATE * rise / len(groups)
    return weights


def _logistic(seen: Sequence[Looks], weights: Floats) -> tuple[float, float]:
    """Returns offset and scale that make a sum of signals a probability, by Newton's method."""
    heights = np.concatenate([signals @ weights for looks in seen for signals in looks.signals])
    answers = np.concatenate([one for looks in seen for one in looks.answers]).astype(float)
    rows, found = np.stack([np.ones_like(heights), heights], axis=1), np.zeros(2)
    for _ in range(NEWTON_ROUNDS):
        chance = 1.0 / (1.0 + np.exp(-rows @ found))
        spread = chance * (1.0 - chance) + 1e-9
        found = found + np.linalg.solve(rows.T * spread @ rows, rows.T @ (answers - chance))
    return float(found[0]), float(found[1])


def _mean(values: Sequence[float]) -> float | None:
    return round(float(np.mean(values)), 4) if values else None


def _interval(values: Sequence[float]) -> list[float] | None:
    """Returns the interval of a bootstrap."""
    if not values:
        return None
    chance = random.Random(0)
    means = sorted(float(np.mean(chance.choices(values, k=len(values)))) for _ in range(RESAMPLES))
    outside = round(RESAMPLES * (1 - LEVEL) / 2)
    return [round(means[outside], 4), round(means[-outside - 1], 4)]


if __name__ == "__main__":
    main()
