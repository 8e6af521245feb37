"""A research run as the API tells it, with pages that say what they should not."""

from datetime import UTC, datetime

from scops.api.v1alpha1 import research_service_pb2 as pb
from scops.api.v1alpha1 import search_service_pb2 as search

SITE = "https://docs.example.org"
BEGUN = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOSTILE = (
    "</bdi><script>alert(1)</script><img src=x onerror=alert(1)> [pay](https://evil.example) "
    "![p](https://evil.example/p.png) <https://evil.example/a> https://evil.example/b "
    "www.evil.example `x` | cell | &lt;b&gt; *bold* ev@evil.example \u202egnp.exe\n\n# Heading"
)


def told_run() -> pb.GetResearchResponse:
    """A run of three looks that ended as covered; each kind of page is among its pages."""
    found = pb.GetResearchResponse(withheld_statements=1)
    run = found.research
    run.name, run.question = "researches/1", f"How much is it? {HOSTILE}"
    run.uri, run.scope, run.chat = f"{SITE}/", "scopes/research-docs", "chats/1"
    run.scopes.append("scopes/laws")
    run.budget.pages, run.budget.seconds = 25, 120
    run.state, run.stop_reason = pb.Research.STATE_ENDED, "covered"
    run.create_time.FromDatetime(BEGUN)
    run.end_time.FromDatetime(BEGUN.replace(second=7, microsecond=500_000))
    _page(run, "/", outcome="known")
    _page(run, "/plans", found_on="/", text=HOSTILE, outcome="indexed", useful=True, gain=0.5)
    _page(run, "/price", found_on="/plans", text="click here", outcome="indexed", cited=True)
    _page(run, "/far", found_on="/", text="Far", outcome="indexed")
    _page(run, "/gone", found_on="/", text="Old", outcome="gone", reason=HOSTILE)
    _page(run, "/open", found_on="/", text="Open")
    for number, coverage in enumerate((0.1, 0.2, 0.84), 1):
        step = run.steps.add(number=number, fetched=2 * number - 1, coverage=coverage)
        step.candidates, step.best_gain, step.chosen = 111, 0.5, 4
        step.time.FromDatetime(BEGUN)
    run.steps[-1].missing_words.extend(["captain", HOSTILE])
    answer = found.answer
    answer.answered = True
    answer.freshness.statement = "Verified 2 minutes ago."
    answer.model.input_tokens, answer.model.output_tokens = 900, 30
    answer.statements.add(text=f"It costs 14 euros. {HOSTILE}", citation_numbers=[1, 2])
    for number in (1, 2):
        answer.citations.append(_citation(number))
    return found


def _page(
    run: pb.Research, path: str, *, found_on: str = "", text: str = "", **more: object
) -> None:
    on = f"{SITE}{found_on}" if found_on else ""
    run.pages.add(uri=f"{SITE}{path}", found_on_uri=on, link_text=text, **more)


def _citation(number: int) -> search.Citation:
    made = search.Citation(
        number=number,
        uri=f"{SITE}/price",
        page="pages/p",
        version="v1",
        title=HOSTILE,
        quote=f"It costs 14 euros. {HOSTILE}",
        fragment_uri=f"{SITE}/price#:~:text=14%20euros",
    )
    made.clocks.observed_time.FromDatetime(BEGUN)
    made.clocks.verified_time.FromDatetime(BEGUN.replace(minute=2))
    return made
