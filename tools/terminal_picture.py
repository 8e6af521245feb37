"""Draws docs/images/terminal.svg: what some commands of the demo print on a terminal.

It runs `examples.demo` on a terminal of its own and keeps the commands that `SHOWN` names.
"""

import os
import pty
import re
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "terminal.svg"
COLUMNS = 100
# By what a command of the demo begins with, which of those it is, and how many lines are kept.
SHOWN = (
    ("scope create", 0, 4),
    ("crawl", 0, 2),
    ("crawl", 1, 2),
    ("ask 'How", 1, 8),
    ("page diff", 0, 5),
    ("changes", 0, 8),
)
PROMPT = "$ scops "
# A progress bar is written over itself and, at its end, erased together with its line.
PROGRESS = re.compile(r"[^\n]*\n\x1b\[\?25h\r\x1b\[1A\x1b\[2K")
# The picture loads nothing from elsewhere.
FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def main() -> None:
    """Runs the demo and writes the picture."""
    asked = answers(demo())
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    console.print(Text("\n\n").join(section(asked, *wanted) for wanted in SHOWN))
    picture = FONT.sub("", console.export_svg(title="scops"))
    PICTURE.write_text(picture.replace("Fira Code", "DejaVu Sans Mono"))


def demo() -> str:
    """Returns what the demo writes to a terminal, without its progress bars."""
    written = bytearray()

    def keep(descriptor: int) -> bytes:
        read = os.read(descriptor, 65536)
        written.extend(read)
        return read

    os.environ["COLUMNS"] = str(COLUMNS)
    pty.spawn([sys.executable, "-m", "examples.demo"], keep)
    return PROGRESS.sub("", written.decode().replace("\r\n", "\n"))


def answers(text: str) -> list[Text]:
    """Returns each command of the demo with what it printed."""
    lines = Text.from_ansi(text).split("\n")
    starts = [number for number, line in enumerate(lines) if line.plain.startswith(PROMPT)]
    return [
        Text("\n").join(lines[start:end])
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)
    ]


def section(asked: list[Text], begins: str, which: int, lines: int) -> Text:
    """Returns the first lines of what one command printed."""
    fitting = [text for text in asked if text.plain.startswith(PROMPT + begins)]
    shown = Text("\n").join(fitting[which].split("\n")[: lines + 1])
    shown.rstrip()
    return shown


if __name__ == "__main__":
    main()
