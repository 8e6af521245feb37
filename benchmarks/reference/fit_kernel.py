"""Fits the kernel by which the times of sentences are held against the time asked for.

    python -m benchmarks.reference.fit_kernel --data ../shared/data [--embedder NAME] --json

One constant of `KernelShape` after the other takes the value of its grid with the best nDCG@10,
where a tie leaves what stands; by the weights of the embedder's record, on a third of TimeQA's
pages. What is chosen is put into `scops.retriever.time.kernel` by hand: it is the same for all
embedders, and moves the weights of the time parts (`fit_ranking --only timed`).

Keys: `record`, chosen on the development half; `by_value`: nDCG@10 there by constant and value,
the others as they stand; `development` (five-fold by page) and `held_out`, each with `questions`,
nDCG@10 by the kernel that stands (`known`) and by what was `fitted`, and `gain` with
`gain_interval` (95 %, bootstrap by page) and `gain_p` (randomisation).
"""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace

import numpy as np
import numpy.typing as npt

from benchmarks.reference.fit_timed import FOLDS
from benchmarks.reference.timed_queries import Floats, TimedQueries, columns
from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from benchmarks.shared.figures import rounded_mean
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from benchmarks.shared.splits import DEVELOPMENT, HELD_OUT, fold_of, half_of_link
from scops.libraries.embedder.registry import load_embedder
from scops.retriever.time.kernel import KERNEL, KernelShape
from scops.standalone.evaluation.paired import paired

QUESTIONS = 90
GRID: Mapping[str, tuple[float, ...]] = {
    "past_years": (10.0, 14.0, 20.0, 28.0, 40.0),
    "future_years": (2.0, 2.8, 4.0, 5.6, 8.0),
    "undated": (0.0, 0.05, 0.1, 0.2),
    "begins_share": (0.1, 0.2, 0.29, 0.4, 0.5),
    "begins_share_range": (0.29, 0.4, 0.5, 0.6, 0.7),
}
Judge = Callable[[KernelShape], Floats]
"""Returns nDCG@10 of each question of a half by a kernel, always in the same order."""


def main() -> None:
    parser = command_parser(__doc__, data="folder of all data")
    add_embedder(parser)
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="at most, of a half")
    args = parser.parse_args()
    print_result(fit(args), args)


def fit(args: argparse.Namespace) -> dict[str, object]:
    """Returns the figures that the module's docstring names."""
    embedder = CachingEmbedder(load_embedder(args.embedder))
    queries = TimedQueries(
        args.data / "temporal" / "timeqa-train",
        embedder,
        embedder.calibration,
        questions=args.questions,
    )
    weights = embedder.calibration.timed

    def judged(half: str) -> tuple[list[str], Judge]:
        kept = frozenset(page for page in queries.pages if half_of_link(page) == half)
        known: dict[KernelShape, Floats] = {}

        def judge(shape: KernelShape) -> Floats:
            if shape not in known:
                found = queries.under(weights, kept, shape=shape)
                known[shape] = np.array([one.ndcg(columns(weights)) for one in found])
                progress(f"{half}: {asdict(shape)} {rounded_mean(known[shape].tolist())}")
            return known[shape]

        return [page for page in queries.pages if page in kept], judge

    pages, development = judged(DEVELOPMENT)
    folds = np.array([fold_of(page, FOLDS) for page in pages])
    record = best_shape(development, np.full(len(pages), fill_value=True))
    left_out = np.zeros(len(pages))
    for fold in range(FOLDS):
        shape = best_shape(development, folds != fold)
        left_out[folds == fold] = development(shape)[folds == fold]
    strange, held_out = judged(HELD_OUT)
    result = {
        "record": asdict(record),
        "by_value": {
            name: {
                str(value): rounded_mean(development(replace(KERNEL, **{name: value})).tolist())
                for value in values
            }
            for name, values in GRID.items()
        },
        DEVELOPMENT: _figures(pages, development(KERNEL), left_out),
        HELD_OUT: _figures(strange, held_out(KERNEL), held_out(record)),
        "embedder_id": embedder.embedder_id,
    }
    embedder.close()
    return result


def best_shape(
    judge: Judge, chosen: npt.NDArray[np.bool_], *, start: KernelShape = KERNEL
) -> KernelShape:
    """Returns the kernel by which the chosen questions are answered best.

    One constant after the other; what it begins with stays where no other value is better.
    """
    best = start
    for name, values in GRID.items():
        shapes = (best, *(replace(best, **{name: value}) for value in values))
        best = max(shapes, key=lambda shape: float(judge(shape)[chosen].mean()))
    return best


def _figures(pages: list[str], known: Floats, fitted: Floats) -> dict[str, object]:
    return {
        "questions": len(pages),
        "known": rounded_mean(known.tolist()),
        "fitted": rounded_mean(fitted.tolist()),
        **paired("gain", fitted, known, units=pages),
    }


if __name__ == "__main__":
    main()
