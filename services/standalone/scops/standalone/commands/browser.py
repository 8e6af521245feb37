"""`scops browser`: a Chromium for fetchers on other machines."""

from pathlib import Path
from typing import Annotated

import typer

from scops.standalone.terminal.output import diagnostics

PORT = 7400


def browser(
    token_file: Annotated[
        Path,
        typer.Option("--token-file", help="File with the token that fetchers know, 16 or more."),
    ],
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = PORT,
    chromium: Annotated[
        str, typer.Option(help="Path of Chromium; auto takes that of this machine.")
    ] = "auto",
    sandbox: Annotated[
        bool,
        typer.Option(help="Chromium's own sandbox; off where a container is one."),
    ] = True,
) -> None:
    """Serves a browser to fetchers on other machines, for pages that only scripts fill.

    It has no way to the web: fetchers hand it what pages ask for. They find it by
    SCOPS_FETCHER_BROWSER=ws://HOST:PORT/TOKEN. Needs the extra `browser`.
    """
    from scops.fetcher.adapters.browser.server import read_token, serve

    token = read_token(token_file)
    diagnostics.print(f"serving a browser at ws://{host}:{port}/; Ctrl-C ends it")
    serve(chromium, host=host, port=port, token=token, sandbox=sandbox)
