"""Service levels: what is promised, the rules that measure it, and the alerts on its budget.

A level says which events count and which of them were good. Error ratios over several windows are
recorded, and an alert fires when two of them, a long and a short one, eat the budget of 30 days
too fast (SRE workbook, chapter 5): the long one says that it matters, the short one that it lasts.
"""

from dataclasses import dataclass
from typing import Any

BUDGET_WINDOW = "30d"
WINDOWS = ("5m", "30m", "1h", "2h", "6h", "1d", "3d", BUDGET_WINDOW)
# Fewer bad events than this in the long window wake nobody.
BAD_EVENTS_LEAST = 5
OURS = "UNAVAILABLE|INTERNAL|DEADLINE_EXCEEDED|UNKNOWN"
SEARCHES = 'method=~".*SearchService/.*"'
SEARCH = 'method=~".*SearchService/Search"'


@dataclass(frozen=True, slots=True)
class Burn:
    """How many times too fast the budget goes, over which windows, and who must know."""

    severity: str
    pairs: tuple[tuple[float, str, str], ...]


@dataclass(frozen=True, slots=True)
class Level:
    """A promise of 30 days.

    Attributes:
        name: of its recording rules.
        alert: the name of its alerts.
        promise: what is promised, as its board says it.
        objective: the share of events that are good.
        good, events: selectors of counters, each summed by itself; the sum is the number.
        summary: what the alerts say.
    """

    name: str
    alert: str
    promise: str
    objective: float
    good: tuple[str, ...]
    events: tuple[str, ...]
    summary: str

    @property
    def budget(self) -> float:
        """The share of events that may be bad."""
        return round(1 - self.objective, 6)

    def ratio(self, window: str) -> str:
        """Returns the name of the recorded error ratio over a window."""
        return f"scops:{self.name}:error_ratio_rate{window}"


BURNS = (
    Burn("page", ((14.4, "1h", "5m"), (6, "6h", "30m"))),
    Burn("ticket", ((3, "1d", "2h"), (1, "3d", "6h"))),
)
LEVELS = (
    Level(
        name="search_availability",
        alert="ScopsSearchFails",
        promise="99.5 % of questions are answered",
        objective=0.995,
        good=(f'scops_gateway_calls_total{{{SEARCHES},code!~"{OURS}"}}',),
        events=(f"scops_gateway_calls_total{{{SEARCHES}}}",),
        summary="Questions fail so often that the errors of 30 days are used up too soon.",
    ),
    Level(
        name="search_latency",
        alert="ScopsSearchSlow",
        promise="95 % of searches take at most half a second",
        objective=0.95,
        good=(f'scops_gateway_call_seconds_bucket{{{SEARCH},le="0.5"}}',),
        events=(f"scops_gateway_call_seconds_count{{{SEARCH}}}",),
        summary="Too many searches take longer than half a second.",
    ),
    Level(
        name="freshness",
        alert="ScopsIndexStale",
        promise="99 % of new versions are found within 15 minutes of their fetch",
        objective=0.99,
        good=('scops_indexer_freshness_seconds_bucket{le="900.0"}',),
        events=(
            "scops_indexer_freshness_seconds_count",
            'scops_indexer_verdicts_total{outcome="failed"}',
        ),
        summary="Too many new versions are found over 15 minutes after their fetch, or never.",
    ),
    Level(
        name="jobs_finished",
        alert="ScopsJobsFail",
        promise="99 % of jobs that nobody cancels are completed within a day",
        objective=0.99,
        good=('scops_gateway_job_seconds_bucket{state="completed",le="86400.0"}',),
        events=('scops_gateway_job_seconds_count{state!="cancelled"}',),
        summary="Too many jobs fail, or take longer than a day.",
    ),
)


def number(selectors: tuple[str, ...], window: str, *, by: str = "rate") -> str:
    """Returns how many events there were; 0 where there is no series."""
    sums = [f"(sum({by}({selector}[{window}])) or vector(0))" for selector in selectors]
    return " + ".join(sums)


def rules() -> dict[str, Any]:
    """Returns the file of rules as Prometheus reads it."""
    return {
        "groups": [
            {"name": "scops-error-ratios", "rules": [*records()]},
            {"name": "scops-error-budgets", "rules": [*alerts()]},
        ]
    }


def records() -> list[dict[str, Any]]:
    """Returns the recording rules: an error ratio by level and window."""
    return [
        {
            "record": level.ratio(window),
            "expr": f"1 - ({number(level.good, window)}) / ({number(level.events, window)})",
        }
        for level in LEVELS
        for window in WINDOWS
    ]


def alerts() -> list[dict[str, Any]]:
    """Returns two alerts by level: budgets that go within days, and within the month."""
    return [
        {
            "alert": level.alert,
            "expr": " or ".join(burning(level, *pair) for pair in burn.pairs),
            "for": "2m" if burn.severity == "page" else "15m",
            "labels": {"severity": burn.severity},
            "annotations": {"summary": level.summary, "runbook_url": runbook(level.alert)},
        }
        for level in LEVELS
        for burn in BURNS
    ]


def burning(level: Level, factor: float, long: str, short: str) -> str:
    """Returns the expression of a budget that goes too fast."""
    bad = (
        f"({number(level.events, long, by='increase')})"
        f" - ({number(level.good, long, by='increase')})"
    )
    most = f"{factor:g} * {level.budget:g}"
    return (
        f"({level.ratio(long)} > {most} and {level.ratio(short)} > {most}"
        f" and {bad} >= {BAD_EVENTS_LEAST})"
    )


def runbook(alert: str) -> str:
    """Returns the address of an alert's page; where pages are served says an external label."""
    return f"{{{{ $externalLabels.scops_docs }}}}/runbooks/{alert}.md"
