"""`scops templates`: what hosts repeat, and what is therefore not searched on every page."""

from typing import Annotated

import typer
from rich.markup import escape

from scops.api.v1alpha1 import page_service_pb2 as pb
from scops.standalone.commands.page import find_page
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, line, print_json

TEXT_CHARACTERS_MAX = 100


def templates(
    scope: Annotated[str, typer.Argument(help="The scope whose hosts to look at.")] = "",
    page: Annotated[str, typer.Option(help="A page id or URL: what it leaves out.")] = "",
) -> None:
    """Lists the blocks that hosts repeat: menus, banners, counters.

    They stay in every version's text; chunks leave them out on all pages but one.
    """
    if bool(scope) == bool(page):
        raise CommandError(
            "Name a scope, or a page with --page.", code=Exit.INVALID_INPUT, reason="SCOPE_OR_PAGE"
        )
    with open_gateway() as client:
        request = (
            pb.ListTemplatesRequest(scope=f"scopes/{scope}")
            if scope
            else pb.ListTemplatesRequest(page=find_page(client, page).name)
        )
        answer = client.call(client.pages.ListTemplates, request)
    if Output.is_json():
        print_json(answer)
        return
    for host in answer.hosts:
        line(f"[bold]{escape(host.host)}[/bold]  epoch {host.epoch}, {host.page_count} pages")
        for block in host.blocks:
            state = "  [dim](no longer)[/dim]" if block.retired else ""
            line(f"  {block.page_count:>5}  {_shown(block.text)}{state}")
            line(f"         [dim]searched on {escape(block.keeper_uri)}[/dim]")
    for text in answer.left_out:
        line(f"  {_shown(text)}")
    if not answer.hosts and not answer.left_out:
        line("Nothing is left out.")


def _shown(text: str) -> str:
    words = " ".join(text.split())
    cut = words if len(words) <= TEXT_CHARACTERS_MAX else words[:TEXT_CHARACTERS_MAX] + "…"
    return escape(cut)
