"""`scops changes` and `scops rechunk`: the versions of a scope's pages, as a whole."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated

import typer
from google.protobuf.timestamp_pb2 import Timestamp
from rich.markup import escape
from rich.text import Text

from scops.api.v1alpha1 import page_service_pb2 as pb
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.instants import parse_instant
from scops.standalone.terminal.output import Output, line, link, print_json, section, short_time
from scops.standalone.terminal.rules import reason_names

UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SPAN = re.compile(r"(\d{1,5})([mhdw])")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def changes(
    scope: Annotated[str, typer.Argument(help="The scope whose pages to look at.")],
    since: Annotated[
        str, typer.Option(help="A span such as 36h or 7d, a day (its beginning), or an instant.")
    ] = "7d",
    only: Annotated[
        str, typer.Option(help="Count only these reasons, by commas: number,date,negation …")
    ] = "",
    ignore: Annotated[str, typer.Option(help="Reasons that are noise here, by commas.")] = "",
    noise: Annotated[
        bool, typer.Option("--all", help="Also what is not semantic, or noise to the scope.")
    ] = False,
    limit: Annotated[int, typer.Option(help="At most this many pages.")] = 20,
) -> None:
    """Tells what changed on the pages of a scope between an instant and now.

    A page that shows its text of then again is not listed, however often it changed in between.
    """
    from scops.common.runtime.clock import SystemClock  # Brings asyncio.

    request = pb.WhatChangedRequest(
        scope=f"scopes/{scope}",
        since=since_instant(since, now=SystemClock().now()),
        counted_reasons=reason_names(only),
        ignored_reasons=reason_names(ignore),
        with_noise=noise,
        page_size=limit,
    )
    with open_gateway() as client:
        answer = client.call(client.pages.WhatChanged, request)
    if Output.is_json():
        print_json(answer)
        return
    for change in answer.changes:
        show_change(change)
    line(_tail(answer))


def rechunk(
    scope: Annotated[str, typer.Argument(help="The scope whose pages to chunk anew.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count, and change nothing.")] = False,
) -> None:
    """Chunks the standing versions of a scope's pages anew, after an upgrade.

    Each gets a revision; nothing counts as a change of the page. The work goes on behind.
    """
    request = pb.RechunkPagesRequest(scope=f"scopes/{scope}", dry_run=dry_run)
    with open_gateway() as client:
        answer = client.call(client.pages.RechunkPages, request)
    if Output.is_json():
        print_json(answer)
        return
    more = "at least " if answer.truncated else ""
    line(f"{more}{answer.outdated} pages outdated, {answer.asked} asked for, {answer.waiting} wait")


def since_instant(words: str, *, now: datetime) -> Timestamp:
    """Reads a span before now, a day (its beginning in UTC), or an RFC 3339 instant.

    Raises:
        CommandError: none of these.
    """
    if span := _SPAN.fullmatch(words):
        return _stamp(now - timedelta(**{UNITS[span.group(2)]: int(span.group(1))}))
    if _DAY.fullmatch(words):
        parse_instant(words)
        return _stamp(datetime.combine(date.fromisoformat(words), time.min, UTC))
    return parse_instant(words)


def show_change(change: pb.PageChange) -> None:
    """Prints a page with its heaviest edits, old and new."""
    how = ", ".join(change.change_reasons).replace("_", " ")
    weight = f" {change.salience:.2f}" if change.news == "changed" else ""
    line(
        f"[bold]{escape(change.title or change.uri)}[/bold]  [yellow]{change.news}{weight}[/yellow]"
    )
    line("  ", link(change.uri), f"  [dim]{short_time(change.observed_time)}[/dim]")
    if how:
        line(f"  [dim]{escape(how)}[/dim]")
    for edit in change.edits:
        if edit.section_path:
            line(f"  [cyan]@@ {section(edit.section_path, title=change.title)}[/cyan]")
        for mark, text, style in (("-", edit.from_text, "red"), ("+", edit.to_text, "green")):
            if text:
                line(Text(f"  {mark} {' '.join(text.split())}", style=style))
    if change.truncated:
        line("  [dim]There are more edits; `scops page diff` shows them all.[/dim]")


def _tail(answer: pb.WhatChangedResponse) -> str:
    parts = [f"{len(answer.changes)} pages"]
    if answer.suppressed:
        parts.append(f"{answer.suppressed} more changed without meaning anything else")
    if answer.returned:
        parts.append(f"{answer.returned} changed and show their text of then again")
    if answer.truncated:
        parts.append("there are more")
    return f"[dim]{'; '.join(parts)}[/dim]"


def _stamp(at: datetime) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(at.astimezone(UTC).replace(tzinfo=None))
    return stamp
