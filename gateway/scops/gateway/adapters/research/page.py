"""A report as a page: one document that loads nothing and runs nothing, wherever it is kept.

Its policy stands in the document, too. What pages say is text, each in a direction of its own.
"""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from html import escape

from scops.gateway.adapters.research.curve import curve
from scops.gateway.adapters.research.text import (
    cost_words,
    difference_words,
    is_opened,
    one_line,
    percent,
    shown_time,
    start_of,
)
from scops.gateway.adapters.research.values import (
    ReportLink,
    ReportPage,
    ReportSource,
    ResearchReport,
)

STYLE = """
:root { color-scheme: light dark; --line: color-mix(in srgb, CanvasText 25%, Canvas);
  --quiet: color-mix(in srgb, CanvasText 72%, Canvas); --accent: light-dark(#1d4c8f, #9fc1f5) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2rem }
blockquote, .said { font: 1.15rem/1.6 Georgia, serif }
blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid var(--accent) }
a { color: var(--accent) } a, bdi, blockquote, code, dd, li, p { overflow-wrap: anywhere }
code { font: 0.9em ui-monospace, monospace }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: 0.2rem 1rem }
dt { color: var(--quiet) } dd { margin: 0 }
li { margin-bottom: 0.4rem } .wide { overflow-x: auto }
table { border-collapse: collapse; font-size: 0.9rem }
caption { text-align: left; color: var(--quiet) }
td, th { text-align: right; font-variant-numeric: tabular-nums; padding: 0.3rem 0 0.3rem 1rem;
  border-bottom: 1px solid var(--line); white-space: nowrap }
.curve { width: 100%; max-width: 32rem; font-size: 15px; fill: CanvasText }
.curve .axis, .curve .enough, .curve .line { fill: none; stroke: var(--quiet) }
.curve .enough { stroke-dasharray: 6 5 }
.curve .line { stroke: var(--accent); stroke-width: 2.5 } .curve circle { fill: var(--accent) }
"""
_DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; form-action 'none'"
REPORT_HEADERS = {
    "content-security-policy": f"{_POLICY}; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


def as_page(report: ResearchReport) -> str:
    """Returns a report as an HTML document."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="content-security-policy" content="{escape(_POLICY)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>Research: {escape(one_line(report.question))}</title>",
        f"<style>{STYLE}</style></head><body><main>",
        "<h1>Report of a research</h1>",
        f'<blockquote dir="auto">{_text(report.question)}</blockquote>',
        *_head(report),
        "<h2>Answer</h2>",
        *_answer(report),
        "<h2>Coverage over fetches</h2>",
        *_looks(report),
        *_cited_pages(report.cited_pages),
        *_pages(report.pages),
        *_missing(report.missing_words),
        "</main></body></html>",
    ]
    return "".join(parts)


def _head(report: ResearchReport) -> Iterator[str]:
    stopped = f"{_text(report.stopped)} ({report.stop_reason})" if report.stopped else "–"
    rows = [
        ("Stopped", stopped),
        ("State", report.state),
        ("Coverage", f"{percent(report.coverage)}; {percent(report.covered_at)} is enough"),
        ("Cost", cost_words(report.cost)),
        ("Started from", _link(report.uri) if report.uri else "what its scopes hold"),
        ("Scopes", ", ".join(f"<code>{_text(name)}</code>" for name in report.scopes)),
        ("Began", shown_time(report.create_time)),
        ("Ended", shown_time(report.end_time)),
        ("Research", f"<code>{_text(report.research)}</code>"),
    ]
    if report.message:
        rows.insert(1, ("Went wrong", _text(report.message)))
    yield "<dl>"
    yield from (f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    yield "</dl>"


def _answer(report: ResearchReport) -> Iterator[str]:
    known = {quote.number for quote in report.quotes}
    for said in report.statements:
        cited = "".join(f' <a href="#quote-{n}">[{n}]</a>' for n in said.quotes if n in known)
        yield f'<p class="said" dir="auto">{_text(said.text)}{cited}</p>'
    if not report.statements:
        yield f"<p>There is none{'' if report.end_time else ' yet'}.</p>"
    if report.withheld_statements:
        yield f"<p>Statements of pages that you may not see now: {report.withheld_statements}.</p>"
    if report.freshness:
        yield f"<p>{_text(report.freshness)}</p>"
    if report.quotes:
        yield "<h3>Quotes</h3><ol>"
        for quote in report.quotes:
            yield f'<li id="quote-{quote.number}" value="{quote.number}">“{_said(quote.quote)}”, '
            yield f"{_link(quote.link, quote.uri)}, version "
            yield f"<code>{_text(quote.version)}</code></li>"
        yield "</ol>"
    if report.differences:
        yield "<h3>Quotes that say different things</h3><ul>"
        yield from (f"<li>{_text(difference_words(one))}</li>" for one in report.differences)
        yield "</ul>"


def _looks(report: ResearchReport) -> Iterator[str]:
    if not report.looks:
        yield "<p>The question was not looked at.</p>"
        return
    yield curve(report.looks, covered_at=report.covered_at)
    names = ("Look", "Pages", "Coverage", "Probability", "Words", "Links", "Best gain", "Fetched")
    rows = [
        (
            str(look.number),
            str(look.fetched),
            percent(look.coverage),
            percent(look.probability),
            percent(look.words),
            str(look.candidates),
            percent(look.best_gain),
            str(look.chosen),
        )
        for look in report.looks
    ]
    heads = "".join(f'<th scope="col">{name}</th>' for name in names)
    yield '<div class="wide" role="region" tabindex="0" aria-label="Looks"><table><caption>What '
    yield f"each look found, and what was fetched after it</caption><thead><tr>{heads}</tr>"
    yield "</thead><tbody>"
    for cells in rows:
        yield "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    yield "</tbody></table></div>"


def _cited_pages(pages: Sequence[ReportSource]) -> Iterator[str]:
    if not pages:
        return
    yield "<h2>Pages that the answer rests on</h2><ul>"
    for page in pages:
        yield f"<li>{_link(page.uri, page.title)}: fetched {shown_time(page.fetch_time)}, last "
        yield f"seen to stand {shown_time(page.verified_time)}"
        yield "; it says something else by now" if page.superseded else ""
        yield f"<br>found by {_way(page.way, page.uri)}" if page.way else ""
        yield "</li>"
    yield "</ul>"


def _pages(pages: Sequence[ReportPage]) -> Iterator[str]:
    if not pages:
        return
    yield "<h2>Pages looked at</h2><ul>"
    for page in pages:
        yield f"<li><strong>{page.use.value}</strong>: {_link(page.uri)}"
        if page.way:
            yield f" by “{_said(page.way[-1].text)}”, expected gain {percent(page.gain)}"
        yield f"<br>{_text(page.why)}</li>"
    yield "</ul>"


def _missing(words: Sequence[str]) -> Iterator[str]:
    if words:
        told = ", ".join(f"“{_said(word)}”" for word in words)
        yield f"<h2>What is missing</h2><p>Nothing cited holds {told}.</p>"


def _way(way: Sequence[ReportLink], uri: str) -> str:
    steps = [f"→ “{_said(one.text)}” → {_link(one.uri)}" for one in way]
    return " ".join((_link(start_of(way, uri)), *steps))


def _link(uri: str, words: str = "") -> str:
    """Returns a link; of what no browser opens the words alone."""
    shown = _said(words or uri)
    if not is_opened(uri):
        return shown
    return f'<a href="{escape(uri)}" rel="noreferrer noopener">{shown}</a>'


def _said(words: str) -> str:
    """Returns what a page says, in a direction of its own."""
    return f"<bdi>{_text(words)}</bdi>"


def _text(words: str) -> str:
    return escape(one_line(words))
