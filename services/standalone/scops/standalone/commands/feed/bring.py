"""`scops import feed`: takes in the entries of feeds."""

from collections.abc import Iterable
from contextlib import closing
from typing import Annotated

import typer
from rich.markup import escape

from scops.standalone.commands.apis.telling import end_import
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import diagnostics


def bring_feed(
    feed: Annotated[list[str], typer.Argument(help="URLs of RSS or Atom feeds.")],
    *,
    scope: Annotated[str, typer.Option(help="The scope whose rules say which pages are taken.")],
    summaries: Annotated[
        bool,
        typer.Option(
            "--summaries", help="Takes summaries, too, marked so, where a feed has no full text."
        ),
    ] = False,
    delay: Annotated[float, typer.Option(help="Seconds between two requests.", min=0)] = 1.0,
) -> None:
    """Takes in the entries of feeds with their full text, each as a page under its link.

    They are versions of when they were updated. Done again, it takes what is new. See
    docs/sources.md.
    """
    from scops.common.contract.errors import InvalidInput
    from scops.fetcher.adapters.apis.asking import PoliteApi
    from scops.standalone.commands.apis.memory import memory_of
    from scops.standalone.commands.apis.taking import ApiImport
    from scops.standalone.commands.feed.entries import FeedEntries

    fault, refused = "", dict[str, str]()
    with open_gateway() as client:
        memory = memory_of(client, scope, "feed")
        taking = ApiImport(client, scope, memory)
        entries = FeedEntries(taking, memory, summaries=summaries)
        try:
            for url in dict.fromkeys(feed):
                diagnostics.print(f"[dim]{escape(url)}[/dim]")
                with closing(PoliteApi(url, pause_seconds=delay)) as api:
                    try:
                        if not entries.take(api, url):
                            break
                    except InvalidInput as error:
                        refused[url] = error.message
        except OSError as error:
            fault = str(error)
    for url, what in entries.damaged.items():
        said = f"{url} is damaged and was read as far as it could be: {what}"
        diagnostics.print(f"[dim]{escape(said)}[/dim]")
    if refused and len(refused) == len(set(feed)):
        raise _unreadable(refused.values())
    what = f"{len(feed)} feeds" if len(feed) > 1 else feed[0]
    end_import(scope, what, taking.tally, fault, noun="entries", feeds_unchanged=entries.unchanged)
    if refused:
        raise _unreadable(refused.values())


def _unreadable(messages: Iterable[str]) -> CommandError:
    return CommandError(" ".join(messages), code=Exit.INVALID_INPUT, reason="FEED_UNREADABLE")
