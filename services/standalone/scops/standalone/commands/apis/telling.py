"""Tells how an import from an API ended."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scops.standalone.commands.warc.telling import tell_tally
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, print_json

if TYPE_CHECKING:
    from scops.standalone.commands.warc.taking import RecordTally


def since_or_none(words: str) -> datetime | None:
    """Returns the instant that an option names; None for none.

    Raises:
        CommandError: it names none.
    """
    from scops.standalone.commands.changes import since_instant

    return since_instant(words, now=datetime.now(UTC)).ToDatetime(tzinfo=UTC) if words else None


def end_import(
    scope: str,
    source: str,
    tally: "RecordTally",
    fault: str,
    *,
    noun: str = "documents",
    **more: int,
) -> None:
    """Prints what became of an import.

    Args:
        source: what was taken from, in words.
        fault: why it ended early; empty where it did not.
        noun: what is counted.
        more: counts beside those of the tally.

    Raises:
        CommandError: something of it is not in the index.
    """
    told = asdict(tally)
    told[noun] = told.pop("records")
    if Output.is_json():
        print_json({"scope": scope, **more, **told, "fault": fault})
    else:
        tell_tally(told, what=f"{source} into {scope}", nothing="nothing new")
    if fault or tally.on_their_way:
        raise _incomplete(fault, tally.on_their_way, noun)


def _incomplete(fault: str, on_their_way: int, noun: str) -> CommandError:
    said = f"{fault}. What came before was taken; run the command again. " if fault else ""
    if on_their_way:
        said += (
            f"{on_their_way} {noun} have no outcome yet, and nothing new came for two minutes. "
            "See `scops doctor`, then run the command again."
        )
    return CommandError(said.strip(), code=Exit.JOB_NOT_COMPLETED, reason="IMPORT_INCOMPLETE")
