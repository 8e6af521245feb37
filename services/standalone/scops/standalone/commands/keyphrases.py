"""`scops keyphrases`: the phrases that say what a text or a question is about."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, line, print_json

if TYPE_CHECKING:
    from scops.libraries.keyphrases.choosing import Keyphrase

LIMIT_MAX = 50
CHARACTERS_MAX = 1_000_000
STDIN = "-"


def keyphrases(
    text: Annotated[str, typer.Argument(help="A text or a question; - reads it from stdin.")] = "",
    *,
    file: Annotated[Path | None, typer.Option(help="Reads the text from this file.")] = None,
    limit: Annotated[int, typer.Option(help="Phrases, at most.", min=1, max=LIMIT_MAX)] = 10,
    diversity: Annotated[
        float,
        typer.Option(help="0 for the nearest, to 1 for the least alike.", min=0, max=1),
    ] = 0.2,
) -> None:
    """Prints the keyphrases of a text, best first, with how near each is to all of it.

    They are what `scops papers search --keyphrases` searches by. See docs/papers.md.
    """
    if bool(text) == (file is not None):
        raise CommandError(
            "Give a text, - for stdin, or a file with --file.",
            code=Exit.INVALID_INPUT,
            reason="TEXT_OR_FILE",
        )
    found = keyphrases_of(_read(text, file), limit=limit, diversity=diversity)
    if Output.is_json():
        told = [{"text": one.text, "score": round(one.score, 4)} for one in found]
        print_json({"keyphrases": told})
        return
    for one in found:
        line(f"{one.score:.3f}  {escape(one.text)}")
    if not found:
        line("There are no phrases in it.")


def keyphrases_of(text: str, *, limit: int, diversity: float = 0.2) -> "list[Keyphrase]":
    """Returns keyphrases by the embedder of this machine's settings."""
    # Imported here: ONNX Runtime takes a second and memory.
    import asyncio

    from scops.libraries.embedder.opening import open_embedder
    from scops.libraries.keyphrases.choosing import keyphrases as choose
    from scops.standalone.process.roles import load_common

    embedder = open_embedder(load_common())
    return asyncio.run(choose(text, embedder, limit=limit, diversity=diversity))


def _read(text: str, file: Path | None) -> str:
    if file is not None:
        try:
            return file.read_text(encoding="utf-8")[:CHARACTERS_MAX]
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(
                f"{file} cannot be read as UTF-8 text: {error}. Name another file.",
                code=Exit.INVALID_INPUT,
                reason="TEXT_UNREADABLE",
            ) from error
    return sys.stdin.read(CHARACTERS_MAX) if text == STDIN else text
