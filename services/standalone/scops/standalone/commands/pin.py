"""`scops pin`: versions that are kept whatever their age."""

from typing import Annotated

import typer

from scops.api.v1alpha1 import page_service_pb2 as pb
from scops.standalone.commands.page import PageName, find_page, version_id
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.output import Output, line, print_json, short_id, short_time


def pin(
    page: PageName,
    version: Annotated[str, typer.Option(help="A version id, latest or previous.")] = "latest",
    days: Annotated[int, typer.Option(help="How long; 0: 400 days.")] = 0,
    note: Annotated[str, typer.Option(help="Why; shown in histories.")] = "",
    remove: Annotated[bool, typer.Option("--remove", help="End the pin instead.")] = False,
) -> None:
    """Keeps a version of a page, whatever the retention of its scopes."""
    with open_gateway() as client:
        found = find_page(client, page)
        request = pb.PinPageVersionRequest(
            name=found.name,
            version=version_id(client, found, version),
            days=days,
            note=note,
            unpin=remove,
        )
        answer = client.call(client.pages.PinPageVersion, request)
    if Output.is_json():
        print_json(answer)
    elif remove:
        line(f"{short_id(answer.version)} is not pinned any more")
    else:
        line(f"{short_id(answer.version)} is kept until {short_time(answer.until_time)}")
