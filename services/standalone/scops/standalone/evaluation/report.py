"""A run as a page: one document that loads nothing and runs nothing, wherever it is kept.

Questions, answers and pages are others' words: each is escaped, in a direction of its own.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any

from scops.common.text.printable import printable
from scops.standalone.evaluation.comparing import leading
from scops.standalone.evaluation.outcomes import AskedQuestion
from scops.standalone.evaluation.plots import latency_curve, score_bars
from scops.standalone.evaluation.runs import EvaluationRun

WORST_MAX = 20
FAULTS_MAX = 50
SAID_CHARACTERS = 600
STYLE = """
:root { color-scheme: light dark; --line: color-mix(in srgb, CanvasText 25%, Canvas);
  --quiet: color-mix(in srgb, CanvasText 72%, Canvas); --accent: light-dark(#1d4c8f, #9fc1f5);
  --other: light-dark(#8a4b08, #f0b36b) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2rem } h3 { font-size: 1rem }
bdi, blockquote, dd, li, p { overflow-wrap: anywhere }
blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid var(--accent) }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: 0.2rem 1rem }
dt { color: var(--quiet) } dd { margin: 0 } .wide { overflow-x: auto }
table { border-collapse: collapse; font-size: 0.9rem }
caption { text-align: left; color: var(--quiet) }
td, th { text-align: right; font-variant-numeric: tabular-nums; padding: 0.3rem 0 0.3rem 1rem;
  border-bottom: 1px solid var(--line); white-space: nowrap }
th[scope=row] { text-align: left; padding-left: 0 }
svg { width: 100%; max-width: 44rem; font-size: 13px; fill: CanvasText }
svg .axis, svg .interval, svg .line { fill: none; stroke: var(--line) }
svg .bar { fill: var(--accent) } svg .interval { stroke: CanvasText; stroke-width: 2 }
svg .line { stroke: var(--accent); stroke-width: 2 } svg text.kind-0 { fill: var(--accent) }
svg .line.kind-1 { stroke: var(--other) } svg text.kind-1 { fill: var(--other) }
"""
_DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; form-action 'none'"


def run_page(run: EvaluationRun) -> str:
    """Returns a run as an HTML document."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="content-security-policy" content="{escape(_POLICY)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Evaluation {_text(run.id)}</title><style>{STYLE}</style></head><body><main>",
        f"<h1>Evaluation of {_said(run.source)}</h1>",
        *_head(run),
        *_scores(run),
        *_latency(run.outcomes),
        *_worst(run.outcomes),
        *_failed(run.outcomes),
        *_faults(run),
        "</main></body></html>",
    ]
    return "".join(parts)


def worst(outcomes: Sequence[AskedQuestion]) -> list[AskedQuestion]:
    """Returns the questions with the lowest leading measure, of those that are not right."""
    scored = [(one.scores[name], one) for one in outcomes if (name := leading(one))]
    scored.sort(key=lambda pair: pair[0])
    return [one for score, one in scored if score < 1][:WORST_MAX]


def _head(run: EvaluationRun) -> Iterator[str]:
    counts, asked = run.figures["questions"], run.asked
    rows = [
        ("Run", f"{run.id}, {run.time}"),
        ("Questions", f"{counts['asked']} asked ({run.form}), {counts['answered']} answered, "
         f"{counts['without_answer']} without an answer, {counts['failed']} failed"),
        *((name.replace("_", " ").capitalize(), _value(value)) for name, value in asked.items()),
    ]  # fmt: skip
    spent = run.figures["spent"]
    if spent:
        tokens = f"{spent['input_tokens']} tokens read, {spent['output_tokens']} written"
        rows.append(("Models", f"{', '.join(spent['models'])}: {tokens}, cost {spent['cost']}"))
    yield _listed(rows)


def _scores(run: EvaluationRun) -> Iterator[str]:
    scores = run.figures["scores"]
    if scores:
        yield "<h2>Scores</h2>"
        yield score_bars(scores)
        rows = [
            (name, f"{one['mean']:.4f}", _interval(one["interval"]), str(one["questions"]))
            for name, one in scores.items()
        ]
        yield _table("Means, intervals of 95 %", ("Measure", "Mean", "Interval", "Questions"), rows)
    abstention = run.figures["abstention"]
    if abstention:
        rows3 = [
            (name, f"{abstention[name]['value']:.4f}", _interval(abstention[name]["interval"]))
            for name in ("precision", "recall", "f1")
        ]
        told = (
            f"Not answered: {abstention['abstained']}; without an answer: "
            f"{abstention['without_answer']}"
        )
        yield "<h2>Abstention</h2>"
        yield _table(told, ("Measure", "Value", "Interval"), rows3)


def _latency(outcomes: Sequence[AskedQuestion]) -> Iterator[str]:
    times = {
        "search": [one.search_ms for one in outcomes if one.search_ms is not None],
        "answer": [one.answer_ms for one in outcomes if one.answer_ms is not None],
    }
    known = {name: each for name, each in times.items() if each}
    if known:
        yield "<h2>Latency</h2>"
        yield latency_curve(known)


def _worst(outcomes: Sequence[AskedQuestion]) -> Iterator[str]:
    found = worst(outcomes)
    if not found:
        return
    yield "<h2>Worst cases</h2>"
    for one in found:
        given = one.said[:SAID_CHARACTERS] if one.answered else "not answered"
        wanted = " | ".join(one.answers) if one.answerable else "no answer"
        rows = [
            ("Expected", wanted or "see its pages"),
            ("Given", given),
            *([("Marked", one.short)] if one.short else []),
            ("Scores", ", ".join(f"{name} {score:.2f}" for name, score in one.scores.items())),
            ("Found", ", ".join(one.pages) or "nothing"),
        ]
        yield f'<article><h3 dir="auto">{_said(one.question)}</h3>{_listed(rows)}'
        for uri, quote in one.cited:
            yield f"<blockquote>{_said(quote[:SAID_CHARACTERS])}<br>{_said(uri)}</blockquote>"
        yield "</article>"


def _failed(outcomes: Sequence[AskedQuestion]) -> Iterator[str]:
    rows = [(one.question, one.error) for one in outcomes if one.error][:FAULTS_MAX]
    if rows:
        yield f"<h2>Questions that could not be asked</h2>{_listed(rows)}"


def _faults(run: EvaluationRun) -> Iterator[str]:
    rows = [(one["where"], f"{one['what']}; {one['next']}") for one in run.faults[:FAULTS_MAX]]
    if rows:
        yield f"<h2>Left out of {_said(run.source)}: {len(run.faults)}</h2>{_listed(rows)}"


def _listed(rows: Iterable[tuple[str, str]]) -> str:
    said = "".join(f"<dt>{_said(name)}</dt><dd>{_said(value)}</dd>" for name, value in rows)
    return f"<dl>{said}</dl>"


def _table(told: str, names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    heads = "".join(f'<th scope="col">{_text(name)}</th>' for name in names)
    body = "".join(
        f'<tr><th scope="row">{_text(row[0])}</th>'
        + "".join(f"<td>{_text(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="wide"><table><caption>{_text(told)}</caption><thead><tr>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _interval(ends: Sequence[float]) -> str:
    return f"{ends[0]:.3f} to {ends[1]:.3f}"


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "–"
    return str(value) if value not in ("", None) else "–"


def _said(words: str) -> str:
    return f"<bdi>{_text(words)}</bdi>"


def _text(words: str) -> str:
    return escape(printable(" ".join(words.split())))
