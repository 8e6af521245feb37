"""Papers that a search finds, each with all that services say of it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scops.libraries.papers.gathering import Gathered
    from scops.libraries.papers.paper import Paper
    from scops.libraries.papers.port import Years
    from scops.standalone.commands.papers.services import PaperServices


def found_by(services: "PaperServices", words: str, *, years: "Years", limit: int) -> "Gathered":
    """Returns what a search finds, and what services say of each paper by its name.

    A search says less of where a paper may be read than a look-up does.
    """
    from scops.libraries.papers.gathering import Gathered

    found = services.gathering.search(words, years=years, limit=limit)
    whole = Gathered([], found.skipped, found.faults, found.not_offered)
    for paper in found.papers:
        count_in(whole, _whole(services, paper))
    return whole


def count_in(whole: "Gathered", part: "Gathered") -> None:
    """Adds what was gathered to what was gathered before."""
    whole.papers += part.papers
    whole.skipped += part.skipped
    whole.faults |= part.faults
    whole.not_offered |= part.not_offered


def _whole(services: "PaperServices", paper: "Paper") -> "Gathered":
    """Returns a paper with what services say of it that were not asked by its name."""
    from scops.libraries.papers.gathering import Gathered

    if paper.name is None:
        return Gathered([paper])
    return services.gathering.completed(paper)
