"""`scops import stackexchange`: takes in questions with their answers."""

import os
from contextlib import ExitStack, closing
from typing import Annotated

import typer
from rich.markup import escape

from scops.standalone.commands.apis.telling import end_import, since_or_none
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import diagnostics

SERVER = "https://api.stackexchange.com/2.3"
KEY = "STACKEXCHANGE_KEY"


def bring_stackexchange(
    site: Annotated[str, typer.Argument(help="As the API calls it, such as stackoverflow.")],
    *,
    tag: Annotated[
        list[str],
        typer.Option(
            help="Questions with it, or with each of several: 'python;asyncio'. May be given again."
        ),
    ],
    scope: Annotated[str, typer.Option(help="The scope whose rules say which pages are taken.")],
    since: Annotated[
        str,
        typer.Option(help="What was active from then on: 2026-03-01, an instant, or 90d."),
    ] = "",
    delay: Annotated[float, typer.Option(help="Seconds between two requests.", min=0)] = 0.5,
    server: Annotated[str, typer.Option(help="URL of the API.", hidden=True)] = SERVER,
) -> None:
    """Takes in questions of a Stack Exchange site with their answers, as of their last activity.

    A key in STACKEXCHANGE_KEY has more requests a day. Done again, it asks for what was active
    since. See docs/sources.md.
    """
    from scops.common.contract.errors import InvalidInput
    from scops.standalone.commands.apis.memory import memory_of
    from scops.standalone.commands.apis.taking import ApiImport
    from scops.standalone.commands.stackexchange.api import StackExchangeApi
    from scops.standalone.commands.stackexchange.questions import Questions

    begin = since_or_none(since)
    fault = ""
    with ExitStack() as held:
        client = held.enter_context(open_gateway())
        memory = memory_of(client, scope, "stackexchange", server, site)
        taking = ApiImport(client, scope, memory)
        api = StackExchangeApi(server, site, key=os.environ.get(KEY, ""), pause_seconds=delay)
        held.enter_context(closing(api))
        questions = Questions(api, taking, memory, site=site, since=begin)
        try:
            for each in tag:
                diagnostics.print(f"[dim]{escape(each)}[/dim]")
                questions.take(each)
        except (InvalidInput, OSError) as error:
            taking.settle()
            if isinstance(error, InvalidInput):
                raise CommandError(
                    error.message, code=Exit.INVALID_INPUT, reason="STACKEXCHANGE_API"
                ) from error
            fault = str(error)
    end_import(scope, site, taking.tally, fault, noun="questions")
