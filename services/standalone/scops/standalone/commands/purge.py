"""`scops purge …`: drops what was observed of pages, for good."""

import sys
import uuid
from collections.abc import Iterable
from typing import Annotated

import typer
from google.protobuf.timestamp_pb2 import Timestamp
from rich.markup import escape

from scops.api.v1alpha1 import purge_service_pb2 as pb
from scops.standalone.commands.page import find_page
from scops.standalone.terminal.client import GatewayClient, open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.instants import parse_instant
from scops.standalone.terminal.output import Output, last_part, line, print_json, short_time

app = typer.Typer(
    help="Drops what was observed of pages, for good: texts, versions, chunks, raw bodies.",
    invoke_without_command=True,
)
DATE_CHARACTERS = len("2026-01-01")

Pages = Annotated[
    list[str] | None, typer.Option("--page", help="A page, by id or URL; may be repeated.")
]
Prefixes = Annotated[
    list[str] | None,
    typer.Option(
        "--prefix", help="Pages below it: host, host/path or file://NAME; may be repeated."
    ),
]
ScopeName = Annotated[str, typer.Option("--scope", help="Pages that this scope holds now.")]
Before = Annotated[
    str,
    typer.Option(
        "--before", help="Only what was observed before this instant, or before this day began."
    ),
]


@app.callback()
def purge(
    context: typer.Context,
    page: Pages = None,
    prefix: Prefixes = None,
    scope: ScopeName = "",
    before: Before = "",
    reason: Annotated[str, typer.Option(help="Why; kept with the record.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count only.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Drops what was observed of the pages that satisfy each option given, for good.

    It says what would go and asks first. A page may be fetched again by a later crawl: exclude it
    from its scopes (scops scope update --exclude) to keep it away.
    """
    if context.invoked_subcommand is not None:
        return
    with open_gateway() as client:
        request = pb.PurgePagesRequest(
            pages=[find_page(client, name).name for name in page or ()],
            uri_prefixes=[_bare(one) for one in prefix or ()],
            scope=f"scopes/{scope}" if scope else "",
            before_time=_instant(before) if before else None,
            reason=reason,
            dry_run=True,
            request_id=str(uuid.uuid4()),
        )
        if dry_run or not yes:
            found = client.call(client.purges.PurgePages, request)
            _show_preview(found)
            if dry_run or not _is_wanted():
                return
        request.dry_run = False
        _show(client.call(client.purges.PurgePages, request).purge)


@app.command("list")
def list_purges() -> None:
    """Lists the newest purges."""
    with open_gateway() as client:
        answer = client.call(client.purges.ListPurges, pb.ListPurgesRequest(page_size=50))
    if Output.is_json():
        print_json(answer)
        return
    for one in answer.purges:
        line(_summary(one))


@app.command()
def show(name: Annotated[str, typer.Argument(metavar="PURGE")]) -> None:
    """Shows who asked for a purge, why, and what each owner has dropped."""
    with open_gateway() as client:
        _show(_found(client, name))


def _found(client: GatewayClient, name: str) -> pb.Purge:
    request = pb.GetPurgeRequest(name=f"purges/{last_part(name)}")
    found: pb.Purge = client.call(client.purges.GetPurge, request).purge
    return found


def _is_wanted() -> bool:
    if not sys.stdin.isatty():
        raise CommandError(
            "Nothing was purged: it cannot be undone. Add --yes, or --dry-run to look only.",
            code=Exit.INVALID_INPUT,
            reason="PURGE_NOT_CONFIRMED",
        )
    return typer.confirm("Drop all of this for good?", err=True)


def _show_preview(found: pb.PurgePagesResponse) -> None:
    if Output.is_json():
        print_json(found)
        return
    line(f"would drop {_counts(found.counts)}")
    for uri in found.example_uris:
        line(f"  {escape(uri)}")


def _show(purge: pb.Purge) -> None:
    if Output.is_json():
        print_json(purge)
        return
    line(_summary(purge))
    for one in purge.progress:
        done = "done" if one.done else "under way"
        line(f"  {one.owner:<16} {done:<10} {_counts(one.counts)}")
    if purge.state == pb.Purge.STATE_RUNNING:
        line(f"follow it: scops purge show {last_part(purge.name)}")


def _summary(purge: pb.Purge) -> str:
    state = pb.Purge.State.Name(purge.state).removeprefix("STATE_").lower()
    chosen = [*purge.pages, *(f"{prefix}/**" for prefix in purge.uri_prefixes)]
    what = ", ".join([*chosen, *([purge.scope] if purge.scope else [])]) or "every page"
    reason = f": {purge.reason}" if purge.reason else ""
    return (
        f"[dim]{short_time(purge.create_time)}[/dim] purge {last_part(purge.name)} by "
        f"{escape(purge.principal)}: [bold]{state}[/bold], {escape(what)} before "
        f"{short_time(purge.before_time)}{escape(reason)}"
    )


def _counts(counts: Iterable[pb.PurgeCount]) -> str:
    return ", ".join(f"{one.count} {one.kind}" for one in counts) or "nothing"


def _bare(prefix: str) -> str:
    """Returns a prefix as rules write it, also where somebody pastes a URL.

    The scheme of a collection of files stays: it is what tells it from a host.
    """
    if prefix.startswith("file://"):
        return prefix.rstrip("/")
    return prefix.split("://", 1)[-1].rstrip("/")


def _instant(text: str) -> Timestamp:
    # A day is named to keep it: what was observed on it is not before it.
    return parse_instant(f"{text}T00:00:00Z" if len(text) == DATE_CHARACTERS else text)
