"""Options that the commands about papers share."""

import re
from typing import TYPE_CHECKING, Annotated

import typer

from scops.standalone.terminal.exits import CommandError, Exit

if TYPE_CHECKING:
    from scops.libraries.papers.port import Years

Service = Annotated[
    list[str] | None,
    typer.Option(
        help="Asks this service alone; may be given again: openalex, crossref, arxiv, unpaywall, "
        "europe-pmc, semantic-scholar, core."
    ),
]
Server = Annotated[
    list[str] | None,
    typer.Option(help="Asks a service elsewhere, such as a mirror: crossref=https://HOST."),
]
YearRange = Annotated[
    str, typer.Option("--years", help="Years of publication: 2019-2024, 2019-, -2024 or 2024.")
]
LIMIT_MAX = 1000
_YEARS = re.compile(r"([0-9]{4})?(-)?([0-9]{4})?")


def years_of(words: str) -> "Years":
    """Returns the years that an option names; empty words name all.

    Raises:
        CommandError: they name none.
    """
    from scops.libraries.papers.port import Years

    found = _YEARS.fullmatch(words.replace(" ", "").replace("–", "-"))
    first, dash, last = found.groups() if found else (None, None, None)
    years = Years(
        int(first) if first else None,
        int(last) if last else (int(first) if first and not dash else None),
    )
    is_reversed = years.first and years.last and years.first > years.last
    if words and (found is None or not (first or last) or (first and last and not dash)):
        is_reversed = True
    if is_reversed:
        raise CommandError(
            f"{words!r} are no years. Write 2019-2024, 2019-, -2024 or 2024.",
            code=Exit.INVALID_INPUT,
            reason="YEARS_MALFORMED",
        )
    return years
