"""What the command prints: JSON for programs, Rich for people; diagnostics go to stderr."""

import json
import sys
from enum import StrEnum
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from rich.console import Console

console = Console()
diagnostics = Console(stderr=True)


class Format(StrEnum):
    """The `--output` option."""

    AUTO = "auto"
    JSON = "json"
    TEXT = "text"


class Output:
    """The chosen format; `auto` is JSON when stdout is no terminal."""

    format = Format.AUTO

    @classmethod
    def is_json(cls) -> bool:
        if cls.format is Format.AUTO:
            return not sys.stdout.isatty()
        return cls.format is Format.JSON


def print_json(value: Any) -> None:
    """Prints a value or a protobuf message as one JSON document."""
    if isinstance(value, Message):
        value = MessageToDict(
            value, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
    print(json.dumps(value, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))


def short_time(stamp: Any) -> str:
    """Returns a protobuf timestamp as `2026-03-01 12:00:05Z`, or a dash when unset."""
    if not stamp.seconds and not stamp.nanos:
        return "–"
    return f"{stamp.ToDatetime():%Y-%m-%d %H:%M:%S}Z"


def last_part(name: str) -> str:
    """Returns the id in a resource name such as `jobs/123`."""
    return name.rsplit("/", 1)[-1]
