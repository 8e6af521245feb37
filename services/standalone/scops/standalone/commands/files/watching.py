"""Runs something again whenever files below some paths change."""

import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread

from rich.markup import escape

from scops.client.errors import DeadlineExceeded, Unavailable
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import diagnostics

# Changes that come in such a row are one.
SETTLED_MILLISECONDS, LATEST_MILLISECONDS = 500, 5_000
# Network drives tell nobody of changes; what was not written since costs a look at its status.
ANYWAY_SECONDS = 30.0
LOOK_MILLISECONDS, LISTENING_SECONDS_MAX = 500, 30.0


def run_at_changes(paths: Sequence[str], once: Callable[[], object]) -> None:
    """Runs it now, at every change, and every half minute in any case, until Ctrl-C.

    What changes while it runs has it run again. A gateway that does not answer ends nothing but
    the first run; whatever else it raises does.
    """
    listening, changed, ended = Event(), Event(), Event()
    places = sorted({_place(path) for path in paths})
    Thread(target=_listen, args=(places, listening, changed, ended), daemon=True).start()
    try:
        listening.wait(LISTENING_SECONDS_MAX)
        once()
        diagnostics.print(f"[dim]watching {', '.join(map(escape, places))}; Ctrl-C ends it[/dim]")
        while True:
            changed.wait(ANYWAY_SECONDS)
            changed.clear()
            try:
                once()
            except (Unavailable, DeadlineExceeded) as error:
                # It is tried again with the next change, or in half a minute.
                diagnostics.print(f"[red]{escape(error.message)}[/red]")
    finally:
        ended.set()


def _listen(places: Sequence[str], listening: Event, changed: Event, ended: Event) -> None:
    """Tells of changes until it is ended, and before that from when on it would."""
    from watchfiles import watch

    for changes in watch(
        *places,
        watch_filter=None,
        debounce=LATEST_MILLISECONDS,
        step=SETTLED_MILLISECONDS,
        rust_timeout=LOOK_MILLISECONDS,
        yield_on_timeout=True,
        stop_event=ended,
    ):
        listening.set()
        if changes:
            changed.set()


def needs_extra() -> None:
    """Checks that the extra `files` is installed.

    Raises:
        CommandError: it is not.
    """
    if find_spec("watchfiles") is None:
        raise CommandError(
            "watchfiles must be installed to watch folders: pip install 'scops[files]'. Without "
            "--watch nothing more is needed.",
            code=Exit.INVALID_INPUT,
            reason="EXTRA_MISSING",
        )


def _place(path: str) -> str:
    """Returns the folder to watch for a file, a folder or a pattern."""
    given = Path(path)
    while not given.is_dir():
        given = given.parent
    return os.path.realpath(given)
