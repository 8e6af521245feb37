"""Research on demand: how many pages of a linked site are fetched until a question is answered.

    python -m benchmarks.expansion [--data DIR] [--questions N] [--half held_out] [--json]

DIR is the root folder of a site's HTML; without it the HTML of the Debian packages
postgresql-doc-15 and python3.11-doc is asked about, which is downloaded where it is missing. Each
site is served on the loopback without the pages that unanswerable questions are made of. Every
question begins at its start page with nothing known, and a budget of 25 pages. `questions` tells
how they are made, `walkers` what the sides do; `oracle` knows the links and the answer.

Keys, of all questions, and by the site in `sites`; each with `…_interval`, the 95 % interval of a
bootstrap over questions, and null where a side did not run or the figure is not known:
    SIDE.pages_to_answer_p50, SIDE.pages_to_answer_p90: of answerable questions, pages fetched until
        the gold pages are, for the sides `ours`, `bfs`, `anchor_cosine` and `oracle`; null where
        the budget ends before the gold pages are fetched for that share of the questions.
    SIDE.answered_share: of answerable questions, those whose gold pages are fetched within the
        budget; `answered_share` is that of `ours`.
    SIDE.harvest_rate: of all pages fetched, those that hold the answer or one of the ten sections
        of the whole site that BM25 finds best for the question; `harvest_rate` is that of `ours`.
    SIDE.seconds_p50: of answerable questions, seconds at `--delay` from request to request; vectors
        that are known from before cost none. `seconds_p50` is that of `ours`.
    fetches_share_of_bfs: of answerable questions, pages to the answer of `ours` by those of `bfs`;
        who does not find it counts the budget, which favours `bfs`.
    cited_share: of answerable questions, those for which `ours` quotes the gold pages.
    false_stop_rate: of all questions, those for which `ours` stopped as covered without a gold
        page; `…_answerable` and `…_unanswerable` of these alone.
    unanswerable_stopped_within: median of the pages that `ours` fetched for questions without an
        answer.
    questions, by_kind, by_form: how many.
"""

import argparse
import asyncio
import time
from collections import Counter
from pathlib import Path

from benchmarks.expansion.ours import our_research
from benchmarks.expansion.questions import HALVES, SEED, Question, QuestionMaker, makers_of
from benchmarks.expansion.scores import Outcome, figures
from benchmarks.expansion.sites import ServedSite
from benchmarks.expansion.walkers import Researcher, Result, Walks
from benchmarks.shared.command import add_embedder, command_parser, print_result, progress
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from benchmarks.shared.splits import HELD_OUT
from scops.common.config.settings import CommonSettings
from scops.libraries.embedder.opening import open_embedder
from scops.libraries.embedder.port import Embedder

SIDES = ("ours", "bfs", "anchor_cosine", "oracle")
QUESTIONS = 60
BUDGET_PAGES = 25
HOST_DELAY_SECONDS = 0.1
SECTIONS_BEST = 10
PROGRESS_QUESTIONS = 10


def main() -> None:
    parser = command_parser(__doc__)
    help_text = "root folder of a site's HTML; two Debian packages where it is left out"
    parser.add_argument("--data", type=Path, help=help_text)
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="of each site")
    parser.add_argument("--half", choices=HALVES, default=HELD_OUT)
    parser.add_argument("--seed", type=int, default=SEED, help="of the questions")
    parser.add_argument("--delay", type=float, default=HOST_DELAY_SECONDS, help="seconds")
    add_embedder(parser)
    options = parser.parse_args()
    with our_research(options.embedder, options.delay) as researcher:
        print_result(asyncio.run(measure(options, researcher=researcher)), options)


async def measure(
    options: argparse.Namespace, *, researcher: Researcher | None
) -> dict[str, object]:
    """Returns the figures that the module's docstring names.

    Args:
        researcher: the side `ours`; without it, its figures are null.
    """
    started = time.monotonic()
    embedder = CachingEmbedder(open_embedder(CommonSettings(embedder=options.embedder)))
    makers = makers_of(options.data, seed=options.seed)
    seen: dict[str, list[Outcome]] = {}
    for maker in makers:
        others = [one for one in makers if one is not maker]
        asked = maker.questions(options.questions, half=options.half, others=others)
        name = maker.site.name
        progress(f"{name}: {len(asked)} questions of {options.questions} wanted")
        with ServedSite(maker.site, gone=maker.gone).running() as site:
            sides = _Sides(site, maker, embedder, researcher, options.delay)
            seen[name] = []
            for number, question in enumerate(asked, start=1):
                seen[name].append(await sides.outcome(question))
                if number % PROGRESS_QUESTIONS == 0:
                    progress(f"{name}: {number} of {len(asked)} questions")
    embedder.close()
    every = [one for outcomes in seen.values() for one in outcomes]
    return _told(every) | {
        "sites": {name: _told(outcomes) for name, outcomes in seen.items()},
        "half": options.half,
        "budget_pages": BUDGET_PAGES,
        "host_delay_seconds": options.delay,
        "embedder_id": embedder.embedder_id,
        "benchmark_seconds": round(time.monotonic() - started),
    }


class _Sides:
    """What answers the questions about one site."""

    def __init__(
        self,
        site: ServedSite,
        maker: QuestionMaker,
        embedder: Embedder,
        researcher: Researcher | None,
        delay_seconds: float,
    ) -> None:
        self._site = site
        self._index = maker.served
        self._researcher = researcher
        self._walks = Walks(
            site.start_url,
            site.site.graph.without(site.gone),
            embedder,
            budget_pages=BUDGET_PAGES,
            host_delay_seconds=delay_seconds,
        )

    async def outcome(self, question: Question) -> Outcome:
        """Returns what each side does for a question; baselines at once, `ours` by itself."""
        walks = (self._walks.bfs, self._walks.anchor_cosine, self._walks.oracle)
        walked = await asyncio.gather(*(walk(question) for walk in walks))
        results: dict[str, Result] = dict(zip(SIDES[1:], walked, strict=True))
        if self._researcher is not None:
            results["ours"] = await self._researcher.research(
                question.question, self._site.start_url, BUDGET_PAGES
            )
        best = self._index.best(question.question, limit=SECTIONS_BEST)
        gold = {path for pages in question.gold for path in pages}
        return Outcome(question, results, frozenset({one.path for one in best} | gold))


def _told(outcomes: list[Outcome]) -> dict[str, object]:
    asked = [one.question for one in outcomes]
    return figures(outcomes, SIDES, budget_pages=BUDGET_PAGES) | {
        "questions": len(asked),
        "by_kind": dict(Counter(one.kind for one in asked)),
        "by_form": dict(Counter(form for one in asked for form in one.form.split("+"))),
    }


if __name__ == "__main__":
    main()
