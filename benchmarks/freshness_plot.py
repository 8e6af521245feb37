"""Draws how the scheduler learns: staleness and rates over the days of the replay.

    uv run --with matplotlib==3.10.7 python -m benchmarks.freshness_plot --data DIR --out FILE

Left: the share of copies that are wrong, by weight, in steps of 30 days, at 0.1 crawls per page
and day. Right: how far the learned rates are from those over the whole window, median over pages
that change, as a factor. Both are means of `--seeds` orders of importance.
"""

import importlib
import random
from bisect import bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.freshness.change_logs import PageLog, read_logs, zipf_weights
from benchmarks.freshness.policies import POLICIES, PolicyName
from benchmarks.freshness.replay import (
    BUDGETS,
    DAYS,
    PRECISION,
    RECALL,
    Learner,
    Scenario,
    Signals,
    Staleness,
    simulated_signals,
)
from benchmarks.shared.command import command_parser, progress

BUDGET = BUDGETS[1]
STEP_DAYS = 30
SEEDS = 3
FAINT = 0.4


class StaleSteps(Staleness):
    """Also keeps the wrong time of each step of the window."""

    def __init__(self, logs: Sequence[PageLog], weights: Sequence[float]) -> None:
        super().__init__(logs, 0.0, DAYS)
        self.weights = np.asarray(weights) / sum(weights)
        self.steps = np.zeros(DAYS // STEP_DAYS)

    def interval(self, page: int, start: float, end: float) -> bool:
        changed = super().interval(page, start, end)
        if changed:
            changes = self.logs[page].changes
            self._spread(page, changes[bisect_right(changes, start)], end)
        return changed

    def _spread(self, page: int, since: float, end: float) -> None:
        for step in range(int(since // STEP_DAYS), len(self.steps)):
            first = step * STEP_DAYS
            wrong = min(end, first + STEP_DAYS) - max(since, first)
            if wrong <= 0:
                break
            self.steps[step] += self.weights[page] * wrong / STEP_DAYS


class WatchedLearner(Learner):
    """Notes at the end of each step how far its rates are from the true ones."""

    true_rates: np.ndarray
    errors: list[float]

    def next_page(self, day: float) -> int:
        if day // STEP_DAYS >= len(self.errors):
            learned = np.array([plan.rate for plan in self.plans])
            changing = self.true_rates > 0
            ratio = np.abs(np.log(learned[changing] / self.true_rates[changing]))
            self.errors.append(float(np.exp(np.median(ratio))))
        return super().next_page(day)


def main() -> None:
    parser = command_parser(__doc__, data="folder with the change logs", json_option=False)
    parser.add_argument("--out", type=Path, required=True, help="SVG or PNG file")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="orders of importance")
    args = parser.parse_args()
    logs = read_logs(args.data, days=DAYS)
    steps: dict[str, list[np.ndarray]] = {}
    errors: list[list[float]] = []
    for seed in range(args.seeds):
        chance = random.Random(seed)
        weights = zipf_weights(len(logs), chance)
        signals = simulated_signals(logs, chance, recall=RECALL, precision=PRECISION, days=DAYS)
        for name, run in _runs(Scenario(logs, weights, BUDGET), signals, errors).items():
            stale = StaleSteps(logs, weights)
            run(stale)
            steps.setdefault(name, []).append(stale.steps)
            progress(f"{seed} {name}")
    _draw({name: np.mean(runs, axis=0) for name, runs in steps.items()}, errors, args.out)


def _runs(
    scenario: Scenario, signals: Signals, errors: list[list[float]]
) -> dict[str, Callable[[StaleSteps], None]]:
    def learned(name: PolicyName, heard: Signals = ()) -> Callable[[StaleSteps], None]:
        def run(stale: StaleSteps) -> None:
            learner = scenario.learner(WatchedLearner, POLICIES[name], has_signals=bool(heard))
            learner.true_rates, learner.errors = np.array(scenario.rates), []
            scenario.crawl(learner, stale, heard)
            if name is PolicyName.OPTIMAL and not heard:
                errors.append(learner.errors[: DAYS // STEP_DAYS])

        return run

    return {
        "uniform": learned(PolicyName.UNIFORM),
        "proportional": learned(PolicyName.PROPORTIONAL),
        "ours": learned(PolicyName.OPTIMAL),
        "ours with signals": learned(PolicyName.OPTIMAL, signals),
        "rates known beforehand": scenario.crawl_by_oracle,
    }


def _draw(steps: dict[str, np.ndarray], errors: Sequence[Sequence[float]], out: Path) -> None:
    # Only where it is drawn: no other part needs it, and the environment does without.
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "scops"
    pyplot = importlib.import_module("matplotlib.pyplot")

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 3.6), width_ratios=(3, 2))
    days = (np.arange(DAYS // STEP_DAYS) + 0.5) * STEP_DAYS
    for name, share in steps.items():
        known = name.startswith("rates")
        left.plot(days, 100 * share, label=name, linestyle="--" if known else "-")
    left.set(xlabel="day", ylabel="copies that are wrong, %", title="0.1 crawls per page and day")
    left.set_ylim(bottom=0)
    left.legend(frameon=False, fontsize=8)
    right.plot(days[: len(errors[0])], np.mean(errors, axis=0))
    right.set(xlabel="day", ylabel="factor", title="learned rate against the true one, median")
    right.set_ylim(bottom=1)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=FAINT, linewidth=0.5)
    figure.tight_layout()
    figure.savefig(out, metadata={"Date": None} if out.suffix == ".svg" else None)


if __name__ == "__main__":
    main()
