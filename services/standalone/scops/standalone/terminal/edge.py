"""The edge of the command: every error leaves as a message on stderr and an exit code."""

import os
import sys

import typer
from rich.markup import escape

from scops.client import errors as client
from scops.common.contract.errors import (
    AlreadyExists,
    Conflict,
    InvalidInput,
    NotFound,
    ScopsError,
    TransientError,
)
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, diagnostics, print_json

# What the gateway says, or whoever cannot reach it: names of google.rpc.Code.
BY_CODE = {
    "INVALID_ARGUMENT": Exit.INVALID_INPUT,
    "FAILED_PRECONDITION": Exit.INVALID_INPUT,
    "OUT_OF_RANGE": Exit.INVALID_INPUT,
    "UNAUTHENTICATED": Exit.NOT_AUTHENTICATED,
    "NOT_FOUND": Exit.NOT_FOUND,
    "PERMISSION_DENIED": Exit.NOT_FOUND,
    "ALREADY_EXISTS": Exit.CONFLICT,
    "ABORTED": Exit.CONFLICT,
    "UNAVAILABLE": Exit.UNAVAILABLE,
    "DEADLINE_EXCEEDED": Exit.UNAVAILABLE,
    "RESOURCE_EXHAUSTED": Exit.UNAVAILABLE,
}


def run_command(app: typer.Typer) -> None:
    """Runs a command of a tree by the words of this process, and ends the process on an error."""
    try:
        app(standalone_mode=True)
    except CommandError as error:
        _leave(error.message, error.reason, error.code)
    except client.ScopsError as error:
        _leave(error.message, error.reason, BY_CODE.get(error.code, Exit.INTERNAL))
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
