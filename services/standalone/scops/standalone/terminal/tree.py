"""What every tree of commands begins with: its name, its help and the options before a command."""

from typing import Annotated

import typer

from scops.standalone.terminal.gateway_options import GatewayOptions
from scops.standalone.terminal.output import Output, OutputFormat

# Options before a command that a value follows.
VALUED_OPTIONS = ("--output", "--server", "--token", "--ca")


def new_tree() -> typer.Typer:
    """Returns a tree without commands."""
    tree = typer.Typer(
        name="scops",
        help="Answers from your own slice of the web, with citations pinned to versions.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    tree.callback()(options)
    return tree


def options(
    output: Annotated[
        OutputFormat, typer.Option(help="json, text, or auto: JSON when stdout is no terminal.")
    ] = OutputFormat.AUTO,
    server: Annotated[
        str,
        typer.Option(help="The gateway to ask, host:port; in place of SCOPS_COMMAND_ADDRESS."),
    ] = "",
    token: Annotated[
        str,
        typer.Option(
            help="An API key or token; SCOPS_TOKEN keeps it out of the list of processes."
        ),
    ] = "",
    ca: Annotated[
        str,
        typer.Option(help="PEM file of the authority that signed the gateway's certificate."),
    ] = "",
) -> None:
    """Answers from your own slice of the web, with citations pinned to versions."""
    Output.format = output
    GatewayOptions.server, GatewayOptions.token, GatewayOptions.ca = server, token, ca
