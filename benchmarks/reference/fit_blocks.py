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
from pathlib import Path

import numpy as np

from benchmarks.extraction import evaldata
from benchmarks.reference.block_model import BY_STRINGS, FitPage, Model, chosen, f1_by
from benchmarks.reference.block_pages import pages_of_manual, pages_of_strings, pages_of_terms
from benchmarks.shared.command import command_parser
from benchmarks.shared.splits import DEVELOPMENT, HELD_OUT, half_of_site
from scops.extractor.html import block_weights
from scops.extractor.html.block_features import BlockFeatures


def main() -> None:
    parser = command_parser(__doc__, data="folder of all data", json_option=False)
    parser.add_argument("--terms", type=Path, default=None, help="folder of terms of service")
    parser.add_argument("--manual", type=Path, default=None, help="folder of a manual's pages")
    parser.add_argument("--write", action="store_true", help="replace the weights of the module")
    args = parser.parse_args()
    judged = pages_of_strings(args.data / "extraction" / evaldata.FOLDER)
    development = [page for page in judged if _half(page) == DEVELOPMENT]
    held_out = [page for page in judged if _half(page) == HELD_OUT]
    others = [*pages_of_terms(args.terms), *pages_of_manual(args.manual)]
    penalty, model, cross_validated = chosen(development, others, BY_STRINGS)
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
        "f1_development": f1_by(development, model, BY_STRINGS),
        "f1_held_out": f1_by(held_out, model, BY_STRINGS),
        "current": {
            "f1_development": f1_by(development, current, BY_STRINGS),
            "f1_held_out": f1_by(held_out, current, BY_STRINGS),
        },
        "weights": dict(zip(("intercept", *BlockFeatures._fields), _rounded(model), strict=True)),
    }
    print(json.dumps(result))


def _half(page: FitPage) -> str:
    return half_of_site(page.judged.url) if page.judged else ""


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
