"""`scops page trace`: what every service has on record of one page.

What reads the services' state is imported where it is used; see `app`.
"""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from scops.standalone.terminal.output import Output, diagnostics, line, link, print_json

if TYPE_CHECKING:
    from scops.common.observe.page_trace import TraceEntry
    from scops.standalone.process.page_trace import PageTrace

DIGEST_CHARACTERS = 12


def trace(page: Annotated[str, typer.Argument(help="A page id or its URL.")]) -> None:
    """Prints a page's fetches, events, rows and blobs through all services, by time.

    It reads the services' state itself, as `scops reconcile` does, whether or not they run.
    """
    import asyncio

    from scops.standalone.process.page_trace import trace_page

    found = asyncio.run(trace_page(page))
    if Output.is_json():
        print_json(_as_json(found))
        return
    first, *others = found.urls
    line(link(first))
    line(f"  id {found.page_id}, {found.status}")
    for url in others:
        line("  also", link(url))
    for entry in found.entries:
        _show(entry, found.missing)
    if found.bus_problem:
        diagnostics.print(f"Dead letters are left out: {escape(found.bus_problem)}")


def _show(entry: "TraceEntry", missing: frozenset[str]) -> None:
    fetch = f"  fetch {entry.fetch_id}" if entry.fetch_id else ""
    head = f"{_shown(entry.time)}  {entry.service:<15} [bold]{entry.what}[/bold]{fetch}"
    facts = [f"{name.replace('_', ' ')} {_shown(value)}" for name, value in _told(entry).items()]
    blobs = [
        f"{name} {digest[:DIGEST_CHARACTERS]}{' MISSING' if digest in missing else ''}"
        for name, digest in entry.blobs.items()
    ]
    line(head)
    for words in (facts, blobs):
        if words:
            line(f"    [dim]{escape(', '.join(words))}[/dim]")


def _as_json(found: "PageTrace") -> dict[str, Any]:
    return {
        "page_id": found.page_id,
        "urls": found.urls,
        "status": found.status,
        "entries": [
            {
                "time": entry.time.isoformat(),
                "service": entry.service,
                "what": entry.what,
                "fetch_id": entry.fetch_id,
                "facts": {name: _shown(value) for name, value in _told(entry).items()},
                "blobs": {
                    name: {"digest": digest, "missing": digest in found.missing}
                    for name, digest in entry.blobs.items()
                },
            }
            for entry in found.entries
        ],
        "bus_problem": found.bus_problem,
    }


def _told(entry: "TraceEntry") -> dict[str, object]:
    return {name: value for name, value in entry.facts.items() if value not in ("", None, False)}


def _shown(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S.%f}"[:-3] + "Z"
    return str(value)
