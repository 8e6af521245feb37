"""`scops audit …`: who changed what, and whether that record was changed."""

from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from scops.api.v1alpha1 import audit_service_pb2 as pb
from scops.common.contract.organisations import MAIN
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.exported_audit import verified_export
from scops.standalone.terminal.instants import parse_instant
from scops.standalone.terminal.output import Output, console, line, print_json, short_time
from scops.standalone.terminal.subjects import subject_of

app = typer.Typer(help="Who changed what; for operators and administrators.", no_args_is_help=True)
PAGE_SIZE = 100


@app.command("list")
def list_entries(
    by: Annotated[str, typer.Option(help="Only what this principal did.")] = "",
    action: Annotated[str, typer.Option(help="Only this method, such as CreateScope.")] = "",
    about: Annotated[str, typer.Option(help="Only this resource, such as scopes/tarn.")] = "",
    since: Annotated[str, typer.Option(help="From this instant on.")] = "",
    until: Annotated[str, typer.Option(help="Before this instant.")] = "",
    limit: Annotated[int, typer.Option(help="Most entries; 0 exports all.", min=0)] = 50,
) -> None:
    """Lists entries, newest first; as JSON for another place with `--limit 0`."""
    request = pb.ListAuditEntriesRequest(
        page_size=min(limit, PAGE_SIZE) if limit else PAGE_SIZE,
        principal=subject_of(by),
        action=action,
        resource=about,
    )
    for field, text in (("start_time", since), ("end_time", until)):
        if text:
            getattr(request, field).CopyFrom(parse_instant(text))
    entries: list[pb.AuditEntry] = []
    with open_gateway() as client:
        while True:
            answer = client.call(client.audit.ListAuditEntries, request)
            entries += answer.entries
            request.page_token = answer.next_page_token
            if not request.page_token or (limit and len(entries) >= limit):
                break
    shown = entries[:limit] if limit else entries
    if Output.is_json():
        print_json(pb.ListAuditEntriesResponse(entries=shown))
        return
    table = Table("no", "when", "who", "what", "about", "outcome", "facts", box=box.SIMPLE_HEAD)
    for entry in shown:
        table.add_row(*(escape(cell) for cell in _row(entry)))
    console.print(table)


@app.command()
def verify(
    anchor: Annotated[
        str,
        typer.Option(help="NUMBER:HASH that was kept elsewhere: the entry must still be there."),
    ] = "",
    export: Annotated[
        Path | None,
        typer.Option(
            help="What `audit list --limit 0` printed as JSON: look at that, and ask no gateway."
        ),
    ] = None,
    organisation: Annotated[str, typer.Option(help="Whose export it is.")] = MAIN,
) -> None:
    """Computes the chain anew; says where it is broken, or the anchor to keep elsewhere."""
    number, wanted = _anchor(anchor)
    if export is not None:
        found = verified_export(export, organisation_id=organisation, anchor=(number, wanted))
        _check(found)
        _show(found)
        return
    request = pb.VerifyAuditRequest()
    with open_gateway() as client:
        if number:
            # What follows the anchor is looked at twice: that it leads on, and from the first.
            since = pb.VerifyAuditRequest(after_sequence=number, after_hash=wanted)
            _check(client.call(client.audit.VerifyAudit, since))
        while True:
            answer = client.call(client.audit.VerifyAudit, request)
            _check(answer)
            if answer.complete:
                break
            request.after_sequence, request.after_hash = answer.sequence, answer.hash
    _show(answer)


def _show(answer: pb.VerifyAuditResponse) -> None:
    if Output.is_json():
        print_json(answer)
    else:
        line(f"{answer.sequence} entries hold; anchor {answer.sequence}:{answer.hash.hex()}")


def _check(answer: pb.VerifyAuditResponse) -> None:
    if answer.broken_sequence:
        raise CommandError(
            f"The audit is broken at entry {answer.broken_sequence}: {answer.broken_reason}. "
            f"Up to {answer.sequence} it holds. Compare with a copy or the gateway's log "
            "(`audited`), which names the hash of each.",
            code=Exit.CONFLICT,
            reason="AUDIT_BROKEN",
        )


def _anchor(text: str) -> tuple[int, bytes]:
    if not text:
        return 0, b""
    number, _, digest = text.partition(":")
    try:
        return int(number), bytes.fromhex(digest)
    except ValueError as error:
        raise CommandError(
            f"{text[:100]!r} is no anchor: give NUMBER:HASH as `scops audit verify` printed it.",
            code=Exit.INVALID_INPUT,
            reason="AUDIT_ANCHOR_INVALID",
        ) from error


def _row(entry: pb.AuditEntry) -> tuple[str, ...]:
    facts = [f"{fact.name}={fact.value}" for fact in entry.facts]
    return (
        str(entry.sequence),
        short_time(entry.time),
        entry.principal + (f" (key {entry.key})" if entry.key else ""),
        entry.action,
        entry.resource or "–",
        entry.outcome,
        "\n".join(facts),
    )
