"""Tells of papers: a line for each, what services did not say, and how they were asked."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import diagnostics, line

if TYPE_CHECKING:
    from scops.libraries.papers.gathering import Gathered
    from scops.libraries.papers.paper import Paper

AUTHORS_SHOWN = 3
SKIPPED_SHOWN = 5


def tell_papers(papers: Sequence["Paper"]) -> None:
    """Prints papers for people."""
    for number, paper in enumerate(papers, start=1):
        mark = "[red]retracted[/red] " if paper.retracted else ""
        line(f"{number:>3} {mark}[bold]{escape(paper.fact('title') or 'Untitled')}[/bold]")
        line(f"    {escape(_about(paper))}")


def tell_services(gathered: "Gathered", uses: Mapping[str, Any]) -> None:
    """Prints on stderr what services left out, and how they were asked."""
    for service, why in gathered.faults.items():
        diagnostics.print(f"[yellow]{service}: {escape(why)}[/yellow]")
    for service, why in gathered.not_offered.items():
        diagnostics.print(f"[dim]{service}: {escape(why)}[/dim]")
    for one in gathered.skipped[:SKIPPED_SHOWN]:
        diagnostics.print(f"[dim]{one.service}: {escape(one.what)} {escape(one.why)}[/dim]")
    if len(gathered.skipped) > SKIPPED_SHOWN:
        diagnostics.print(f"[dim]and {len(gathered.skipped) - SKIPPED_SHOWN} more records[/dim]")
    for service, use in uses.items():
        rate = f"; it says {use['rate']}" if "rate" in use else ""
        busy = f", {use['busy']} of them too many" if use["busy"] else ""
        said = f"{use['requests']} requests{busy}, {use['waited_seconds']:.1f} s waited{rate}"
        diagnostics.print(f"[dim]{service}: {escape(said)}[/dim]")


def ensure_answered(gathered: "Gathered") -> None:
    """Has a command fail where nothing was found and services failed.

    Raises:
        CommandError: they did.
    """
    if gathered.faults and not gathered.papers:
        raise CommandError(
            f"No service answered with papers, and {', '.join(gathered.faults)} failed: "
            f"{next(iter(gathered.faults.values()))}",
            code=Exit.UNAVAILABLE,
            reason="PAPERS_UNAVAILABLE",
        )


def services_json(gathered: "Gathered", uses: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the same for programs."""
    from scops.libraries.papers.gathering import skipped_json

    return {
        "skipped": list(skipped_json(gathered.skipped)),
        "faults": gathered.faults,
        "not_offered": gathered.not_offered,
        "services": dict(uses),
    }


def _about(paper: "Paper") -> str:
    names = [author.name for author in paper.authors]
    more = " et al." if len(names) > AUTHORS_SHOWN else ""
    open_to = sorted({one.licence or one.status for one in paper.locations} - {""})
    said = [
        ", ".join(names[:AUTHORS_SHOWN]) + more,
        paper.fact("venue"),
        paper.fact("published"),
        str(paper.name or ""),
        f"open: {', '.join(open_to)}" if open_to else "",
        f"said by {', '.join(dict.fromkeys(one.service for one in paper.records))}",
    ]
    return " · ".join(part for part in said if part)
