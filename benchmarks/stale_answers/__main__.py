"""How often answers are stale at a fetch budget, and how soon an edit is in an answer.

    python -m benchmarks.stale_answers --data ../shared/data/change-logs --json

`stale_answer_rate`: the same questions are asked over a replay of when real pages changed, at
0.1 fetches per page and day, under equal turns (`uniform`) and under the service's scheduler
(`ours`), which learns what answers lean on from their citations alone. An answer is stale if a
page that it cites has changed since it was checked. `risk` is what the answers said of it:
the mean they told, what came true, and the area under the curve.

`edit_to_answer_seconds`: `scops up` has a site; a page is edited at the origin and a question is
asked at once with `revalidate: always`; from the edit to the answer that cites the new text.
`idle`, and `backlog` while a crawl of 10,000 further pages waits in lane bulk. `unseen` answers
never cited it within 30 s and count with that limit. `--without-system` leaves this part out.
A page counts as unchecked however short a time ago it was looked at.
"""

import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.freshness.change_logs import PageLog, read_logs
from benchmarks.freshness.policies import POLICIES, PolicyName
from benchmarks.freshness.replay import BUDGETS, DAYS, WARM_UP_DAYS, Scenario
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.crawling import warm_up
from benchmarks.shared.system.edits import EditTimes, time_checked_answers
from benchmarks.shared.system.html_pages import PREFIX, simple_page
from benchmarks.shared.system.origin import Origin
from benchmarks.shared.system.system import System
from benchmarks.stale_answers.asked_questions import AskedLearner, answered, questions

BUDGET = BUDGETS[1]
QUESTIONS_PER_DAY = 5.0
SEED = 5
PAGES = 60
BACKLOG_PAGES = 10_000
EDITS = 12
SCOPE, BACKLOG = "site", "backlog"
PARAGRAPHS, SENTENCES = 6, 4
THINGS = ("lamp", "pump", "mast", "valve", "buoy", "sensor", "rail", "gate", "boiler", "crane")
DOINGS = ("was replaced by", "stands beside", "is fed by", "was tested with", "replaces")
SEASONS = ("spring", "summer", "autumn", "winter")
NAMES = {"uniform": PolicyName.UNIFORM, "ours": PolicyName.OPTIMAL}


def main() -> None:
    parser = command_parser(__doc__, data="folder with the change logs")
    parser.add_argument("--without-system", action="store_true", help="replay alone")
    parser.add_argument("--backlog", type=int, default=BACKLOG_PAGES, help="pages that wait")
    args = parser.parse_args()
    result: dict[str, object] = replayed(read_logs(args.data, days=DAYS))
    times = None if args.without_system else edit_times(args.backlog)
    result["edit_to_answer_seconds"] = times
    print_result(result, args)


def replayed(logs: Sequence[PageLog]) -> dict[str, object]:
    """Returns the stale answers of both policies, and how true the told risk was."""
    chance = random.Random(SEED)
    asked = questions(len(logs), per_day=QUESTIONS_PER_DAY, days=DAYS, chance=chance)
    scenario = Scenario(logs, [1.0] * len(logs), BUDGET)
    rates: dict[str, float] = {}
    risk: dict[str, float] = {}
    for name, policy in NAMES.items():
        learner = scenario.learner(AskedLearner, POLICIES[policy])
        answers = answered(learner, scenario, asked, first_day=WARM_UP_DAYS)
        rates[name] = statistics.fmean(answers.stale)
        risk = {
            "told": statistics.fmean(answers.risks),
            "came_true": rates[name],
            "auc": _auc(answers.risks, answers.stale),
        }
        progress(f"{name}: {rates[name]:.4f} of {len(answers.stale)} stale")
    ratio = rates["ours"] / rates["uniform"] if rates["uniform"] else None
    return {"stale_answer_rate": {**rates, "ours_vs_uniform": ratio}, "risk": risk}


def edit_times(backlog: int) -> dict[str, object]:
    """Returns how long edits took to be cited, idle and behind a backlog."""
    site = Origin({f"{PREFIX}{place}.html": _body(place) for place in range(PAGES)})
    waiting = Origin({f"{PREFIX}{place}.html": _body(place) for place in range(backlog)})
    settings = {
        "SCOPS_FETCHER_DELAYS": "127.0.0.0/8=0.02",
        # Edits come seconds after the page was last checked.
        "SCOPS_EXPLAINER_REVALIDATE_AGE_SECONDS": "0",
    }
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="scops-stale-") as folder:
        system = System(Path(folder) / "system", settings=settings)
        with site.running(), waiting.running(), system.running(), Client(system.address) as client:
            warm_up(system, client)
            client.create_scope(SCOPE, site)
            client.wait(SCOPE, client.start_crawl(SCOPE))
            idle = time_checked_answers(client, SCOPE, site, count=EDITS, chance=chance)
            client.create_scope(BACKLOG, waiting)
            client.start_crawl(BACKLOG)
            _until_queued(system, backlog)
            behind = time_checked_answers(client, SCOPE, site, count=EDITS, chance=chance)
            left = system.counted("scops_fetcher_queued_entries", lane="bulk")
    return {"idle": _times(idle), "backlog": _times(behind) | {"pages_left": int(left)}}


def _until_queued(system: System, backlog: int) -> None:
    """Waits until most of the backlog is in the frontier, or nothing more comes."""
    before = -1.0
    while before < (found := system.counted("scops_fetcher_queued_entries", lane="bulk")):
        if found >= 0.9 * backlog:
            break
        before = found
        time.sleep(20.0)
    progress(f"{found:.0f} pages wait")


def _times(edits: EditTimes) -> dict[str, float | int]:
    ordered = sorted(edits.seconds)
    last = min(len(ordered) - 1, round(0.99 * (len(ordered) - 1)))
    return {
        "p50": round(statistics.median(ordered), 2),
        "p99": round(ordered[last], 2),
        "edits": len(ordered),
        "unseen": edits.unseen,
    }


def _body(place: int) -> bytes:
    """Returns a page of running text that is like no other."""
    chance = random.Random(place)
    paragraphs = (f"<p>{_paragraph(place, chance)}</p>" for _ in range(PARAGRAPHS))
    return simple_page(f"Station {place}", "".join(paragraphs))


def _paragraph(place: int, chance: random.Random) -> str:
    return " ".join(
        f"The {chance.choice(THINGS)} of station {place} {chance.choice(DOINGS)} "
        f"{chance.choice(THINGS)} number {chance.randint(10, 9999)} in {chance.choice(SEASONS)}."
        for _ in range(SENTENCES)
    )


def _auc(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """Returns the probability that a stale answer was told a higher risk than another."""
    ordered = sorted(zip(scores, labels, strict=True))
    positives = sum(labels)
    ranks = sum(rank for rank, (_, label) in enumerate(ordered, start=1) if label)
    pairs = positives * (len(ordered) - positives)
    return (ranks - positives * (positives + 1) / 2) / pairs if pairs else float("nan")


if __name__ == "__main__":
    main()
