"""What every tree of commands begins with: its name, its help and the options before a command."""

from typing import Annotated

import typer

from scops.standalone.terminal.output import Format, Output


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
        Format, typer.Option(help="json, text, or auto: JSON when stdout is no terminal.")
    ] = Format.AUTO,
) -> None:
    """Answers from your own slice of the web, with citations pinned to versions."""
    Output.format = output
