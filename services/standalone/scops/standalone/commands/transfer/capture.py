"""`scops page capture`: a page as somebody saw it, for one scope and nobody else."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from scops.api.v1alpha1 import page_service_pb2 as pb
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.instants import parse_instant
from scops.standalone.terminal.output import Output, last_part, line, link, print_json


def capture(
    file: Annotated[
        Path, typer.Argument(help="HTML or a PDF, as saved from a browser.", dir_okay=False)
    ],
    url: Annotated[str, typer.Option(help="The page that it shows.")],
    scope: Annotated[str, typer.Option(help="The scope that alone has it.")],
    time: Annotated[str, typer.Option(help="When it was seen; without it, now.")] = "",
    charset: Annotated[
        str, typer.Option(help="Encoding of HTML; without it, what the file says of itself.")
    ] = "",
) -> None:
    """Takes a page in as you saw it, such as one behind a login.

    It is answered from in this scope alone, and says who captured it and when. A page of the same
    URL that is fetched stays what it is.
    """
    request = pb.PutPageCaptureRequest(
        scope=f"scopes/{scope}", uri=url, content=_read(file), charset=charset
    )
    if time:
        request.capture_time.CopyFrom(parse_instant(time))
    with open_gateway() as client:
        answer = client.call(client.pages.PutPageCapture, request)
    if Output.is_json():
        print_json(answer)
        return
    line(link(url))
    known = "was captured before, as it is" if answer.known else "is on its way into the index"
    line(f"  id {last_part(answer.name)}, {known}; {escape(scope)} alone has it")


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise CommandError(
            f"{file} cannot be read: {error.strerror}. Name a file that a browser saved.",
            code=Exit.INVALID_INPUT,
            reason="FILE_UNREADABLE",
        ) from error
