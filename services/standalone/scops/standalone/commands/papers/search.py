"""`scops papers search` and `show`: what scholarly services say of papers."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from scops.standalone.commands.keyphrases import keyphrases_of
from scops.standalone.commands.papers.options import (
    LIMIT_MAX,
    Server,
    Service,
    YearRange,
    years_of,
)
from scops.standalone.commands.papers.telling import (
    ensure_answered,
    services_json,
    tell_papers,
    tell_services,
)
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, diagnostics, line, print_json

if TYPE_CHECKING:
    from scops.libraries.papers.gathering import Gathered
    from scops.standalone.commands.papers.services import PaperServices

KEYPHRASES_MAX = 10


def search_papers(
    words: Annotated[str, typer.Argument(help="What the papers are about.")],
    *,
    years: YearRange = "",
    limit: Annotated[int, typer.Option(help="Papers, at most.", min=1, max=LIMIT_MAX)] = 10,
    by_keyphrases: Annotated[
        int,
        typer.Option(
            "--keyphrases",
            help="Searches by so many keyphrases of the words, such as of a question.",
            min=0,
            max=KEYPHRASES_MAX,
        ),
    ] = 0,
    service: Service = None,
    server: Server = None,
) -> None:
    """Searches scholarly services at once, and joins what they say of the same papers.

    Each paper says which service said what and when; what several place high comes first. See
    docs/papers.md.
    """
    from scops.standalone.commands.papers.services import PaperServices

    wanted = years_of(years)
    if by_keyphrases:
        words = _keyphrases(words, by_keyphrases)
    with PaperServices.of_command(service, server) as services:
        gathered = services.gathering.search(words, years=wanted, limit=limit)
    _tell(gathered, services)


def show_paper(
    name: Annotated[str, typer.Argument(help="A DOI, arXiv id, pmid:…, PMC… or a title.")],
    *,
    references: Annotated[
        int, typer.Option(help="Tells of so many papers that it cites.", min=0, max=LIMIT_MAX)
    ] = 0,
    citations: Annotated[
        int, typer.Option(help="Tells of so many papers that cite it.", min=0, max=LIMIT_MAX)
    ] = 0,
    service: Service = None,
    server: Server = None,
) -> None:
    """Looks a paper up, with where it may be read, notices, references and citations."""
    from scops.libraries.papers.gathering import Gathered
    from scops.libraries.papers.names import paper_name
    from scops.standalone.commands.papers.services import PaperServices

    with PaperServices.of_command(service, server) as services:
        found = services.gathering.look_up(paper_name(name))
        if not found.papers:
            tell_services(found, services.uses())
            raise CommandError(
                f"No service knows {name!r}. Write a DOI, an arXiv id, pmid:… or the whole title.",
                code=Exit.UNAVAILABLE if found.faults else Exit.NOT_FOUND,
                reason="PAPER_NOT_FOUND",
            )
        paper, cited, citing = found.papers[0], Gathered(), Gathered()
        if references:
            cited = services.gathering.related(paper, citations=False, limit=references)
        if citations:
            citing = services.gathering.related(paper, citations=True, limit=citations)
    for some in (cited, citing):
        found.faults |= some.faults
        found.skipped += some.skipped
    if Output.is_json():
        told = paper.as_json() | {
            "references": [one.as_json() for one in cited.papers],
            "citations": [one.as_json() for one in citing.papers],
        }
        print_json(told | services_json(found, services.uses()))
        return
    tell_papers([paper])
    for place in paper.locations:
        about = (place.kind, place.licence, place.status, place.version, place.said_by)
        line(f"    {escape(place.url)} ({', '.join(part for part in about if part)})")
    for notice in paper.notices:
        said = (notice.kind, notice.doi, notice.date, f"as {notice.said_by} says")
        line(f"    [red]{escape(' '.join(part for part in said if part))}[/red]")
    for what, others in (("cites", cited.papers), ("is cited by", citing.papers)):
        if others:
            line(f"[bold]{what}[/bold]")
            tell_papers(others)
    tell_services(found, services.uses())


def _keyphrases(words: str, limit: int) -> str:
    """Returns the keyphrases of a question as words of a search, and shows them to be edited."""
    found = " ".join(one.text for one in keyphrases_of(words, limit=limit))
    if not found:
        raise CommandError(
            "There are no phrases in it. Write what papers are about, or leave --keyphrases out.",
            code=Exit.INVALID_INPUT,
            reason="NO_KEYPHRASES",
        )
    diagnostics.print(f"[dim]searched by:[/dim] {escape(found)}")
    return found


def _tell(gathered: "Gathered", services: "PaperServices") -> None:
    if Output.is_json():
        papers = [paper.as_json() for paper in gathered.papers]
        print_json({"papers": papers, **services_json(gathered, services.uses())})
    else:
        tell_papers(gathered.papers)
        tell_services(gathered, services.uses())
    ensure_answered(gathered)
