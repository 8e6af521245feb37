"""`scops page changed`: has pages fetched now that are known to have changed."""

from typing import Annotated

import typer
from rich.markup import escape

from scops.api.v1alpha1 import page_service_pb2 as pb
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import Exit
from scops.standalone.terminal.output import Output, line, link, print_json

TAKEN = ("due", "new")


def changed(
    urls: Annotated[list[str], typer.Argument(help="URLs of the pages.")],
    scope: Annotated[str, typer.Option(help="The scope whose rules hold them.")],
) -> None:
    """Has pages fetched as soon as their hosts may be asked, because you know that they changed.

    It does not wait for them. Where one is not taken, the command says why, and ends with code 6.
    """
    with open_gateway() as client:
        request = pb.SignalPagesRequest(scope=f"scopes/{scope}", uris=urls)
        answer = client.call(client.pages.SignalPages, request)
    if Output.is_json():
        print_json(answer)
    else:
        for page in answer.pages:
            line(f"{page.state:<8} ", link(page.uri))
            if page.message:
                line(f"         {escape(page.message)}")
    if any(page.state not in TAKEN for page in answer.pages):
        raise typer.Exit(Exit.JOB_NOT_COMPLETED)
