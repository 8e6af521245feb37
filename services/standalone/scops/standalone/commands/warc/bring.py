"""`scops import warc`: takes in what WARC files say of the pages of a scope."""

from contextlib import ExitStack, closing
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import chain
from typing import Annotated, Any

import typer
from rich.markup import escape

from scops.standalone.commands.transfer.extra import needs_extra
from scops.standalone.commands.warc.telling import tell_tally
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, diagnostics, line, print_json

SHOWN_EVERY = 1_000


def bring_warc(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            help="WARC and WACZ files, folders of them, patterns such as 'crawl-*.warc.gz', URLs."
        ),
    ] = None,
    *,
    scope: Annotated[str, typer.Option(help="The scope whose rules say which pages are taken.")],
    index: Annotated[
        list[str] | None,
        typer.Option(
            help="A CDXJ, WACZ or Parquet file, or its URL: only the records are read that it "
            "names and the scope holds. May be given again."
        ),
    ] = None,
    base: Annotated[
        str,
        typer.Option(
            help="The folder or URL below which the files of an index lie; else that of the index."
        ),
    ] = "",
) -> None:
    """Takes in the records of WARC files as fetches of their time, where the scope holds the page.

    Versions are dated by WARC-Date and say which file they came by. Done again, it takes in what
    is missing; one that was interrupted goes on in that way. See docs/warc.md.
    """
    if not files and not index:
        raise CommandError(
            "Nothing is named. Give files, folders, patterns or URLs, or an index by --index.",
            code=Exit.INVALID_INPUT,
            reason="WARC_NOT_FOUND",
        )
    from scops.standalone.commands.warc.chosen import ChosenRecords
    from scops.standalone.commands.warc.places import is_parquet
    from scops.standalone.commands.warc.records import Passed, WarcReader
    from scops.standalone.commands.warc.sources import sources_of
    from scops.standalone.commands.warc.taking import WarcImport
    from scops.standalone.commands.warc.wanted import wanted_pages
    from scops.standalone.commands.warc.web_files import WebFiles

    if any(map(is_parquet, index or [])):
        needs_extra(("pyarrow", "surt"))
    damaged: dict[str, str] = {}
    read: dict[str, None] = {}
    with ExitStack() as held:
        web = held.enter_context(closing(WebFiles()))
        named = sources_of(files or [], web)
        client = held.enter_context(open_gateway())
        wanted = wanted_pages(client, scope)
        chosen = held.enter_context(closing(ChosenRecords(wanted, web)))
        reader = WarcReader(wanted.admits, now=datetime.now(UTC))
        taking = WarcImport(client, scope)
        for file in chain(named, chosen.sources(index or [], base)):
            read[file.name] = None
            try:
                for one in file.read(reader):
                    taking.tally.records += 1
                    if isinstance(one, Passed):
                        taking.tally.leave_out(one.why)
                    else:
                        taking.take(one, f"warc:{file.name}")
                    if taking.tally.records % SHOWN_EVERY == 0:
                        diagnostics.print(f"[dim]{taking.tally.records} records[/dim]")
            except OSError as error:
                damaged[file.name] = str(error)
        taking.finish()
    _say(scope, len(read), asdict(taking.tally), damaged)
    if damaged or taking.tally.on_their_way:
        raise _incomplete(damaged, taking.tally.on_their_way)


def _say(scope: str, files: int, tally: dict[str, Any], damaged: dict[str, str]) -> None:
    if Output.is_json():
        print_json({"scope": scope, "files": files, **tally, "damaged": damaged})
        return
    tell_tally(tally, what=f"{files} files into {scope}", nothing="no records")
    for name, why in damaged.items():
        line(f"[red]{escape(name)}[/red]: {escape(why)}")


def _incomplete(damaged: dict[str, str], on_their_way: int) -> CommandError:
    said = []
    if damaged:
        said.append(
            f"{', '.join(damaged)} cannot be read to the end; what stands before the damage was "
            "taken. Fetch the file again."
        )
    if on_their_way:
        said.append(
            f"{on_their_way} observations have no outcome yet, and nothing new came for two "
            "minutes. See `scops doctor`, then run the command again."
        )
    return CommandError(" ".join(said), code=Exit.JOB_NOT_COMPLETED, reason="IMPORT_INCOMPLETE")
