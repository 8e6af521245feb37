"""`scops import mediawiki`: takes in the revisions of a wiki's pages."""

from contextlib import ExitStack, closing
from typing import Annotated

import typer
from rich.markup import escape

from scops.standalone.commands.apis.telling import end_import, since_or_none
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import diagnostics

REVISIONS = 20


def bring_mediawiki(
    api: Annotated[str, typer.Argument(help="URL of the wiki's api.php.")],
    *,
    scope: Annotated[str, typer.Option(help="The scope whose rules say which pages are taken.")],
    title: Annotated[
        list[str] | None,
        typer.Option(help="A page by its title; may be given again. Without one, all pages."),
    ] = None,
    prefix: Annotated[str, typer.Option(help="Only pages whose titles begin so.")] = "",
    namespace: Annotated[int, typer.Option(help="Of all pages: the namespace's number.")] = 0,
    revisions: Annotated[
        int, typer.Option(help="Of each page so many, the newest; 0 takes all.", min=0)
    ] = REVISIONS,
    since: Annotated[
        str, typer.Option(help="Only revisions from then on: 2026-03-01, an instant, or 90d.")
    ] = "",
    delay: Annotated[float, typer.Option(help="Seconds between two requests.", min=0)] = 1.0,
) -> None:
    """Takes in the revisions of a wiki's pages as versions of the time when they were saved.

    The wiki's API gives the history that its HTML does not show; versions say which revision they
    are. Done again, it takes in what is missing. See docs/sources.md.
    """
    from scops.common.contract.errors import InvalidInput
    from scops.standalone.commands.mediawiki.api import WikiApi
    from scops.standalone.commands.mediawiki.history import WikiHistory
    from scops.standalone.commands.warc.taking import WarcImport
    from scops.standalone.commands.warc.wanted import wanted_pages

    begin = since_or_none(since)
    fault = ""
    with ExitStack() as held:
        wiki = held.enter_context(closing(WikiApi(api, pause_seconds=delay)))
        client = held.enter_context(open_gateway())
        taking = WarcImport(client, scope)
        history = WikiHistory(
            wiki, taking, wanted_pages(client, scope), client, revisions=revisions, since=begin
        )
        try:
            history.begin()
            titles = title or wiki.titles(namespace=namespace, prefix=prefix)
            for each in titles:
                history.take(each)
                diagnostics.print(f"[dim]{escape(each)}[/dim]")
        except InvalidInput as error:
            taking.finish()
            raise CommandError(
                error.message, code=Exit.INVALID_INPUT, reason="MEDIAWIKI_API"
            ) from error
        except OSError as error:
            fault = str(error)
        taking.finish()
    end_import(
        scope,
        f"{history.pages} pages",
        taking.tally,
        fault,
        noun="revisions",
        pages=history.pages,
    )
