"""`scops search` and `scops ask`: passages and answers inside scopes."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.markup import escape
from rich.padding import Padding

from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.standalone.client import open_gateway
from scops.standalone.commands.page import change_words, show_hunk
from scops.standalone.exits import Exit
from scops.standalone.instants import parse_instant
from scops.standalone.output import (
    Output,
    console,
    last_part,
    line,
    link,
    print_json,
    section,
    short_id,
    short_time,
)
from scops.standalone.rules import show_rule

TEXT_CHARACTERS = 300
# Of a passage, before the first word found; shorter words stand everywhere.
CONTEXT_CHARACTERS = 60
WORD_CHARACTERS = 4
Scopes = Annotated[
    list[str], typer.Option("--scope", help="A scope; may be repeated; * for all you may see.")
]
AsOf = Annotated[
    str | None,
    typer.Option(help="As the index stood then: an RFC 3339 instant, or a date (its end, UTC)."),
]


def search(
    query: str,
    scope: Scopes,
    limit: Annotated[int, typer.Option(help="At most this many passages.")] = 10,
    as_of: AsOf = None,
    recipe: Annotated[str, typer.Option(help="The ranking recipe; empty for the default.")] = "",
) -> None:
    """Ranks passages of the scopes for a query."""
    request = pb.SearchRequest(
        query=query,
        scopes=_names(scope),
        page_size=limit,
        recipe=recipe,
        as_of_time=parse_instant(as_of) if as_of else None,
    )
    with open_gateway() as client:
        answer = client.call(client.search.Search, request)
    if Output.is_json():
        print_json(answer)
        return
    for rank, passage in enumerate(answer.passages, start=1):
        _show_passage(rank, passage, query)
    if answer.shortfall_reason:
        line(f"[yellow]{escape(answer.shortfall_reason)}[/yellow]")


def ask(
    query: str,
    scope: Scopes,
    as_of: AsOf = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each passage ranks as it does.")
    ] = False,
) -> None:
    """Answers a question with verbatim sentences, each cited to a version."""
    request = pb.AnswerRequest(
        query=query,
        scopes=_names(scope),
        explain=explain,
        as_of_time=parse_instant(as_of) if as_of else None,
    )
    with open_gateway() as client:
        answer = client.call(client.search.Answer, request)
    if Output.is_json():
        print_json(answer)
    else:
        _show_answer(answer)
    if not answer.answered:
        raise typer.Exit(Exit.NOT_ANSWERED)


def _names(scopes: list[str]) -> list[str]:
    return [scope if scope == "*" else f"scopes/{last_part(scope)}" for scope in scopes]


def _show_answer(answer: pb.AnswerResponse) -> None:
    for statement in answer.statements:
        numbers = "".join(f"[{number}]" for number in statement.citation_numbers)
        line(f"[bold]{escape(statement.text)}[/bold] [cyan]{escape(numbers)}[/cyan]")
    if answer.shortfall_reason:
        line(f"[yellow]{escape(answer.shortfall_reason)}[/yellow]")
    for citation in answer.citations:
        _show_citation(citation)
    for explanation in answer.explanations:
        _show_explanation(explanation)


def _show_citation(citation: pb.Citation) -> None:
    number = escape(f"[{citation.number}]")
    console.print()
    line(f"[cyan]{number}[/cyan] {_heading(citation.title, citation.section_path)}")
    line("   ", link(citation.uri, citation.fragment_uri))
    line(f"    [dim]version {short_id(citation.version)}, {_standing(citation)}[/dim]")


def _standing(citation: pb.Citation) -> str:
    """Says when the cited text stood, and where in it the quote is."""
    seen = f"observed {short_time(citation.clocks.observed_time)}"
    if citation.superseded:
        seen += ", [yellow]no longer what the page says[/yellow]"
    elif citation.clocks.verified_time != citation.clocks.observed_time:
        seen += f", verified {short_time(citation.clocks.verified_time)}"
    return f"{seen}, characters {citation.start}–{citation.end}"


def _show_passage(rank: int, passage: pb.Passage, query: str) -> None:
    parts = "  ".join(f"{part.name} {part.weighted:+.3f}" for part in passage.parts if part.present)
    heading = _heading(passage.title, passage.section_path)
    line(f"[bold]{rank}. {heading}[/bold]  [cyan]{passage.score:.3f}[/cyan] [dim]({parts})[/dim]")
    line("  ", link(passage.uri))
    shown = excerpt(passage.text, query)
    line(Padding(escape(shown), (0, 0, 0, 3)) if console.is_terminal else f"   {escape(shown)}")


def _heading(title: str, section_path: Sequence[str]) -> str:
    below = section(section_path, title=title)
    return f"{escape(title)} › {below}" if below else escape(title)


def excerpt(text: str, query: str) -> str:
    """Returns the part of a passage that begins shortly before the first word of the query."""
    flat = " ".join(text.split())
    folded = flat.casefold()
    words = (word for word in query.casefold().split() if len(word) >= WORD_CHARACTERS)
    found = [position for word in words if (position := folded.find(word)) >= 0]
    start = min(found, default=0)
    start = flat.rfind(" ", 0, start - CONTEXT_CHARACTERS) + 1 if start > CONTEXT_CHARACTERS else 0
    end = start + TEXT_CHARACTERS
    return f"{'…' * (start > 0)}{flat[start:end]}{'…' * (end < len(flat))}"


def _show_explanation(explanation: pb.PassageExplanation) -> None:
    passage = explanation.passage
    console.print()
    line(f"[bold]{_heading(passage.title, passage.section_path)}[/bold]")
    line(f"    {escape(explanation.rationale)}")
    for part in passage.parts:
        _show_part(part)
    for match in passage.scopes:
        line(f"    in scope {last_part(match.scope)} by {escape(show_rule(match.rule))}")
    for entry in explanation.lineage:
        changed = escape(change_words(entry.change_class, entry.change_reasons))
        mark = "[cyan]cited[/cyan]" if entry.cited else "     "
        observed = short_time(entry.observed_time)
        line(f"    {mark} version {short_id(entry.version)} of {observed}, {changed}")
        for hunk in entry.diff:
            show_hunk(hunk)


def _show_part(part: pb.ScorePart) -> None:
    if part.present:
        line(f"    {part.name:<7} {part.raw:7.3f} × {part.weight:4.2f} = {part.weighted:+.3f}")
    else:
        line(f"    [dim]{part.name:<7} nothing to say, left out of the sum[/dim]")
