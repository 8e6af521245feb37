"""Fits the model of blocks on one set of pages and judges it on the other, both ways.

    python -m benchmarks.reference.fit_blocks_across --data ../shared/data [--pages 60] --json

The sets are `extraction/trafilatura-eval` and `extraction/mozilla-readability`. Penalty and
thresholds are chosen by cross-validation over sites of the set that is fitted; all of it fits, all
of the other is judged. Nothing is written: this says what a fit carries over.

Keys, by the set that is judged: `fitted` (on the other set), `standing` (the weights of the
extractor, which saw half of trafilatura-eval) and each other extractor: `precision`, `recall`,
`f1`; `against`: `fitted` less each of these, with `..._interval` (95 %, bootstrap over sites) and
`..._p`; `f1_cross_validated` on the set that was fitted, with `penalty`, `threshold` and
`heading_threshold`; `f1_margin`: `fitted` less the best other extractor; `pages`.
"""

import argparse
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.extraction import evaldata
from benchmarks.extraction.__main__ import outputs_of
from benchmarks.extraction.comparison import compared, measures_of
from benchmarks.extraction.rows import EXTRACTORS, OURS
from benchmarks.extraction.sets import Counts
from benchmarks.reference.block_model import (
    BY_SHINGLES,
    BY_STRINGS,
    FitPage,
    Scoring,
    chosen,
    text_by,
)
from benchmarks.reference.block_pages import pages_of_strings, pages_of_texts
from benchmarks.shared.command import command_parser, print_result, progress

SEED = 5
FITTED, STANDING = "fitted", "standing"


class FitSet(NamedTuple):
    """A set of pages, and how it judges an output."""

    pages: Sequence[FitPage]
    scoring: Scoring


SETS: Mapping[str, tuple[Callable[[Path], list[FitPage]], Scoring]] = {
    evaldata.FOLDER: (pages_of_strings, BY_STRINGS),
    "mozilla-readability": (pages_of_texts, BY_SHINGLES),
}


def main() -> None:
    parser = command_parser(__doc__, data="folder of all data")
    parser.add_argument("--pages", type=int, default=0, help="a sample of each set; 0 for all")
    args = parser.parse_args()
    print_result(fit(args), args)


def fit(args: argparse.Namespace) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    sets = {}
    for name, (read, scoring) in SETS.items():
        pages = read(args.data / "extraction" / name)
        if 0 < args.pages < len(pages):
            pages = random.Random(SEED).sample(pages, args.pages)
        sets[name] = FitSet(pages, scoring)
        progress(f"{name}: {len(pages)} pages")
    return {
        name: across(fitted, judged)
        for name, judged in sets.items()
        for other, fitted in sets.items()
        if other != name
    }


def across(fitted: FitSet, judged: FitSet) -> dict[str, object]:
    """Returns how well the second set is extracted by what was fitted on the first."""
    choice = chosen(fitted.pages, (), fitted.scoring)
    counts = _counts(judged, {FITTED: [text_by(page, choice.model) for page in judged.pages]})
    scored = judged.scoring.scored
    rows = {name: _rounded(measures_of(found, scored)) for name, found in counts.items()}
    best = max(row["f1"] for name, row in rows.items() if name not in (FITTED, STANDING))
    sites = [page.site for page in judged.pages]
    return {
        **rows,
        "against": compared(counts, sites, scored, ours=FITTED),
        "f1_margin": round(rows[FITTED]["f1"] - best, 4),
        "f1_cross_validated": round(choice.f1, 4),
        "penalty": choice.penalty,
        "threshold": choice.model.threshold,
        "heading_threshold": choice.model.heading_threshold,
        "pages": len(judged.pages),
    }


def _counts(judged: FitSet, texts: Mapping[str, Sequence[str]]) -> dict[str, list[Counts]]:
    """Returns the counts of texts, of the extractor as it stands, and of the others."""
    pages = [page.judged for page in judged.pages if page.judged is not None]
    outputs = outputs_of(pages, jobs=1)
    every = dict(texts) | {
        STANDING if name == OURS else name: [each[name].text for each in outputs]
        for name in EXTRACTORS
    }
    return {
        name: [judged.scoring.counts(*pair) for pair in zip(pages, found, strict=True)]
        for name, found in every.items()
    }


def _rounded(measures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in measures.items()}


if __name__ == "__main__":
    main()
