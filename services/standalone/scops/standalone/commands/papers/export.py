"""`scops papers export`: the papers of a scope as citations."""

from pathlib import Path
from typing import Annotated

import typer

from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import CommandError, Exit


def export_papers(
    *,
    scope: Annotated[str, typer.Option(help="The scope whose papers are cited.")],
    format: Annotated[str, typer.Option(help="bib (BibTeX), csl (CSL-JSON) or ris (RIS).")] = "bib",
    to: Annotated[
        Path | None, typer.Option(help="The file to write; without one they are printed.")
    ] = None,
) -> None:
    """Writes citations of the papers on record in a scope, retracted ones marked.

    See docs/papers.md.
    """
    from scops.standalone.commands.papers.scoped.citations import FORMATS
    from scops.standalone.commands.papers.scoped.known import KnownRecords
    from scops.standalone.terminal.output import diagnostics, write

    if format not in FORMATS:
        raise CommandError(
            f"{format!r} is no format: {', '.join(FORMATS)}.",
            code=Exit.INVALID_INPUT,
            reason="UNKNOWN_FORMAT",
        )
    with open_gateway() as client:
        pages = [one.page for one in KnownRecords(client, scope).all()]
    cited = FORMATS[format](pages)
    if to is None:
        write(cited.rstrip("\r\n"))
        return
    try:
        to.write_text(cited, encoding="utf-8", newline="")
    except OSError as error:
        raise CommandError(
            f"{to} cannot be written: {error.strerror or error}",
            code=Exit.INVALID_INPUT,
            reason="FILE_NOT_WRITTEN",
        ) from error
    diagnostics.print(f"[dim]{len(pages)} papers[/dim]")
