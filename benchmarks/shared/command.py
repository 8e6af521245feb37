"""What every benchmark's command has: a parser, a JSON object as its result, and its progress."""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from scops.common.config.settings import EMBEDDER_DEFAULT, EmbedderName


def command_parser(
    doc: str | None, *, data: str = "", default: Path | None = None, json_option: bool = True
) -> argparse.ArgumentParser:
    """Returns a parser with `--json`, and with `--data` where it is described.

    Args:
        doc: docstring of the command's module; its first line describes the command.
        data: what the folder of `--data` holds; no such option where empty.
        default: the folder where none is named; None where one must be.
        json_option: whether the command prints a result at all.
    """
    parser = argparse.ArgumentParser(prog=_name(), description=(doc or "").partition("\n")[0])
    if data:
        required = default is None
        parser.add_argument("--data", type=Path, default=default, required=required, help=data)
    if json_option:
        help_text = "print the result on one line"
        parser.add_argument("--json", action="store_true", dest="one_line", help=help_text)
    return parser


def add_embedder(
    parser: argparse.ArgumentParser, *, default: EmbedderName = EMBEDDER_DEFAULT
) -> None:
    """Lets a command take the name of an embedder, as `SCOPS_EMBEDDER` does."""
    names = get_args(EmbedderName)
    parser.add_argument("--embedder", choices=names, default=default, help="by its name")


def print_result(result: Mapping[str, object], options: argparse.Namespace) -> None:
    """Prints the figures as one JSON object, on one line where `--json` asks for it."""
    print(json.dumps(result, indent=None if options.one_line else 2), flush=True)


def progress(message: str) -> None:
    """Tells on standard error how far the benchmark is."""
    print(message, file=sys.stderr, flush=True)


def _name() -> str:
    """Returns how the running command is called: `python -m benchmarks.NAME`."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return f"python -m {spec.name.removesuffix('.__main__')}" if spec else Path(sys.argv[0]).name
