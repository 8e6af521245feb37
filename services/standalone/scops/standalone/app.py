"""The command line: its tree of commands, and how errors become exit codes."""

import os
import sys
from typing import Annotated

import typer
from rich.markup import escape

from scops.common.errors import (
    AlreadyExists,
    Conflict,
    InvalidInput,
    NotFound,
    ScopsError,
    TransientError,
)
from scops.standalone import commands
from scops.standalone.client import CommandError
from scops.standalone.exits import Exit
from scops.standalone.output import Format, Output, diagnostics, print_json

app = typer.Typer(
    name="scops",
    help="Answers from your own slice of the web, with citations pinned to versions.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
commands.register(app)


@app.callback()
def options(
    output: Annotated[
        Format, typer.Option(help="json, text, or auto: JSON when stdout is no terminal.")
    ] = Format.AUTO,
) -> None:
    """Answers from your own slice of the web, with citations pinned to versions."""
    Output.format = output


def main() -> None:
    """Runs the command; every error leaves as a message on stderr and an exit code."""
    try:
        app(standalone_mode=True)
    except CommandError as error:
        _leave(error.message, error.reason, error.code)
    except ScopsError as error:
        _leave(error.message, error.reason, _exit_of(error))
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        # The edge of the process: whoever types a command is owed words, not a stack trace.
        if os.environ.get("SCOPS_LOG_LEVEL") == "debug":
            raise
        _leave(
            f"This is a bug in Scops: {error!r}. Please report it with what "
            "SCOPS_LOG_LEVEL=debug shows.",
            "INTERNAL",
            Exit.INTERNAL,
        )


def _exit_of(error: ScopsError) -> Exit:
    if isinstance(error, NotFound):
        return Exit.NOT_FOUND
    if isinstance(error, AlreadyExists | Conflict):
        return Exit.CONFLICT
    if isinstance(error, InvalidInput):
        return Exit.INVALID_INPUT
    return Exit.UNAVAILABLE if isinstance(error, TransientError) else Exit.INTERNAL


def _leave(message: str, reason: str, code: Exit) -> None:
    if Output.is_json():
        print_json({"error": {"reason": reason, "message": message}})
    diagnostics.print(f"[red]scops:[/red] {escape(message)}", soft_wrap=True)
    sys.exit(code)
