"""`scops reconcile` and `scops rebuild`: the index against what it is made of.

What works on the index is imported where it is used; see `app`.
"""

import re
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

import typer

from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, console, print_json

UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
DURATION = re.compile(r"(\d{1,9})([smhd])")


def reconcile(
    since: Annotated[
        str | None, typer.Option(help="Only what was indexed within this time: 90s, 15m, 2h, 1d.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count, and change nothing.")] = False,
) -> None:
    """Compares the chunk store with heads, manifests and rows, and mends what differs."""
    import asyncio

    from scops.standalone.process.maintenance import reconcile_index

    span = None if since is None else parse_duration(since)
    done = asyncio.run(reconcile_index(since=span, dry_run=dry_run))
    _print(asdict(done) | {"faults": done.faults})
    if done.left and not dry_run:
        raise typer.Exit(Exit.UNAVAILABLE)


def rebuild(
    drop_old: Annotated[
        bool,
        typer.Option("--drop-old", help="Delete every other generation once the new one serves."),
    ] = False,
    accept_loss: Annotated[
        bool,
        typer.Option("--accept-loss", help="Switch although the archive lacks some texts."),
    ] = False,
) -> None:
    """Builds the index anew from archive and vector cache, verifies it and switches to it."""
    import asyncio

    from scops.standalone.process.maintenance import rebuild_index

    _print(asdict(asyncio.run(rebuild_index(drop_old=drop_old, accept_loss=accept_loss))))


def parse_duration(text: str) -> timedelta:
    """Reads a duration such as 15m.

    Raises:
        CommandError: it is none.
    """
    found = DURATION.fullmatch(text)
    if found is None:
        raise CommandError(
            f"{text!r} is no duration; write 90s, 15m, 2h or 1d.",
            code=Exit.INVALID_INPUT,
            reason="INVALID_DURATION",
        )
    return timedelta(**{UNITS[found.group(2)]: int(found.group(1))})


def _print(values: dict[str, Any]) -> None:
    if Output.is_json():
        print_json(values)
        return
    for name, value in values.items():
        shown = ", ".join(value) if isinstance(value, tuple) else value
        console.print(f"{name.replace('_', ' '):<16} {shown}")
