"""Dead letters on the running bus, as facts that a command prints."""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError

from scops.common.bus.admin.dead_letters import DeadLetters, HeldLetter, chosen, message_type
from scops.common.bus.publish import headers as names
from scops.common.config.settings import CommonSettings
from scops.common.contract import wire
from scops.common.contract.messages.crawl import DeadLetter
from scops.common.runtime.clock import SystemClock
from scops.standalone.process.running_bus import running_bus

T = TypeVar("T")


def list_letters(*, reason: str, consumer: str, replayed: bool) -> list[dict[str, Any]]:
    """Returns the letters of a reason and a consumer, oldest first; empty words mean any."""
    held = _with(lambda letters: letters.all())
    found = chosen(held, reason=reason, consumer=consumer, replayed=replayed)
    return [_summary(one) for one in found]


def read_letter(beginning: str) -> dict[str, Any]:
    """Returns a letter by its id or the first characters of it: headers and body as well."""
    held = _with(lambda letters: letters.find(beginning))
    letter = held.letter
    return {**_summary(held), "headers": letter.headers, "message": _body(letter)}


def replay_letters(
    ids: Sequence[str], *, reason: str, consumer: str, unbound: bool
) -> list[dict[str, str]]:
    """Delivers letters again; without ids, all of a reason and a consumer that were not yet.

    Args:
        unbound: also copies that any user of the bus may have written.
    """

    async def work(letters: DeadLetters) -> list[dict[str, str]]:
        done = []
        named = await _named(letters, ids, reason, consumer)
        # By id a malformed letter is an error; among all it is left where it is.
        for held in (one for one in named if ids or not one.fault):
            event_id = await letters.replay(held, unbound=unbound)
            done.append({"id": held.letter.dead_letter_id, "event_id": str(event_id)})
        return done

    return _with(work)


def drop_letters(ids: Sequence[str], *, reason: str, consumer: str) -> list[dict[str, str]]:
    """Removes letters; without ids, all of a reason and a consumer that were not replayed."""

    async def work(letters: DeadLetters) -> list[dict[str, str]]:
        held = await _named(letters, ids, reason, consumer)
        for one in held:
            await letters.drop(one)
        return [{"id": one.letter.dead_letter_id} for one in held]

    return _with(work)


def _with(work: Callable[[DeadLetters], Awaitable[T]]) -> T:
    async def run() -> T:
        async with running_bus() as bus:
            letters = DeadLetters(
                bus.jetstream,
                bus.publisher,
                clock=SystemClock(),
                organisation_id=CommonSettings.load().organisation_id,
            )
            return await work(letters)

    return asyncio.run(run())


async def _named(
    letters: DeadLetters, ids: Sequence[str], reason: str, consumer: str
) -> list[HeldLetter]:
    if not ids:
        return chosen(await letters.all(), reason=reason, consumer=consumer)
    return [await letters.find(one) for one in ids]


def _summary(held: HeldLetter) -> dict[str, Any]:
    letter = held.letter
    return {
        "id": letter.dead_letter_id,
        "reason": letter.reason,
        "detail": letter.detail,
        "consumer": letter.consumer,
        "author": held.author.value if held.author else "",
        "fault": held.fault,
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
