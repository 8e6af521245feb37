"""`scops page …`: pages, their versions and differences."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from scops.api.v1alpha1 import page_service_pb2 as pb
from scops.standalone.commands.job import joined_text
from scops.standalone.commands.page_trace import trace
from scops.standalone.commands.signals import changed
from scops.standalone.commands.transfer.capture import capture
from scops.standalone.terminal.client import GatewayClient, open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.instants import parse_instant
from scops.standalone.terminal.output import (
    Output,
    console,
    last_part,
    line,
    link,
    print_json,
    section,
    short_id,
    short_time,
    write,
)

app = typer.Typer(help="Pages, their versions and differences.", no_args_is_help=True)
READ_AT_ONCE = 80_000
BLOCK_CHARACTERS_MAX = 100
# What a volatile block does.
FLIPS = {
    "text": "came or went",
    "numbers": "had other numbers",
    "place": "gave way to another text",
}
SHORT_ID = re.compile(r"[0-9a-f]{4,35}")
PageName = Annotated[str, typer.Argument(help="A page id or its URL.")]
# As wdiff writes them, so that a difference survives where colours do not.
MARKS = {pb.DiffPart.KIND_DELETE: ("[-", "-]"), pb.DiffPart.KIND_INSERT: ("{+", "+}")}
STYLES = {
    pb.DiffPart.KIND_EQUAL: "dim",
    pb.DiffPart.KIND_DELETE: "red strike",
    pb.DiffPart.KIND_INSERT: "green",
}


@app.command("list")
def list_pages(
    scope: Annotated[str, typer.Option(help="The scope whose pages to list.")],
    limit: Annotated[int, typer.Option(help="At most this many.")] = 100,
) -> None:
    """Lists the known pages of a scope."""
    pages: list[pb.Page] = []
    with open_gateway() as client:
        token = ""
        while len(pages) < limit:
            request = pb.ListPagesRequest(
                scope=f"scopes/{scope}", page_size=min(limit, 100), page_token=token
            )
            answer = client.call(client.pages.ListPages, request)
            pages += answer.pages
            token = answer.next_page_token
            if not token:
                break
    if Output.is_json():
        print_json(pb.ListPagesResponse(pages=pages[:limit], next_page_token=token))
        return
    for page in pages[:limit]:
        line(f"{page.status:<10} {short_time(page.last_fetch_time):<20} ", link(page.uri))


@app.command()
def show(page: PageName) -> None:
    """Shows what is known of a page, and when it is fetched next."""
    with open_gateway() as client:
        found = find_page(client, page)
    if Output.is_json():
        print_json(found)
        return
    line(link(found.uri))
    why = joined_text(found.last_reason, found.joined_uri) or escape(found.last_reason)
    line(f"  id {last_part(found.name)}, {found.status} {why}".rstrip())
    if found.captured_by:
        seen = f"{escape(found.captured_by)} at {short_time(found.last_fetch_time)}"
        line(f"  captured by {seen}")
    else:
        line(f"  last fetch {short_time(found.last_fetch_time)}, {escape(found.plan)}")
    line(f"  scopes {', '.join(last_part(scope) for scope in found.scopes) or '–'}")
    for alias in found.aliases:
        line("  also ", link(alias))


@app.command()
def read(
    page: PageName,
    version: Annotated[str, typer.Option(help="A version's id, latest or previous.")] = "",
    as_of: Annotated[str, typer.Option(help="As the page stood at this instant.")] = "",
    part: Annotated[
        list[str] | None,
        typer.Option("--section", help="A heading; again for the ones inside it."),
    ] = None,
) -> None:
    """Prints what a page says, or said: its clean text, or a section of it."""
    request = pb.ReadPageRequest(version=version, section=part or [], character_limit=READ_AT_ONCE)
    if as_of:
        request.as_of_time.CopyFrom(parse_instant(as_of))
    with open_gateway() as client:
        request.name = find_page(client, page).name
        answer = whole = client.call(client.pages.ReadPage, request)
        while answer.end < answer.wanted_end:
            # What is read on is of the same version, whatever comes meanwhile.
            request.ClearField("as_of_time")
            request.version, request.start = whole.version, answer.end
            answer = client.call(client.pages.ReadPage, request)
            whole.text += answer.text
            whole.end = answer.end
    if Output.is_json():
        print_json(whole)
        return
    line(link(whole.page.uri))
    seen, until = short_time(whole.observed_from_time), "now"
    if whole.HasField("observed_to_time"):
        until = short_time(whole.observed_to_time)
    line(f"[dim]version {short_id(whole.version)}, shown from {seen} until {until}[/dim]")
    write(whole.text)


@app.command()
def history(
    page: PageName,
    scope: Annotated[str, typer.Option(help="A scope whose rule says which changes count.")] = "",
) -> None:
    """Lists the versions of a page, newest first; `!` marks the changes that count."""
    with open_gateway() as client:
        found = find_page(client, page)
        request = pb.ListPageVersionsRequest(
            name=found.name, scope=f"scopes/{scope}" if scope else ""
        )
        answer = client.call(client.pages.ListPageVersions, request)
    if Output.is_json():
        print_json(answer)
        return
    line(link(found.uri))
    if answer.closed:
        why = joined_text(found.last_reason, found.joined_uri) or escape(answer.closed_reason)
        line(f"closed since {short_time(answer.closed_time)}: {why}")
    table = Table("version", "from", "until", "change", box=box.SIMPLE_HEAD)
    for column in table.columns[:-1]:
        column.no_wrap = True
    for version in answer.versions:
        table.add_row(
            short_id(version.version),
            short_time(version.observed_from_time),
            short_time(version.observed_to_time),
            escape(f"{_change(version)}{f' (pinned {version.pin})' if version.pin else ''}"),
        )
    console.print(table)
    if answer.truncated:
        line("[dim]There are older versions.[/dim]")


@app.command()
def diff(
    page: PageName,
    from_version: Annotated[str, typer.Option("--from", help="A version id, or previous.")] = "",
    to_version: Annotated[str, typer.Option("--to", help="A version id, or latest.")] = "",
    html: Annotated[
        Path | None, typer.Option(help="Write the difference to this file, as HTML.")
    ] = None,
) -> None:
    """Compares two versions of a page, word by word; by default the newest two."""
    with open_gateway() as client:
        found = find_page(client, page)
        request = pb.DiffPageVersionsRequest(
            name=found.name,
            from_version=version_id(client, found, from_version),
            to_version=version_id(client, found, to_version),
        )
        answer = client.call(client.pages.DiffPageVersions, request)
    if html is not None:
        html.write_text(_html(answer, uri=found.uri), encoding="utf-8")
    if Output.is_json():
        print_json(answer)
        return
    line(f"[red]--- {short_id(answer.from_version)}[/red]")
    line(f"[green]+++ {short_id(answer.to_version)}[/green]")
    for hunk in answer.hunks:
        show_hunk(hunk)
    if not answer.hunks:
        line("no difference")
    if answer.truncated:
        line("[dim]The difference is longer than this.[/dim]")


@app.command()
def volatile(
    page: PageName,
    loud: Annotated[
        str, typer.Option(help="A block of the list: its changes are news from now on.")
    ] = "",
    quiet: Annotated[
        str, typer.Option(help="A block of the list: its changes are judged by its history.")
    ] = "",
) -> None:
    """Lists the blocks of a page that change without end, so that their changes are no news.

    What comes to stay in one is news after all; --loud has every change of a block be news.
    """
    if loud and quiet:
        raise CommandError(
            "Name a block with --loud or with --quiet, one of them.",
            code=Exit.INVALID_INPUT,
            reason="LOUD_OR_QUIET",
        )
    with open_gateway() as client:
        found = find_page(client, page)
        if loud or quiet:
            block = pb.SetVolatileBlockRequest(
                name=found.name, block=loud or quiet, loud=bool(loud)
            )
            client.call(client.pages.SetVolatileBlock, block)
        request = pb.ListVolatileBlocksRequest(name=found.name)
        answer = client.call(client.pages.ListVolatileBlocks, request)
    if Output.is_json():
        print_json(answer)
        return
    line(link(found.uri))
    for one in answer.blocks:
        words = " ".join(one.text.split())
        line(f"  {escape(one.block)}  {escape(words[:BLOCK_CHARACTERS_MAX])}")
        line(f"    [dim]{escape(_volatile_words(one))}[/dim]")
    if not answer.blocks:
        line("No block is volatile.")


def _volatile_words(block: pb.VolatileBlock) -> str:
    why = FLIPS.get(block.kind, block.kind)
    words = f"{why} {block.flips} times, last on {short_time(block.flipped_time)}"
    if block.HasField("volatile_time"):
        words = f"{words}; no news since {short_time(block.volatile_time)}"
    if block.loud:
        return f"{words}; loud: its changes are news"
    waiting = "; the newest was no news" if block.untold else ""
    return f"{words}{waiting}; calm after {block.looks_left} more looks without"


app.command("trace")(trace)
app.command("capture")(capture)
app.command("changed")(changed)


def _html(answer: pb.DiffPageVersionsResponse, *, uri: str) -> str:
    """Returns a difference as a page of its own, as notebooks show it."""
    # Only who wants it pays for its import.
    from scops.client.codec import read
    from scops.client.html.changes import diff_html
    from scops.client.html.parts import page
    from scops.client.values.pages import PageDiff

    return page(uri, diff_html(read(PageDiff, answer)))


def show_hunk(hunk: pb.DiffHunk) -> None:
    """Prints one changed block: deletions as [-red-], insertions as {+green+}."""
    if hunk.section_path or hunk.change_class:
        where = f"[cyan]@@ {section(hunk.section_path)}[/cyan]"
        line(f"{where}  {_class_words(hunk)}" if hunk.change_class else where)
    words = Text()
    for part in hunk.parts:
        before, after = MARKS.get(part.kind, ("", ""))
        words.append(f"{before}{part.text}{after}", style=STYLES.get(part.kind, ""))
    line(words)


def _class_words(hunk: pb.DiffHunk) -> str:
    colour = "bold yellow" if hunk.semantic else "dim"
    return f"[{colour}]{escape(change_words(hunk.change_class, hunk.change_reasons))}[/{colour}]"


def find_page(client: GatewayClient, page: str) -> pb.Page:
    by_url = "://" in page
    request = pb.GetPageRequest(
        uri=page if by_url else "", name="" if by_url else f"pages/{last_part(page)}"
    )
    return client.call(client.pages.GetPage, request).page


def version_id(client: GatewayClient, page: pb.Page, words: str) -> str:
    """Returns the whole id for its first characters; other words are left to the gateway."""
    if not SHORT_ID.fullmatch(words):
        return words
    request = pb.ListPageVersionsRequest(name=page.name)
    versions = client.call(client.pages.ListPageVersions, request).versions
    matching = [one.version for one in versions if one.version.startswith(words)]
    if len(matching) == 1:
        return matching[0]
    problem = "Several versions" if matching else "No version"
    raise CommandError(
        f"{problem} of {page.uri} begin with {words}; `scops --output json page history "
        f"{page.uri}` lists whole ids.",
        code=Exit.INVALID_INPUT if matching else Exit.NOT_FOUND,
        reason="VERSION_AMBIGUOUS" if matching else "VERSION_NOT_FOUND",
    )


def _change(version: pb.PageVersion) -> str:
    if version.restored_version:
        return f"restored from {short_id(version.restored_version)}"
    if version.pipeline_changed:
        return "read anew by a newer pipeline"
    if version.dropped_reason:
        return f"{version.dropped_reason} on {short_time(version.dropped_time)}"
    words = change_words(version.change_class, version.change_reasons)
    return f"! {words}" if version.counts else words


def change_words(change_class: str, reasons: Sequence[str]) -> str:
    """Returns a change as words, such as `lexical: simhash, cosine` or `first version`."""
    why = ", ".join(reason.replace("_", " ") for reason in reasons)
    if change_class == "none":
        return why or "no change"
    return f"{change_class}: {why}" if why else change_class
