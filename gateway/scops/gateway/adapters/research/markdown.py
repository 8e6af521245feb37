"""A report as Markdown (CommonMark with the tables of GitHub's form).

What pages say is text there: every mark that could make a link, a picture, HTML, a cell or a
mention of it is escaped (CommonMark 0.31, sections 2.4 and 6; GFM 0.29, section 6.9).
"""

import re
from collections.abc import Iterator, Sequence

from scops.gateway.adapters.research.text import (
    cost_words,
    difference_words,
    is_opened,
    one_line,
    percent,
    shown_time,
    start_of,
)
from scops.gateway.adapters.research.values import ReportLink, ReportSource, ResearchReport

# Addresses become links without any mark: those behind `://`, `www.` and `@`.
_MARKS = re.compile(r"[\\`*_\[\]<>|~#&$@]|:(?=/)|(?<=www)\.", re.IGNORECASE)
# What begins an item of a list where it begins a line.
_BEGINS_ITEM = re.compile(r"^(\d*)([-+.)])")
_ENDS_ADDRESS = {"(": "%28", ")": "%29", " ": "%20", "<": "%3C", ">": "%3E", "|": "%7C", "`": "%60"}
_ADDRESS = str.maketrans({**_ENDS_ADDRESS, "\\": "%5C"})


def as_markdown(report: ResearchReport) -> str:
    """Returns a report as a Markdown document."""
    return "\n\n".join(part for part in _parts(report) if part) + "\n"


def _parts(report: ResearchReport) -> Iterator[str]:
    yield "# Report of a research"
    yield f"> “{_text(report.question)}”"
    yield _head(report)
    yield "## Answer"
    yield from _answer(report)
    if report.differences:
        yield "## Quotes that say different things"
        yield "\n".join(f"- {_text(difference_words(one))}" for one in report.differences)
    yield "## Coverage over fetches"
    yield _looks(report)
    if report.cited_pages:
        yield "## Pages that the answer rests on"
        yield "\n".join(_cited(page) for page in report.cited_pages)
    if report.pages:
        yield "## Pages looked at"
        yield _pages(report)
    if report.missing_words:
        words = ", ".join(f"“{_text(word)}”" for word in report.missing_words)
        yield "## What is missing"
        yield f"Nothing cited holds {words}."


def _head(report: ResearchReport) -> str:
    rows = [
        ("stopped", f"{_text(report.stopped)} ({report.stop_reason})" if report.stopped else "–"),
        ("state", report.state),
        ("coverage", f"{percent(report.coverage)}; {percent(report.covered_at)} is enough"),
        ("cost", cost_words(report.cost)),
        ("started from", _link(report.uri) if report.uri else "what its scopes hold"),
        ("scopes", ", ".join(f"`{name}`" for name in report.scopes)),
        ("began", shown_time(report.create_time)),
        ("ended", shown_time(report.end_time)),
        ("research", f"`{report.research}`"),
    ]
    if report.message:
        rows.insert(1, ("went wrong", _text(report.message)))
    return _table(("", ""), rows)


def _answer(report: ResearchReport) -> Iterator[str]:
    links = {quote.number: quote.link for quote in report.quotes}
    for said in report.statements:
        cited = "".join(f" {_link(links[n], f'[{n}]')}" for n in said.quotes if n in links)
        yield _BEGINS_ITEM.sub(r"\1\\\2", _text(said.text)) + cited
    if not report.statements:
        yield "There is none." if report.end_time else "There is none yet."
    if report.withheld_statements:
        yield f"Statements of pages that you may not see now: {report.withheld_statements}."
    yield _text(report.freshness)
    yield "\n".join(
        f"- {quote.number}: “{_text(quote.quote)}”, {_link(quote.link)}, version `{quote.version}`"
        for quote in report.quotes
    )


def _looks(report: ResearchReport) -> str:
    if not report.looks:
        return "The question was not looked at."
    names = ("look", "pages", "coverage", "probability", "words", "links", "best gain", "fetched")
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
    return _table(names, rows)


def _cited(page: ReportSource) -> str:
    stands = "; it says something else by now" if page.superseded else ""
    found = f"\n  - found by {_way(page.way, page.uri)}" if page.way else ""
    return (
        f"- {_link(page.uri, page.title)}: fetched {shown_time(page.fetch_time)}, last seen to "
        f"stand {shown_time(page.verified_time)}{stands}{found}"
    )


def _pages(report: ResearchReport) -> str:
    rows = [
        (
            _link(page.uri),
            f"“{_text(page.way[-1].text)}”" if page.way else "",
            percent(page.gain) if page.way else "",
            page.use.value,
            _text(page.why),
        )
        for page in report.pages
    ]
    return _table(("page", "link", "expected gain", "use", "why"), rows)


def _way(way: Sequence[ReportLink], uri: str) -> str:
    steps = [f"→ “{_text(one.text)}” → {_link(one.uri)}" for one in way]
    return " ".join((_link(start_of(way, uri)), *steps))


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _link(uri: str, words: str = "") -> str:
    """Returns a link; of what no browser opens the words alone."""
    shown = _text(words or uri)
    return f"[{shown}]({uri.translate(_ADDRESS)})" if is_opened(uri) else shown


def _text(words: str) -> str:
    return _MARKS.sub(r"\\\g<0>", one_line(words))
