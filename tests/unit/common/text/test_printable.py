"""What others wrote reaches terminals, logs and prompts as what it shows."""

import ast
import io
import json
import logging
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from scops.common.config.settings import CommonSettings
from scops.common.observe.log import configure_logging, get_logger
from scops.common.text.printable import escaped_json, printable, unprintable
from scops.standalone.terminal import output
from scops.standalone.terminal.output import PrintableConsole

ROOT = Path(__file__).parents[4]
# Each does harm in its own way: colour, title of the window, 8-bit CSI, overstrike, direction,
# hidden text.
HARMFUL = {
    "escape": "\x1b[2J\x1b]0;owned\x07",
    "eight-bit": "\x9b31m\x85",
    "backspace": "pass\x08\x08\x08fail",
    "carriage return": "real\rfake",
    "delete": "\x7f",
    "nul": "\x00",
    "override": "\u202etxt.exe\u202c",
    "isolate": "\u2066a\u2069",
    "mark": "\u200f\u061c",
    "zero width": "pass\u200bword\ufeff\u2060",
    "joiner": "pass\u200dword\u200c",
    "tags": "\U000e0041\U000e0042",
    "separator": "a\u2028b\u2029c",
    "surrogate": "\ud800",
    "fillers": "\u3164\u115f\uffa0",
}
every_harm = pytest.mark.parametrize("text", HARMFUL.values(), ids=HARMFUL)


def _obeyed(text: str) -> list[str]:
    """Characters of a text that are not shown as they are."""
    return [
        one
        for one in text
        if one not in "\n\t" and unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    ]


@every_harm
def test_nothing_harmful_is_left(text: str) -> None:
    """Every such character goes, and a second time changes nothing."""
    clean = printable(text)

    assert [] == _obeyed(clean)
    assert clean == printable(clean)
    assert unprintable(text, lines=False)
    assert "" == unprintable(clean)


@pytest.mark.parametrize(
    "text",
    [
        "Größe, naïve, 中文, العربية, עברית, हिन्दी",
        "می\u200cخواهم",
        "👩\u200d💻",
        "two\nlines\tand a tab",
        "",
    ],
)
def test_writing_stays_as_it_is(text: str) -> None:
    """Scripts, joined letters and emoji, lines and tabs are no harm."""
    assert text == printable(text)
    assert "" == unprintable(text)


@given(st.text())
def test_any_text_is_clean_afterwards(text: str) -> None:
    """Whatever the characters: what is left changes no more."""
    clean = printable(text, lines=False)

    assert "\n" not in clean
    assert "" == unprintable(clean, lines=False)
    assert clean == printable(clean, lines=False)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_says_the_same(text: str) -> None:
    """Programs get every character; a terminal that shows the document obeys none."""
    document = escaped_json(json.dumps({"a": text}, ensure_ascii=False))

    assert {"a": text} == json.loads(document)
    assert "" == unprintable(document)


@every_harm
def test_a_terminal_gets_no_escape_but_ours(text: str) -> None:
    """In words, cells, markup and targets of links."""
    target = io.StringIO()
    terminal = PrintableConsole(file=target, force_terminal=True, color_system="truecolor")
    table = Table("a", title=text)
    table.add_row(text)
    terminal.print(f"[bold]{text}[/bold]", Text(text), table)
    bare = io.StringIO()
    plain = PrintableConsole(file=bare, force_terminal=False)
    plain.print(f"[bold]{text}[/bold]", Text(text), table, text)

    assert [] == _obeyed(bare.getvalue())
    for foreign in ("\x1b[2J", "\x1b]0", "\x9b", "\u202e", "\u200b", "\x08", "\r"):
        assert foreign not in target.getvalue()


def test_a_link_ends_where_its_target_ends() -> None:
    """A URL cannot close the sequence that a link is written in."""
    target = io.StringIO()
    terminal = PrintableConsole(file=target, force_terminal=True)
    terminal.print(Text("here", style="link https://a.org/\x1b\\\x1b[2J\x07"))

    assert "\x1b[2J" not in target.getvalue()
    assert "\x07" not in target.getvalue()


def test_nothing_of_the_command_prints_by_another_way() -> None:
    """Every word leaves by `terminal.output`: no command can forget what is done there."""
    folder = ROOT / "services" / "standalone" / "scops" / "standalone"
    found = []
    for path in folder.rglob("*.py"):
        if path == Path(output.__file__):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            named = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if named in ("print", "typer.echo", "typer.secho", "click.echo", "Console") or (
                named.startswith(("sys.stdout.", "sys.stderr.")) and not named.endswith(".isatty")
            ):
                found.append(f"{path.name}:{node.lineno} {named}")  # type: ignore[attr-defined]

    assert [] == found


@every_harm
@pytest.mark.parametrize("form", ["json", "console"])
def test_a_log_line_is_one_line_of_plain_text(text: str, form: str) -> None:
    """Values, names, nested values, tracebacks and what libraries log."""
    target = io.StringIO()
    configure_logging(CommonSettings(log_format=form), target)
    try:
        get_logger("test").warning("page_seen", title=f"a{text}\nforged", parts=[{text: text}])
        logging.getLogger("library").warning("said %s", text)
        try:
            raise ValueError(text)
        except ValueError:
            get_logger("test").exception("page_failed")
    finally:
        configure_logging(CommonSettings())
    lines = target.getvalue().splitlines()

    assert [] == _obeyed(target.getvalue())
    assert not [line for line in lines if line.startswith("forged")]
