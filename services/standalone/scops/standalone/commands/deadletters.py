"""`scops deadletters …`: messages that were given up, mended and delivered again, or dropped.

These commands speak to the bus itself: who mends things may have no gateway. What speaks to it is
imported where it is used; see `app`.
"""

from datetime import datetime
from typing import Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import ID_CHARACTERS, Output, console, line, print_json

app = typer.Typer(help="Messages that were given up.", no_args_is_help=True)

Reason = Annotated[str, typer.Option(help="Only of this reason.")]
Consumer = Annotated[str, typer.Option(help="Only of this consumer.")]
Ids = Annotated[list[str] | None, typer.Argument(help="Ids, or their first characters.")]
All = Annotated[bool, typer.Option("--all", help="All that the options let through.")]


@app.command("list")
def list_letters(
    reason: Reason = "",
    consumer: Consumer = "",
    replayed: Annotated[bool, typer.Option(help="Also those that were replayed.")] = True,
) -> None:
    """Lists the dead letters, oldest first."""
    from scops.common.runtime.clock import SystemClock
    from scops.standalone.process import dead_letters

    found = dead_letters.list_letters(reason=reason, consumer=consumer, replayed=replayed)
    if Output.is_json():
        print_json(found)
        return
    now = SystemClock().now()
    table = Table("id", "age", "reason", "consumer", "about", "replayed", box=box.SIMPLE_HEAD)
    for letter in found:
        table.add_row(
            letter["id"][:ID_CHARACTERS],
            _age(letter["dead_time"], now),
            escape(letter["reason"]),
            escape(letter["consumer"]),
            escape(letter["about"]),
            f"{_age(letter['replayed_time'], now)} ago" if letter["replayed_time"] else "",
        )
    console.print(table)


@app.command()
def show(letter: Annotated[str, typer.Argument(help="An id, or its first characters.")]) -> None:
    """Shows a dead letter with its headers and what its body says."""
    from scops.standalone.process.dead_letters import read_letter

    shown = read_letter(letter)
    if Output.is_json():
        print_json(shown)
        return
    for name, value in shown.items():
        if isinstance(value, dict):
            line(f"[bold]{name}[/bold]")
            for key, part in value.items():
                line(f"  {escape(str(key))}: {escape(str(part))}")
        else:
            line(f"[bold]{name}[/bold]: {escape(str(value))}")


@app.command()
def replay(
    ids: Ids = None,
    everything: All = False,
    reason: Reason = "",
    consumer: Consumer = "",
    unbound: Annotated[
        bool, typer.Option(help="Also copies that any user of the bus could have written.")
    ] = False,
) -> None:
    """Delivers messages again to the consumer that gave them up; with --all not a second time."""
    from scops.standalone.process.dead_letters import replay_letters

    _check_named(ids, everything)
    replayed = replay_letters(ids or (), reason=reason, consumer=consumer, unbound=unbound)
    _report("replayed", replayed)


@app.command()
def drop(
    ids: Ids = None, everything: All = False, reason: Reason = "", consumer: Consumer = ""
) -> None:
    """Removes dead letters for good; with --all those that were not replayed."""
    from scops.standalone.process.dead_letters import drop_letters

    _check_named(ids, everything)
    _report("dropped", drop_letters(ids or (), reason=reason, consumer=consumer))


def _check_named(ids: list[str] | None, everything: bool) -> None:
    if bool(ids) == everything:
        raise CommandError(
            "Name dead letters by id, or take --all (with --reason or --consumer).",
            code=Exit.INVALID_INPUT,
            reason="DEAD_LETTERS_NOT_NAMED",
        )


def _age(at: str, now: datetime) -> str:
    seconds = int((now - datetime.fromisoformat(at)).total_seconds())
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def _report(word: str, done: list[dict[str, str]]) -> None:
    if Output.is_json():
        print_json({word: done})
        return
    for one in done:
        line(f"{word} {one['id'][:ID_CHARACTERS]}")
    line(f"{len(done)} {word}")
