"""Fits and judges the model of blocks that `scops.extractor.html.block_weights` holds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.extraction import aeb, evaldata
from benchmarks.extraction.comparison import Scored
from benchmarks.extraction.sets import Counts, Page
from benchmarks.shared.command import progress
from benchmarks.shared.figures import f1_of
from benchmarks.shared.splits import fold_of
from scops.extractor.html.block_features import BlockFeatures
from scops.extractor.html.blocks import html_blocks
from scops.extractor.html.main_text import kept_blocks, measured_blocks, written_blocks
from scops.extractor.html.regions import remove_elements, remove_unseen
from scops.extractor.html.tree import parse_html
from scops.extractor.text.charset import decode_body
from scops.extractor.text.clean_text import RawBlock

Floats = npt.NDArray[np.float64]

FOLDS = 5
PENALTIES = (0.3, 1.0, 3.0, 10.0)
THRESHOLDS = tuple(np.round(np.arange(-0.6, 0.41, 0.1), 2))
HEADING_THRESHOLDS = (-1.25, -0.85, -0.45, -0.05)
NEWTON_STEPS = 25
OTHERS_SHARE = 0.2


class Scoring(NamedTuple):
    """How a set counts an output against its page, and scores all counts."""

    counts: Callable[[Page, str], Counts]
    scored: Scored


BY_STRINGS = Scoring(evaldata.counts, evaldata.scored)
BY_SHINGLES = Scoring(aeb.counts, aeb.scored)


@dataclass(frozen=True, slots=True, kw_only=True)
class FitPage:
    """A page with what is known of its blocks.

    Attributes:
        site: pages of one site are in one fold.
        features: shape (n, features) of the written blocks.
        labels: shape (n,); 1 for main text, 0 for none, NaN where nothing is known.
        judged: by what the page is scored; None where it only helps to fit.
    """

    site: str
    blocks: tuple[RawBlock, ...]
    features: Floats
    labels: Floats
    judged: Page | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """Weights with the intercept first, and from which log odds on blocks are kept."""

    weights: Floats
    threshold: float
    heading_threshold: float


class Choice(NamedTuple):
    """What cross-validation over sites chose, with the F1 that it has there."""

    penalty: float
    model: Model
    f1: float


def measured(body: bytes, url: str) -> tuple[tuple[RawBlock, ...], Floats] | None:
    """Returns the blocks of a page with their features, by the extractor's own steps.

    None of a page that is no HTML, or so large that the extractor asks no model.
    """
    tree = parse_html(decode_body(body, media_type="text/html", charset="").text)
    if tree is None or tree.heavy:
        return None
    remove_unseen(tree.root)
    walked = html_blocks(tree.root)
    remove_elements(tree.root, walked.boilerplate)
    features = measured_blocks(tree, written_blocks(walked.blocks), url=url).features
    table = np.array(features, dtype=float).reshape(-1, len(BlockFeatures._fields))
    return tuple(walked.blocks), table


def chosen(pages: Sequence[FitPage], others: Sequence[FitPage], scoring: Scoring) -> Choice:
    """Returns the best penalty and thresholds, and the model that they give on all pages.

    Args:
        others: help to fit, and are not scored.
    """
    best: tuple[float, float, float, float] = (-1.0, 0.0, 0.0, 0.0)
    for penalty in PENALTIES:
        folds = []
        for fold in range(FOLDS):
            rest = [page for page in pages if _fold(page) != fold]
            weights = _fitted(rest, others, penalty)
            folds += [(page, weights) for page in pages if _fold(page) == fold]
        for threshold, heading in product(THRESHOLDS, HEADING_THRESHOLDS):
            found = [(page, Model(weights, threshold, heading)) for page, weights in folds]
            best = max(best, (_f1(found, scoring), penalty, float(threshold), heading))
        progress(f"penalty {penalty}: best so far {best}")
    f1, penalty, threshold, heading = best
    return Choice(penalty, Model(_fitted(pages, others, penalty), threshold, heading), f1)


def f1_by(pages: Sequence[FitPage], model: Model, scoring: Scoring) -> float:
    """Returns the F1 of a model on judged pages."""
    return round(_f1([(page, model) for page in pages], scoring), 4)


def text_by(page: FitPage, model: Model) -> str:
    """Returns the main text of a page by a model."""
    scores = model.weights[0] + page.features @ model.weights[1:]
    kept = kept_blocks(
        page.blocks,
        scores.tolist(),
        threshold=model.threshold,
        heading_threshold=model.heading_threshold,
    )
    return "\n".join(block.text for block in kept)


def _f1(pages: Sequence[tuple[FitPage, Model]], scoring: Scoring) -> float:
    counts = [
        scoring.counts(page.judged, text_by(page, model)) for page, model in pages if page.judged
    ]
    return f1_of(*scoring.scored(counts))


def _fitted(pages: Sequence[FitPage], others: Sequence[FitPage], penalty: float) -> Floats:
    """Returns intercept and weights: logistic regression with a ridge on all but the intercept."""
    table, labels = _stacked(pages)
    more, more_labels = _stacked(others)
    mass = np.concatenate(
        [
            np.ones(len(labels)),
            np.full(len(more_labels), OTHERS_SHARE * len(labels) / max(len(more_labels), 1)),
        ]
    )
    design = np.column_stack([np.ones(len(mass)), np.concatenate([table, more])])
    target = np.concatenate([labels, more_labels])
    ridge = np.full(design.shape[1], penalty)
    ridge[0] = 0.0
    weights = np.zeros(design.shape[1])
    for _ in range(NEWTON_STEPS):
        odds = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (mass * (target - odds)) - ridge * weights
        curve = (design * (mass * odds * (1 - odds))[:, None]).T @ design + np.diag(ridge)
        weights += np.linalg.solve(curve, slope)
    return weights


def _stacked(pages: Sequence[FitPage]) -> tuple[Floats, Floats]:
    if not pages:
        return np.zeros((0, len(BlockFeatures._fields))), np.zeros(0)
    known = [~np.isnan(page.labels) for page in pages]
    return (
        np.concatenate([page.features[mask] for page, mask in zip(pages, known, strict=True)]),
        np.concatenate([page.labels[mask] for page, mask in zip(pages, known, strict=True)]),
    )


def _fold(page: FitPage) -> int:
    return fold_of(page.site, FOLDS)
