"""What the command prints: JSON for programs, Rich for people; diagnostics go to stderr.

Everything leaves here, and here it is made printable: pages, names and errors are others' words.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from scops.common.text.printable import escaped_json, printable

ID_CHARACTERS = 8


class PrintableConsole(Console):
    """A console that sends a terminal its own escapes and nobody else's."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yields what a renderable becomes; text and targets of links are made printable."""
        for text, style, control in super().render(renderable, options):
            if control is not None:
                yield Segment(text, style, control)
                continue
            if style is not None and style.link:
                style = style.update_link(printable(style.link, lines=False))
            yield Segment(printable(text), style)


console = PrintableConsole(highlight=False)
diagnostics = PrintableConsole(stderr=True, highlight=False)


class OutputFormat(StrEnum):
    """The `--output` option."""

    AUTO = "auto"
    JSON = "json"
    TEXT = "text"


class Output:
    """The chosen format; `auto` is JSON when stdout is no terminal."""

    format = OutputFormat.AUTO

    @classmethod
    def is_json(cls) -> bool:
        if cls.format is OutputFormat.AUTO:
            return not sys.stdout.isatty()
        return cls.format is OutputFormat.JSON


def as_json(message: Message) -> dict[str, Any]:
    """Returns a protobuf message as the JSON of the command has it: names as in the proto."""
    return dict(
        MessageToDict(
            message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
    )


def print_json(value: Any) -> None:
    """Prints a value or a protobuf message as one JSON document."""
    if isinstance(value, Message):
        value = as_json(value)
    write(
        escaped_json(
            json.dumps(value, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None)
        )
    )


def write(text: str) -> None:
    """Prints a text as it is, a line of its own, for programs that read it."""
    print(printable(text))


def line(*parts: RenderableType) -> None:
    """Prints one line: wrapped at words on a terminal, left whole in files and pipes."""
    console.print(*parts, soft_wrap=not console.is_terminal)


def link(uri: str, target: str = "") -> Text:
    """Returns a URL that a terminal opens at `target`, where it is of the web; it is never cut."""
    opens = console.is_terminal and uri.startswith(("http://", "https://"))
    style = Style(link=target or uri) if opens else Style.null()
    return Text(uri, style=style, no_wrap=True, overflow="ignore")


def section(path: Sequence[str], *, title: str = "") -> str:
    """Returns a section path as marked-up text, without a heading that repeats the title."""
    rest = path[1:] if path and path[0] == title else path
    return escape(" › ".join(rest))


def short_id(name: str) -> str:
    """Returns the first characters of an id, as the command shows and accepts it."""
    return last_part(name)[:ID_CHARACTERS]


def short_time(stamp: Any) -> str:
    """Returns a protobuf timestamp as `2026-03-01 12:00:05Z`, or a dash when unset."""
    if not stamp.seconds and not stamp.nanos:
        return "–"
    return f"{stamp.ToDatetime():%Y-%m-%d %H:%M:%S}Z"


def last_part(name: str) -> str:
    """Returns the id in a resource name such as `jobs/123`."""
    return name.rsplit("/", 1)[-1]
