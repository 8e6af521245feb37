"""Fits the block model (`scops.extractor.html.block_weights`) and says how well it does.

    python -m benchmarks.reference.fit_blocks --data ../shared/data
        [--terms DIR] [--manual DIR] [--write]

Logistic regression by Newton's method on blocks whose place is known:

- trafilatura-eval, the development half by host: a block that holds a string that must be in the
  output is main text, one that holds a string that must not be is not; the others say nothing.
- where given, terms of service (`--terms`, the folder `changes/ota-html`) and a reference manual
  (`--manual`), together a fifth as heavy: what stands in the text that was recorded, or outside of
  the manual's navigation, is main text.

The penalty and both thresholds are chosen by cross-validation over sites of the development half,
scored as trafilatura-eval scores pages; the other half is looked at once, at the end. The last line
is a JSON object; `--write` writes the weights into the module, to be reviewed like other code.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.extraction import evaldata
from benchmarks.extraction.rows import NO_URL
from benchmarks.extraction.sets import Page
from benchmarks.shared.command import command_parser, progress
from benchmarks.shared.figures import f1_of
from benchmarks.shared.json_lines import json_lines
from benchmarks.shared.splits import DEVELOPMENT, HELD_OUT, fold_of, half_of_site, site_of
from scops.extractor.html import block_weights
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
OTHERS_PAGES_MAX = 150
ROWS_A_FILE = 3
RECORDED_SHARE_MIN = 0.8
_LINK_TARGET = re.compile(r"\]\((?:[^()\s]|\([^)]*\))*(?:\s+\"[^\"]*\")?\)")
# A shorter block may be part of a longer string by chance.
PART_CHARACTERS_MIN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FitPage:
    """A page with what is known of its blocks.

    Attributes:
        site: pages of one site are in one fold.
        features: shape (n, features) of the written blocks.
        labels: shape (n,); 1 for main text, 0 for none, NaN where nothing is known.
        judged: by which strings the page is scored; None where it only helps to fit.
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


def main() -> None:
    parser = command_parser(__doc__, data="folder of all data", json_option=False)
    parser.add_argument("--terms", type=Path, default=None, help="folder of terms of service")
    parser.add_argument("--manual", type=Path, default=None, help="folder of a manual's pages")
    parser.add_argument("--write", action="store_true", help="replace the weights of the module")
    args = parser.parse_args()
    judged = [
        found
        for page in evaldata.read(args.data / "extraction" / evaldata.FOLDER)
        if (found := _judged(page))
    ]
    development = [page for page in judged if _half(page) == DEVELOPMENT]
    held_out = [page for page in judged if _half(page) == HELD_OUT]
    others = [*_terms(args.terms), *_manual(args.manual)]
    penalty, model, cross_validated = _chosen(development, others)
    if args.write:
        _write(model)
    current = Model(
        np.array([block_weights.INTERCEPT, *block_weights.WEIGHTS]),
        block_weights.THRESHOLD,
        block_weights.HEADING_THRESHOLD,
    )
    result = {
        "pages": {
            "development": len(development),
            "held_out": len(held_out),
            "others": len(others),
        },
        "penalty": penalty,
        "threshold": model.threshold,
        "heading_threshold": model.heading_threshold,
        "f1_cross_validated": cross_validated,
        "f1_development": _f1(development, model),
        "f1_held_out": _f1(held_out, model),
        "current": {
            "f1_development": _f1(development, current),
            "f1_held_out": _f1(held_out, current),
        },
        "weights": dict(zip(("intercept", *BlockFeatures._fields), _rounded(model), strict=True)),
    }
    print(json.dumps(result))


def _judged(page: Page) -> FitPage | None:
    measured = _measured(page.body, page.url)
    if measured is None:
        return None
    blocks, features = measured
    labels = [_label(evaldata.normalised(block.text), page) for block in written_blocks(blocks)]
    return FitPage(
        site=site_of(page.url),
        blocks=blocks,
        features=features,
        labels=np.array(labels),
        judged=page,
    )


def _label(text: str, page: Page) -> float:
    """Returns 1, 0 or NaN by the strings that the block holds, or is a part of."""
    marks = {
        kind
        for kind, strings in ((1.0, page.required), (0.0, page.forbidden))
        for string in strings
        if string in text or (len(text) >= PART_CHARACTERS_MIN and text in string)
    }
    return marks.pop() if len(marks) == 1 else float("nan")


def _terms(folder: Path | None) -> Iterator[FitPage]:
    for file in sorted(folder.glob("*.jsonl.xz")) if folder is not None else []:
        for row in islice(json_lines(file), ROWS_A_FILE):
            recorded = Recorded.of(row["text0"])
            measured = _measured(row["html0"].encode(), NO_URL)
            if measured is not None:
                yield _known(measured, file.stem, recorded.label)


def _manual(folder: Path | None) -> Iterator[FitPage]:
    pages = sorted(folder.glob("*.html")) if folder is not None else []
    for file in pages[:: max(len(pages) // OTHERS_PAGES_MAX, 1)]:
        measured = _measured(file.read_bytes(), NO_URL)
        if measured is not None:
            yield _known(measured, file.stem, lambda block: float(not block.boilerplate))


class Recorded(NamedTuple):
    """The words of a recorded text, and its runs of four of them."""

    text: str
    shingles: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, markdown: str) -> "Recorded":
        """Reads a text in Markdown; targets of links are no words of it."""
        words = _words(_LINK_TARGET.sub("]", markdown.replace("\\", "")))
        return cls(f" {' '.join(words)} ", frozenset(_shingles(words)))

    def label(self, block: RawBlock) -> float:
        """Returns 1, 0 or NaN: a few words may stand in a text by chance."""
        words = _words(block.text)
        shingles = _shingles(words)
        if not shingles:
            return float("nan") if f" {' '.join(words)} " in self.text else 0.0
        share = sum(map(self.shingles.__contains__, shingles)) / len(shingles)
        if share >= RECORDED_SHARE_MIN:
            return 1.0
        return 0.0 if share <= 1 - RECORDED_SHARE_MIN else float("nan")


def _known(
    measured: tuple[tuple[RawBlock, ...], Floats], site: str, label: Callable[[RawBlock], float]
) -> FitPage:
    blocks, features = measured
    labels = np.array([label(block) for block in written_blocks(blocks)])
    return FitPage(site=site, blocks=blocks, features=features, labels=labels)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _shingles(words: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(words, words[1:], words[2:], words[3:], strict=False))


def _measured(body: bytes, url: str) -> tuple[tuple[RawBlock, ...], Floats] | None:
    """Returns the blocks of a page with their features, by the extractor's own steps."""
    tree = parse_html(decode_body(body, media_type="text/html", charset="").text)
    if tree is None or tree.heavy:
        return None
    remove_unseen(tree.root)
    walked = html_blocks(tree.root)
    remove_elements(tree.root, walked.boilerplate)
    features = measured_blocks(tree, written_blocks(walked.blocks), url=url).features
    table = np.array(features, dtype=float).reshape(-1, len(BlockFeatures._fields))
    return tuple(walked.blocks), table


def _chosen(
    development: Sequence[FitPage], others: Sequence[FitPage]
) -> tuple[float, Model, float]:
    """Returns penalty, model and cross-validated F1 of the best choice."""
    best: tuple[float, float, float, float] = (-1.0, 0.0, 0.0, 0.0)
    for penalty in PENALTIES:
        folds = []
        for fold in range(FOLDS):
            rest = [page for page in development if _fold(page) != fold]
            weights = _fitted(rest, others, penalty)
            folds += [(page, weights) for page in development if _fold(page) == fold]
        for threshold, heading in product(THRESHOLDS, HEADING_THRESHOLDS):
            f1 = _score([(page, Model(weights, threshold, heading)) for page, weights in folds])
            best = max(best, (f1, penalty, float(threshold), heading))
        progress(f"penalty {penalty}: best so far {best}")
    f1, penalty, threshold, heading = best
    return penalty, Model(_fitted(development, others, penalty), threshold, heading), f1


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


def _f1(pages: Sequence[FitPage], model: Model) -> float:
    return round(_score([(page, model) for page in pages]), 4)


def _score(pages: Sequence[tuple[FitPage, Model]]) -> float:
    """Returns F1 as trafilatura-eval counts it."""
    precision, recall = evaldata.scored(
        [evaldata.counts(page.judged, _text(page, model)) for page, model in pages if page.judged]
    )
    return f1_of(precision, recall)


def _text(page: FitPage, model: Model) -> str:
    scores = model.weights[0] + page.features @ model.weights[1:]
    kept = kept_blocks(
        page.blocks,
        scores.tolist(),
        threshold=model.threshold,
        heading_threshold=model.heading_threshold,
    )
    return "\n".join(block.text for block in kept)


def _half(page: FitPage) -> str:
    return half_of_site(page.judged.url) if page.judged else ""


def _fold(page: FitPage) -> int:
    return fold_of(page.site, FOLDS)


def _rounded(model: Model) -> list[float]:
    return [round(float(weight), 2) for weight in model.weights]


def _write(model: Model) -> None:
    path = Path(block_weights.__file__)
    text = path.read_text()
    intercept, *weights = _rounded(model)
    for name, weight in zip(BlockFeatures._fields, weights, strict=True):
        text = re.sub(rf"(?m)^    {name}=[-\d.]+,$", f"    {name}={weight:.2f},", text)
    for name, value in (
        ("INTERCEPT", intercept),
        ("THRESHOLD", model.threshold),
        ("HEADING_THRESHOLD", model.heading_threshold),
    ):
        text = re.sub(rf"(?m)^{name} = [-\d.]+$", f"{name} = {value:.2f}", text)
    path.write_text(text)


if __name__ == "__main__":
    main()
