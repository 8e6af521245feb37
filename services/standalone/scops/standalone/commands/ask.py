"""`scops search` and `scops ask`: passages and answers inside scopes."""

from typing import Annotated

import typer
from rich.markup import escape

from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.standalone.client import GatewayClient
from scops.standalone.commands.page import show_hunk
from scops.standalone.exits import Exit
from scops.standalone.instants import parse_instant
from scops.standalone.output import Output, console, last_part, print_json, short_time
from scops.standalone.rules import show_rule
from scops.standalone.settings import CommandSettings

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
    with GatewayClient(CommandSettings()) as client:
        answer = client.call(client.search.Search, request)
    if Output.is_json():
        print_json(answer)
        return
    for rank, passage in enumerate(answer.passages, start=1):
        _show_passage(rank, passage)
    if answer.shortfall_reason:
        console.print(f"[yellow]{escape(answer.shortfall_reason)}[/yellow]")


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
    with GatewayClient(CommandSettings()) as client:
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
        console.print(f"{escape(statement.text)} [cyan]{escape(numbers)}[/cyan]")
    if answer.shortfall_reason:
        console.print(f"[yellow]{escape(answer.shortfall_reason)}[/yellow]")
    console.print()
    for citation in answer.citations:
        _show_citation(citation)
    for explanation in answer.explanations:
        _show_explanation(explanation)


def _show_citation(citation: pb.Citation) -> None:
    section = " > ".join(citation.section_path)
    console.print(
        f"[cyan]{escape(f'[{citation.number}]')}[/cyan] {escape(citation.title)}"
        + (f" – {escape(section)}" if section else "")
    )
    console.print(f"    {citation.fragment_uri or citation.uri}", highlight=False, soft_wrap=True)
    standing = "superseded since" if citation.superseded else "verified"
    console.print(
        f"    version {citation.version[:8]} observed {short_time(citation.clocks.observed_time)}"
        f", {standing} {short_time(citation.clocks.verified_time)}"
        f", characters {citation.start}–{citation.end}",
        highlight=False,
    )


def _show_passage(rank: int, passage: pb.Passage) -> None:
    parts = "  ".join(f"{part.name} {part.weighted:+.3f}" for part in passage.parts if part.present)
    console.print(f"[bold]{rank}. {escape(passage.title)}[/bold]  {passage.score:.3f}  ({parts})")
    console.print(f"   {passage.uri}", highlight=False, soft_wrap=True)
    text = " ".join(passage.text.split())
    console.print(f"   {escape(text[:300])}{'…' if len(text) > 300 else ''}")


def _show_explanation(explanation: pb.PassageExplanation) -> None:
    passage = explanation.passage
    console.print()
    console.print(f"[bold]why rank {explanation.rank}[/bold] {escape(explanation.rationale)}")
    for part in passage.parts:
        if part.present:
            console.print(
                f"    {part.name:<7} {part.raw:7.3f} × {part.weight:5.2f} = {part.weighted:+.3f}"
            )
        else:
            console.print(f"    {part.name:<7}  nothing to say, left out of the sum")
    for match in passage.scopes:
        console.print(
            f"    in scope {last_part(match.scope)} by {show_rule(match.rule)}", highlight=False
        )
    for entry in explanation.lineage:
        mark = "cited" if entry.cited else "     "
        changed = f"{entry.change_class} {', '.join(entry.change_reasons)}".strip()
        console.print(f"    {mark} {entry.version[:8]} {short_time(entry.observed_time)} {changed}")
        for hunk in entry.diff:
            show_hunk(hunk)
