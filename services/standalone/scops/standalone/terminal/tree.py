"""What every tree of commands begins with: its name, its help and the options before a command."""

from typing import Annotated

import typer

from scops.standalone.terminal.output import Output, OutputFormat


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
) -> None:
    """Answers from your own slice of the web, with citations pinned to versions."""
    Output.format = output
