"""`scops papers add`: takes papers into a scope."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from scops.standalone.commands.papers.finding import count_in, found_by
from scops.standalone.commands.papers.lists import read_bib, read_zotero, zotero_server
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
    tell_services,
)
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, line, print_json

if TYPE_CHECKING:
    from scops.libraries.papers.gathering import Gathered
    from scops.libraries.papers.names import PaperName
    from scops.standalone.commands.files.adding import AddedFiles
    from scops.standalone.commands.papers.bibliography import Bibliography
    from scops.standalone.commands.papers.scoped.acquiring import AcquiredPaper
    from scops.standalone.commands.papers.services import PaperServices


def add_papers(
    names: Annotated[
        list[str] | None, typer.Argument(help="DOIs, arXiv ids, pmid:…, PMC… or titles.")
    ] = None,
    *,
    scope: Annotated[
        str, typer.Option(help="Where they are taken; it is made where there is none.")
    ],
    query: Annotated[str, typer.Option(help="Takes what a search for these words finds.")] = "",
    years: YearRange = "",
    limit: Annotated[int, typer.Option(help="With --query: papers.", min=1, max=LIMIT_MAX)] = 10,
    bib: Annotated[
        Path | None,
        typer.Option(help="Takes the papers that a file names: BibTeX, CSL-JSON or RIS."),
    ] = None,
    zotero: Annotated[
        str,
        typer.Option(
            help="Takes what a library of Zotero names: library (that of ZOTERO_API_KEY, or of "
            "the program), users/ID or groups/ID, with /collections/KEY for a collection alone."
        ),
    ] = "",
    retracted: Annotated[
        bool, typer.Option("--retracted", help="Takes the texts of retracted papers, too.")
    ] = False,
    timeout_seconds: Annotated[
        float, typer.Option(help="Give up waiting after this; the crawl goes on.", min=1)
    ] = 1800.0,
    service: Service = None,
    server: Server = None,
) -> None:
    """Takes papers into a scope: the text from the best place where everybody may read it.

    Texts are fetched as any page of the scope, by robots.txt and politely; what services state of a
    paper is a page of its own. Done again, it takes what is new. See docs/papers.md.
    """
    from scops.libraries.papers.gathering import Gathered
    from scops.libraries.papers.merging import merged_papers
    from scops.standalone.commands.files.adding import AddedFiles
    from scops.standalone.commands.papers.scoped.acquiring import PaperAcquisition
    from scops.standalone.commands.papers.scoped.known import ensure_scope
    from scops.standalone.commands.papers.services import PaperServices

    wanted = years_of(years)
    elsewhere, servers = zotero_server(server)
    lists = [read_bib(bib)] if bib is not None else []
    lists += [read_zotero(zotero, elsewhere)] if zotero else []
    named, unread = _named(names or [], lists)
    if not named and not query and not unread:
        raise CommandError(
            "Name papers, or give --query, --bib or --zotero of a library that has some.",
            code=Exit.INVALID_INPUT,
            reason="NO_PAPERS",
        )
    with PaperServices.of_command(service, servers) as services:
        gathered, missing = _looked_up(services, named)
        searched = found_by(services, query, years=wanted, limit=limit) if query else Gathered()
        count_in(gathered, searched)
    # What a search and a name found may be one paper.
    papers = merged_papers(record for paper in gathered.papers for record in paper.records)
    nameless = [paper for paper in papers if paper.name is None]
    tally = AddedFiles()
    acquired: list[AcquiredPaper] = []
    with open_gateway() as client:
        ensure_scope(client, scope)
        acquisition = PaperAcquisition(
            client, scope, retracted=retracted, timeout_seconds=timeout_seconds
        )
        acquired = acquisition.take([one for one in papers if one.name is not None], tally)
    told = {
        "scope": scope,
        "papers": [one.as_json() for one in acquired],
        "joined": len(gathered.papers) - len(acquired) - len(nameless),
        "not_found": [str(name) for name in missing],
        "nameless": [paper.fact("title") for paper in nameless],
        "unread": unread,
        "records": asdict(tally),
        **services_json(gathered, services.uses()),
    }
    _say(told, acquired, gathered, services)
    unanswered = query if searched.faults and not searched.papers else ""
    _end(missing, gathered, tally, unanswered=unanswered)


def _named(
    names: Sequence[str], lists: Sequence["Bibliography"]
) -> tuple[list["PaperName"], dict[str, str]]:
    from scops.libraries.papers.names import paper_name

    named = [paper_name(words) for words in names if words.strip()]
    unread: dict[str, str] = {}
    for one in lists:
        named += one.names
        unread |= one.unread
    return list(dict.fromkeys(named)), unread


def _looked_up(
    services: "PaperServices", names: Sequence["PaperName"]
) -> tuple["Gathered", list["PaperName"]]:
    """Asks for names; returns what was found, and those that nobody knows."""
    from scops.libraries.papers.gathering import Gathered

    whole, missing = Gathered(), []
    for name in names:
        found = services.gathering.look_up(name)
        count_in(whole, found)
        if not found.papers:
            missing.append(name)
    return whole, missing


def _say(
    told: dict[str, Any],
    acquired: Sequence["AcquiredPaper"],
    gathered: "Gathered",
    services: "PaperServices",
) -> None:
    if Output.is_json():
        print_json(told)
        return
    for one in acquired:
        line(f"[bold]{escape(one.paper.fact('title') or one.record_uri)}[/bold]")
        for said in _lines(one):
            line(f"    {escape(said)}")
    if told["joined"]:
        line(f"[dim]{told['joined']} were named or found twice[/dim]")
    for name in told["not_found"]:
        line(f"[red]{escape(name)}[/red]: no service knows it")
    for entry, why in told["unread"].items():
        line(f"[red]{escape(entry)}[/red]: {escape(why)}")
    tell_services(gathered, services.uses())


def _lines(one: "AcquiredPaper") -> Iterator[str]:
    said = one.as_json()
    if said["text"]:
        about = (said["licence"] or "no licence stated", said["status"], said["version"])
        yield f"{said['text']} ({', '.join(part for part in about if part)})"
    else:
        yield f"no text: {said['why']}"
    for tried in said["tried"]:
        yield f"tried {tried['url']}: {tried['why']}"


def _end(
    missing: Sequence["PaperName"], gathered: "Gathered", tally: "AddedFiles", *, unanswered: str
) -> None:
    """Says that something is missing.

    Args:
        unanswered: what was searched for without an answer; empty where there was one.

    Raises:
        CommandError: something is.
    """
    if not missing:
        ensure_answered(gathered)
    faults = "".join(f" ({name}: {why})" for name, why in gathered.faults.items())
    said = []
    if unanswered:
        said.append(f"The search for {unanswered!r} found nothing{faults}.")
    if missing:
        said.append(f"{len(missing)} papers were not found{faults}.")
    if tally.on_their_way or tally.unread:
        said.append(f"{tally.on_their_way + len(tally.unread)} records are not in the index yet.")
    if said:
        raise CommandError(
            f"{' '.join(said)} What was found is taken; run the command again.",
            code=Exit.JOB_NOT_COMPLETED,
            reason="PAPERS_INCOMPLETE",
        )
