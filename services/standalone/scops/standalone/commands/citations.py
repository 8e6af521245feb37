"""`scops citations`: what became of the citations of a stored answer."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from google.protobuf.json_format import ParseDict, ParseError
from rich.markup import escape

from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.common.contract.errors import InvalidInput
from scops.standalone.commands.page import show_hunk
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import Exit
from scops.standalone.terminal.output import (
    Output,
    console,
    line,
    link,
    print_json,
    short_id,
    short_time,
)

SAID = {
    pb.ResolvedCitation.ANCHOR_SAME: "[green]still there[/green]",
    pb.ResolvedCitation.ANCHOR_MOVED: "[cyan]moved[/cyan]",
    pb.ResolvedCitation.ANCHOR_SUPERSEDED: "[yellow]superseded[/yellow]",
    pb.ResolvedCitation.ANCHOR_TOMBSTONE: "[red]not kept any more[/red]",
}
STDIN = "-"


def citations(
    answer: Annotated[
        str, typer.Argument(help="A file that `scops --output json ask` wrote; - for stdin.")
    ],
) -> None:
    """Looks the citations of a stored answer up again: same, moved, superseded or gone."""
    request = pb.ResolveCitationsRequest(citations=_stored(answer))
    with open_gateway() as client:
        resolved = client.call(client.search.ResolveCitations, request)
    if Output.is_json():
        print_json(resolved)
    else:
        for entry in resolved.citations:
            _show(entry)
    if any(entry.anchor != pb.ResolvedCitation.ANCHOR_SAME for entry in resolved.citations):
        raise typer.Exit(Exit.NOT_ANSWERED)


def _stored(answer: str) -> list[pb.Citation]:
    try:
        text = sys.stdin.read() if answer == STDIN else Path(answer).read_text()
        document: Any = json.loads(text)
        found = [ParseDict(entry, pb.Citation()) for entry in document["citations"]]
    except (OSError, ValueError, TypeError, KeyError, ParseError) as error:
        raise InvalidInput(
            f"{answer} is no stored answer: {error}. Store one with "
            "`scops --output json ask … > answer.json`.",
            reason="NO_STORED_ANSWER",
        ) from error
    if not found:
        raise InvalidInput(f"{answer} cites nothing.", reason="NO_STORED_ANSWER")
    return found


def _show(entry: pb.ResolvedCitation) -> None:
    number = escape(f"[{entry.number}]")
    said = SAID.get(entry.anchor, "[red]cannot be told[/red]")
    line(f"[cyan]{number}[/cyan] {said}  {escape(entry.quote)}")
    line("   ", link(entry.uri))
    if entry.reason:
        line(f"    {escape(entry.reason)}{_when(entry)}")
    elif entry.HasField("head_start"):
        where = f"characters {entry.head_start}–{entry.head_end}"
        line(f"    [dim]version {short_id(entry.head_version)}, {where}[/dim]")
    for hunk in entry.diff:
        show_hunk(hunk)
    console.print()


def _when(entry: pb.ResolvedCitation) -> str:
    if entry.anchor != pb.ResolvedCitation.ANCHOR_SUPERSEDED:
        return ""
    until, since = short_time(entry.stood_until_time), short_time(entry.superseded_time)
    return f" It went between {until} and {since}."
