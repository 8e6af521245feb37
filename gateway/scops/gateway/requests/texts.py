"""Characters that a request may hold: nothing that a terminal, a log or a reader would mistake."""

from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from scops.common.contract.errors import InvalidInput
from scops.common.text.printable import unprintable
from scops.gateway.requests.limits import FIELD

# Written in lines.
LINES = frozenset({"query", "note"})
# What pages and models said, as we gave it to the caller, who gives it back.
QUOTED = frozenset({"quote", "prefix", "suffix", "title", "section_path", "text"})


def check_texts(request: Message) -> None:
    """Refuses control, direction and invisible characters in what a caller wrote.

    Raises:
        InvalidInput: a field holds one.
    """
    _check(request, "")


def _check(message: Message, path: str) -> None:
    for field, value in message.ListFields():
        where = f"{path}{field.name}"
        if field.type == FieldDescriptor.TYPE_STRING and field.name not in QUOTED:
            for text in value if field.is_repeated else (value,):
                _check_text(text, where, lines=field.name in LINES)
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            for each in _messages(field, value):
                _check(each, f"{where}.")


def _messages(field: FieldDescriptor, value: Any) -> list[Message]:
    if not field.is_repeated:
        return [value]
    # A map yields its keys.
    return [each for each in value if isinstance(each, Message)]


def _check_text(text: str, where: str, *, lines: bool) -> None:
    found = unprintable(text, lines=lines)
    if found:
        raise InvalidInput(
            f"{where} holds the character {found}, which a reader cannot see or a terminal obeys. "
            "Leave it out.",
            reason="TEXT_UNPRINTABLE",
            character=found,
            **{FIELD: where},
        )
