"""`scops mcp`: the tools for assistants, over standard input and output."""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from scops.standalone.terminal.gateway_options import GatewayOptions
from scops.standalone.terminal.output import Output, line, print_json, write

app = typer.Typer(
    help="Serves assistants by the Model Context Protocol, over standard input and output.",
    invoke_without_command=True,
)
ReadOnly = Annotated[
    bool, typer.Option("--read-only", help="Leave out tools that change anything.")
]


@app.callback()
def mcp(context: typer.Context, read_only: ReadOnly = False) -> None:
    """Serves the tools, asking the gateway that options or settings name, by your login.

    A host such as Claude Desktop starts it: `scops mcp install` tells it how.
    """
    if context.invoked_subcommand is not None:
        return
    # What knows the protocol takes longer to import than most commands take.
    from scops.client.login.credentials import find_credential
    from scops.gateway.adapters.mcp.server import build_server
    from scops.standalone.terminal.client import checked_target
    from scops.standalone.terminal.mcp_api import ChannelApi

    target = checked_target()
    credential = find_credential(target, os.environ, given=GatewayOptions.token)
    api = ChannelApi(target, credential)
    build_server(lambda _: api, read_only=read_only).run("stdio")


@app.command()
def install(
    host: Annotated[
        str,
        typer.Argument(help="claude-desktop, claude-code, cursor or vscode.", show_default=False),
    ],
    read_only: ReadOnly = False,
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the entry; write nothing.")
    ] = False,
) -> None:
    """Writes the entry for a host into its file of servers; others in it stay."""
    from scops.standalone.terminal import mcp_hosts
    from scops.standalone.terminal.exits import CommandError, Exit

    try:
        file = mcp_hosts.host_file(mcp_hosts.McpHost(host), home=Path.home(), environ=os.environ)
    except ValueError:
        known = ", ".join(mcp_hosts.McpHost)
        raise CommandError(
            f"{host[:60]!r} is no host that is known here; these are: {known}. For another one "
            "add what `--print` shows to its list of servers.",
            code=Exit.INVALID_INPUT,
            reason="MCP_HOST_UNKNOWN",
        ) from None
    made = mcp_hosts.entry(
        _command(), _arguments(read_only=read_only), names_transport=file.names_transport
    )
    if only_print:
        write(json.dumps({file.key: {mcp_hosts.NAME: made}}, indent=2))
        return
    changed = mcp_hosts.install(file, made)
    if Output.is_json():
        print_json({"file": str(file.path), "changed": changed})
        return
    what = "written into" if changed else "is in"
    line(f"the entry {what} {escape(str(file.path))}; start {host} anew")


def _command() -> str:
    """Returns the command that runs, where hosts find it that know no PATH of a shell."""
    typed = Path(sys.argv[0])
    found = shutil.which(typed.name) if typed.name == "scops" else None
    return str(typed.resolve() if typed.is_file() else found or "scops")


def _arguments(*, read_only: bool) -> list[str]:
    given = {"--server": GatewayOptions.server, "--ca": GatewayOptions.ca}
    options = [word for name, value in given.items() if value for word in (name, value)]
    return [*options, "mcp", *(["--read-only"] if read_only else [])]
