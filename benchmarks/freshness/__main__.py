"""How fresh copies stay at a budget: the fetcher's scheduler against others and an oracle.

    python -m benchmarks.freshness --data ../shared/data/change-logs --json

Replays when real pages changed (900 days) at 0.05, 0.1 and 0.25 crawls per page and day, with
importance by Zipf's law in `--seeds` random orders. All pages are fetched on day 0; freshness is
measured from day 300 on, so that every policy has had time to learn.

Per budget: `ours_vs_oracle`, `uniform_vs_oracle`, `proportional_vs_oracle`, `signals_vs_oracle`
are weighted freshness (share of the time that a copy is right) over the oracle's, which is told
each page's rate over the window; `stale_share*` are one minus it. `signals` are simulated, by
`--recall` and `--precision`; the scheduler has to learn both. `cold_start_vs_oracle` is ours
from day 0 on. The scheduler is the service's own code with its default settings.
"""

import random
import statistics
from collections.abc import Callable, Sequence
from functools import partial

from benchmarks.freshness.change_logs import PageLog, read_logs, zipf_weights
from benchmarks.freshness.policies import POLICIES, PolicyName
from benchmarks.freshness.replay import (
    BUDGETS,
    DAYS,
    PRECISION,
    RECALL,
    WARM_UP_DAYS,
    Learner,
    Scenario,
    Signals,
    Staleness,
    simulated_signals,
)
from benchmarks.shared.command import command_parser, print_result, progress

SEEDS = 3


def main() -> None:
    parser = command_parser(__doc__, data="folder with the change logs")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="orders of importance")
    parser.add_argument("--recall", type=float, default=RECALL, help="of the simulated signals")
    parser.add_argument("--precision", type=float, default=PRECISION, help="of those signals")
    args = parser.parse_args()
    logs = read_logs(args.data, days=DAYS)
    result: dict[str, object] = {"pages": len(logs), "changes": sum(len(x.changes) for x in logs)}
    for budget in BUDGETS:
        result[str(budget)] = at_budget(
            logs, budget, seeds=args.seeds, recall=args.recall, precision=args.precision
        )
    print_result(result, args)


def at_budget(
    logs: Sequence[PageLog], budget: float, *, seeds: int, recall: float, precision: float
) -> dict[str, float]:
    """Returns the figures of one budget in crawls per page and day, means over the seeds."""
    fresh: dict[str, list[float]] = {}
    for seed in range(seeds):
        chance = random.Random(seed)
        weights = zipf_weights(len(logs), chance)
        signals = simulated_signals(logs, chance, recall=recall, precision=precision, days=DAYS)
        for name, replay in _replays(Scenario(logs, weights, budget), signals).items():
            first_day = 0.0 if name.startswith("cold_") else WARM_UP_DAYS
            staleness = Staleness(logs, first_day, DAYS)
            replay(staleness)
            fresh.setdefault(name, []).append(staleness.fresh_share(weights))
            progress(f"{budget} {seed} {name} {fresh[name][-1]:.4f}")
    mean = {name: statistics.fmean(shares) for name, shares in fresh.items()}
    oracle = mean["oracle"]
    return {
        "ours_vs_oracle": mean["optimal"] / oracle,
        "uniform_vs_oracle": mean["uniform"] / oracle,
        "proportional_vs_oracle": mean["proportional"] / oracle,
        "signals_vs_oracle": mean["signals"] / oracle,
        "cold_start_vs_oracle": mean["cold_optimal"] / mean["cold_oracle"],
        "stale_share": 1 - mean["optimal"],
        "stale_share_uniform": 1 - mean["uniform"],
        "stale_share_signals": 1 - mean["signals"],
        "stale_share_oracle": 1 - oracle,
        "stale_vs_uniform": (1 - mean["optimal"]) / (1 - mean["uniform"]),
    }


def _replays(scenario: Scenario, signals: Signals) -> dict[str, Callable[[Staleness], object]]:
    def learned(name: PolicyName, heard: Signals = ()) -> Callable[[Staleness], object]:
        learner = partial(scenario.learner, Learner, POLICIES[name], has_signals=bool(heard))
        return lambda staleness: scenario.crawl(learner(), staleness, heard)

    return {
        "oracle": scenario.crawl_by_oracle,
        "cold_oracle": scenario.crawl_by_oracle,
        **{name.value: learned(name) for name in PolicyName},
        "cold_optimal": learned(PolicyName.OPTIMAL),
        "signals": learned(PolicyName.OPTIMAL, signals),
    }


if __name__ == "__main__":
    main()
