"""`scops deadletters …`: messages that were given up, mended and delivered again, or dropped.

These commands speak to the bus itself: who mends things may have no gateway.
"""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, Any, TypeVar

import typer
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError
from rich import box
from rich.markup import escape
from rich.table import Table

from scops.common.bus.admin.dead_letters import DeadLetters, HeldLetter, chosen, message_type
from scops.common.bus.publish import headers as names
from scops.common.contract import wire
from scops.common.contract.messages.crawl import DeadLetter
from scops.common.runtime.clock import SystemClock
from scops.standalone.process.running_bus import running_bus
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import ID_CHARACTERS, Output, console, line, print_json

app = typer.Typer(help="Messages that were given up.", no_args_is_help=True)
T = TypeVar("T")
CLOCK = SystemClock()

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
    held = chosen(
        _with(lambda letters: letters.all()), reason=reason, consumer=consumer, replayed=replayed
    )
    if Output.is_json():
        print_json([_summary(one.letter) for one in held])
        return
    table = Table("id", "age", "reason", "consumer", "about", "replayed", box=box.SIMPLE_HEAD)
    for one in held:
        letter = one.letter
        table.add_row(
            letter.dead_letter_id[:ID_CHARACTERS],
            _age(letter.dead_time),
            escape(letter.reason),
            escape(letter.consumer),
            escape(letter.headers.get(names.EVENT_SUBJECT, "")),
            "" if letter.replayed_time is None else f"{_age(letter.replayed_time)} ago",
        )
    console.print(table)


@app.command()
def show(letter: Annotated[str, typer.Argument(help="An id, or its first characters.")]) -> None:
    """Shows a dead letter with its headers and what its body says."""
    held = _with(lambda letters: letters.find(letter))
    shown = {**_summary(held.letter), "headers": held.letter.headers, "message": _body(held.letter)}
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
    ids: Ids = None, everything: All = False, reason: Reason = "", consumer: Consumer = ""
) -> None:
    """Delivers messages again to the consumer that gave them up; with --all not a second time."""

    async def work(letters: DeadLetters) -> list[dict[str, str]]:
        done = []
        for held in await _named(letters, ids, everything, reason, consumer):
            event_id = await letters.replay(held)
            done.append({"id": held.letter.dead_letter_id, "event_id": str(event_id)})
        return done

    _report("replayed", _with(work))


@app.command()
def drop(
    ids: Ids = None, everything: All = False, reason: Reason = "", consumer: Consumer = ""
) -> None:
    """Removes dead letters for good; with --all those that were not replayed."""

    async def work(letters: DeadLetters) -> list[dict[str, str]]:
        held = await _named(letters, ids, everything, reason, consumer)
        for one in held:
            await letters.drop(one)
        return [{"id": one.letter.dead_letter_id} for one in held]

    _report("dropped", _with(work))


def _with(work: Callable[[DeadLetters], Awaitable[T]]) -> T:
    async def run() -> T:
        async with running_bus() as bus:
            return await work(DeadLetters(bus.jetstream, bus.publisher, clock=CLOCK))

    return asyncio.run(run())


async def _named(
    letters: DeadLetters, ids: list[str] | None, everything: bool, reason: str, consumer: str
) -> list[HeldLetter]:
    if bool(ids) == everything:
        raise CommandError(
            "Name dead letters by id, or take --all (with --reason or --consumer).",
            code=Exit.INVALID_INPUT,
            reason="DEAD_LETTERS_NOT_NAMED",
        )
    if everything:
        return chosen(await letters.all(), reason=reason, consumer=consumer)
    return [await letters.find(one) for one in ids or []]


def _summary(letter: DeadLetter) -> dict[str, Any]:
    return {
        "id": letter.dead_letter_id,
        "reason": letter.reason,
        "detail": letter.detail,
        "consumer": letter.consumer,
        "subject": letter.subject,
        "about": letter.headers.get(names.EVENT_SUBJECT, ""),
        "fetch": letter.headers.get(names.FETCH_ID, ""),
        "dead_time": letter.dead_time.isoformat(),
        "replayed_time": letter.replayed_time.isoformat() if letter.replayed_time else "",
    }


def _body(letter: DeadLetter) -> dict[str, Any]:
    kind: Any = message_type(letter)
    if kind is not None:
        proto = wire.proto_class(kind)()
        try:
            proto.ParseFromString(letter.data)
            return dict(MessageToDict(proto, preserving_proto_field_name=True))
        except DecodeError as error:
            return {"undecodable": str(error), "base64": base64.b64encode(letter.data).decode()}
    return {"base64": base64.b64encode(letter.data).decode()}


def _age(at: datetime) -> str:
    seconds = int((CLOCK.now() - at).total_seconds())
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
