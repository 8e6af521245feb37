"""`scops import firecrawl`: takes in what Firecrawl fetches of the pages of a scope."""

import os
from contextlib import ExitStack
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.markup import escape

from scops.standalone.commands.transfer.extra import needs_extra
from scops.standalone.commands.warc.telling import tell_tally
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, diagnostics, line, print_json

SERVER = "https://api.firecrawl.dev"
KEY = "FIRECRAWL_API_KEY"
CAME_BY = "firecrawl"
LIMIT = 100
SHOWN_EVERY = 20


def bring_firecrawl(
    urls: Annotated[list[str], typer.Argument(help="Pages, or sites where they begin.")],
    *,
    scope: Annotated[str, typer.Option(help="The scope whose rules say which pages are taken.")],
    mode: Annotated[
        str,
        typer.Option(
            help="scrape takes each URL alone, crawl what Firecrawl's crawl finds from there, map "
            "what its map of the site has."
        ),
    ] = "scrape",
    limit: Annotated[int, typer.Option(help="Pages of a crawl or map, each paid for.", min=1)] = (
        LIMIT
    ),
    server: Annotated[str, typer.Option(help="URL of the API, such as of your own.")] = SERVER,
) -> None:
    """Has Firecrawl fetch pages, and takes them in as fetches of now.

    For sites that the fetcher and its browser cannot read. The key is FIRECRAWL_API_KEY. Needs the
    extra `firecrawl`. See docs/sources.md.
    """
    needs_extra(("firecrawl",), extra="firecrawl")
    from scops.standalone.commands.firecrawl.documents import FirecrawlMode, FirecrawlPages
    from scops.standalone.commands.warc.records import Passed
    from scops.standalone.commands.warc.taking import WarcImport
    from scops.standalone.commands.warc.wanted import wanted_pages

    if mode not in tuple(FirecrawlMode):
        raise _refused(f"{mode!r} is no mode: scrape, crawl or map.", reason="UNKNOWN_MODE")
    key = os.environ.get(KEY, "")
    if not key:
        raise _refused(f"Set {KEY} to your key of Firecrawl.", reason="KEY_MISSING")
    faults: dict[str, str] = {}
    with ExitStack() as held:
        client = held.enter_context(open_gateway())
        wanted = wanted_pages(client, scope)
        pages = FirecrawlPages(server, key, limit=limit, admits=wanted.admits)
        taking = WarcImport(client, scope)
        for url in urls:
            try:
                for one in pages.observed(FirecrawlMode(mode), url):
                    taking.tally.records += 1
                    if isinstance(one, Passed):
                        taking.tally.leave_out(one.why)
                    else:
                        taking.take(one, CAME_BY)
                    if taking.tally.records % SHOWN_EVERY == 0:
                        diagnostics.print(f"[dim]{taking.tally.records} pages[/dim]")
            except OSError as error:
                faults[url] = str(error)
        taking.finish()
    _say(scope, asdict(taking.tally), faults)
    if faults or taking.tally.on_their_way:
        raise CommandError(
            f"{len(faults)} of {len(urls)} URLs failed, and {taking.tally.on_their_way} pages have "
            "no outcome yet. What came was taken; run the command again.",
            code=Exit.JOB_NOT_COMPLETED,
            reason="IMPORT_INCOMPLETE",
        )


def _refused(message: str, *, reason: str) -> CommandError:
    return CommandError(message, code=Exit.INVALID_INPUT, reason=reason)


def _say(scope: str, tally: dict[str, Any], faults: dict[str, str]) -> None:
    tally["pages"] = tally.pop("records")
    if Output.is_json():
        print_json({"scope": scope, **tally, "faults": faults})
        return
    tell_tally(tally, what=f"into {scope}", nothing="no pages")
    for why in faults.values():
        line(f"[red]{escape(why)}[/red]")
