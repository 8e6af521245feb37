"""`scops add`: takes files of this machine into a scope, and says what became of them."""

import re
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from scops.standalone.commands.files.adding import AddedFiles, Adding
from scops.standalone.commands.files.finding import FoundFiles, find_files
from scops.standalone.commands.files.keywords import with_keywords
from scops.standalone.commands.files.watching import needs_extra, run_at_changes
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, diagnostics, line, print_json

UNREAD_SHOWN_MAX = 50
_COLLECTION = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


def add(
    paths: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders, and patterns such as 'docs/**/*.md'. PDF, DOCX, ODT, EPUB, HTML, "
            "Markdown, text, and JSON lines with a document each."
        ),
    ],
    scope: Annotated[str, typer.Option(help="The scope that alone has them.")],
    name: Annotated[
        str,
        typer.Option(
            help="Of the collection: files are file://NAME/path. Without it, the scope's."
        ),
    ] = "",
    root: Annotated[
        Path | None,
        typer.Option(help="The folder that paths begin at; without it, each folder itself."),
    ] = None,
    keywords: Annotated[
        Path | None,
        typer.Option(
            help="A folder of lists of keywords, one a line, which go with texts of their names: "
            "7.key with docs/7.txt."
        ),
    ] = None,
    prune: Annotated[
        bool,
        typer.Option("--prune", help="Close the pages of files that the folder holds no more."),
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on as files change, until Ctrl-C.")
    ] = False,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Wait until they are in the index.")
    ] = True,
    timeout_seconds: Annotated[
        float, typer.Option(help="Give up waiting after this; they are indexed all the same.")
    ] = 600.0,
) -> None:
    """Takes files into a scope; done again, it takes what is new or changed, as new versions.

    Their pages are called file://NAME/path: neither this machine nor its folders are named. Links
    are not followed, and hidden files are left out. See docs/sources.md.
    """
    collection = name or scope
    _check(paths, collection, prune=prune)
    if watch:
        needs_extra()
    with open_gateway() as client:
        adding = Adding(client, scope, collection)

        def once() -> AddedFiles:
            found = find_files(paths, root=root)
            if keywords is not None:
                found.files = with_keywords(found.files, keywords)
            if prune and not found.files:
                raise _nothing_left(paths[0])
            seconds = timeout_seconds if wait else 0.0
            below = _below(paths[0], root) if prune else None
            tally = _add(adding, found, below=below, seconds=seconds)
            if not watch or not tally.is_quiet:
                _say(scope, collection, found, tally)
            return tally

        if watch:
            run_at_changes(paths, once)
        tally = once()
    if tally.unread or (wait and tally.on_their_way):
        raise typer.Exit(Exit.JOB_NOT_COMPLETED)


def _add(adding: Adding, found: FoundFiles, *, below: str | None, seconds: float) -> AddedFiles:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    tally = AddedFiles()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    hidden = not diagnostics.is_terminal
    with Progress(*columns, console=diagnostics, transient=True, disable=hidden) as progress:
        sending = progress.add_task("reading files", total=len(found.files))
        for done in adding.add(found, tally):
            progress.update(sending, completed=done)
        if below is not None:
            adding.prune(below, tally)
        total = tally.added + tally.changed
        waiting = progress.add_task("indexing", total=total)
        for left in adding.wait(tally, seconds=seconds):
            progress.update(waiting, completed=total - left)
    return tally


def _say(scope: str, collection: str, found: FoundFiles, tally: AddedFiles) -> None:
    left_out = {why: count for why, count in sorted(found.left_out.items()) if count}
    if Output.is_json():
        said = {"scope": scope, "collection": collection, **asdict(tally), "left_out": left_out}
        print_json(said)
        return
    counts = {
        "added": tally.added,
        "changed": tally.changed,
        "unchanged": tally.unchanged,
        "closed": tally.closed,
        "on their way": tally.on_their_way,
        "not taken": len(tally.unread),
    }
    said_counts = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    line(escape(f"file://{collection} in {scope}: {said_counts or 'no files'}"))
    if left_out:
        words = ", ".join(f"{count} {why}" for why, count in left_out.items())
        line(f"[dim]left out: {escape(words)}[/dim]")
    for one in tally.unread[:UNREAD_SHOWN_MAX]:
        line(f"[red]{escape(one.uri)}[/red]: {escape(one.why)}")
    if len(tally.unread) > UNREAD_SHOWN_MAX:
        line(f"[dim]and {len(tally.unread) - UNREAD_SHOWN_MAX} more; --output json has all[/dim]")


def _check(paths: list[str], collection: str, *, prune: bool) -> None:
    if _COLLECTION.fullmatch(collection) is None:
        raise CommandError(
            f"{collection!r} is no name of a collection: lower-case letters, digits and dashes, "
            "63 at most. Give one with --name.",
            code=Exit.INVALID_INPUT,
            reason="COLLECTION_INVALID",
        )
    if prune and (len(paths) != 1 or not Path(paths[0]).is_dir()):
        raise CommandError(
            "--prune compares a collection with one folder. Name the folder alone.",
            code=Exit.INVALID_INPUT,
            reason="PRUNE_WITHOUT_FOLDER",
        )


def _below(folder: str, root: Path | None) -> str:
    """Returns what of the collection a folder stands for; empty for all of it."""
    if root is None:
        return ""
    named = Path(folder).resolve().relative_to(root.resolve()).as_posix()
    return "" if named == "." else named


def _nothing_left(folder: str) -> CommandError:
    return CommandError(
        f"{folder} holds no file that can be read, so that --prune would close every page of the "
        "collection. See that it is mounted; `scops purge` drops a collection on purpose.",
        code=Exit.INVALID_INPUT,
        reason="PRUNE_OF_EMPTY_FOLDER",
    )
