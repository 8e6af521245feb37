"""`scops search`, `scops ask`, `scops explain`: passages, answers and ranks inside scopes."""

from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape
from rich.padding import Padding

from scops.api.v1alpha1 import research_service_pb2 as research_pb
from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.standalone.commands.answer_view import (
    READ_BY_OCR,
    heading,
    show_answer,
    show_explanations,
)
from scops.standalone.commands.research import ask_further
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import Exit
from scops.standalone.terminal.instants import parse_instant
from scops.standalone.terminal.output import Output, console, last_part, line, link, print_json

TEXT_CHARACTERS = 300
# Of a passage, before the first word found; shorter words stand everywhere.
CONTEXT_CHARACTERS = 60
WORD_CHARACTERS = 4
Scopes = Annotated[
    list[str], typer.Option("--scope", help="A scope; may be repeated; * for all you may see.")
]
ScopesOrNone = Annotated[
    list[str] | None,
    typer.Option("--scope", help="A scope; may be repeated; * for all you may see."),
]
AsOf = Annotated[
    str | None,
    typer.Option(help="As the index stood then: an RFC 3339 instant, or a date (its end, UTC)."),
]
Recipe = Annotated[
    str,
    typer.Option(
        help="The ranking recipe, or how much an answer rests on (top2, top3, top5); empty for the "
        "default."
    ),
]
Model = Annotated[
    str,
    typer.Option(help="Of the models that the installation offers, the one that words answers."),
]
Prefer = Annotated[
    list[str] | None,
    typer.Option(help="One of the scopes, whose passages come first; may be repeated."),
]
Parts = Annotated[
    bool, typer.Option("--parts", help="Show the parts of each score, and ranks without each.")
]


class Mode(StrEnum):
    """Who words an answer: a model where one is configured, nobody, or a model and why not."""

    UNSPECIFIED = "auto"
    EXTRACTIVE = "extractive"
    MODEL = "model"


class Unsupported(StrEnum):
    """What happens to a sentence of a model that no cited span bears out."""

    REMOVE = "remove"
    MARK = "mark"


class Revalidation(StrEnum):
    """Whether cited pages are checked before the answer goes out."""

    NEVER = "never"
    IF_RISKY = "if-risky"
    ALWAYS = "always"


def search(
    query: str,
    scope: Scopes,
    limit: Annotated[int, typer.Option(help="At most this many passages.")] = 10,
    as_of: AsOf = None,
    recipe: Recipe = "",
    prefer: Prefer = None,
) -> None:
    """Ranks passages of the scopes for a query."""
    request = pb.SearchRequest(
        query=query,
        scopes=_names(scope),
        page_size=limit,
        recipe=recipe,
        preferred_scopes=[pb.PreferredScope(scope=name) for name in _names(prefer or [])],
        as_of_time=parse_instant(as_of) if as_of else None,
    )
    with open_gateway() as client:
        answer = client.call(client.search.Search, request)
    if Output.is_json():
        print_json(answer)
        return
    for rank, passage in enumerate(answer.passages, start=1):
        _show_passage(rank, passage, query)
    for note in answer.notes:
        line(f"[dim]{escape(note)}[/dim]")
    if answer.shortfall_reason:
        line(f"[yellow]{escape(answer.shortfall_reason)}[/yellow]")


def ask(
    query: str,
    scope: ScopesOrNone = None,
    url: Annotated[
        str,
        typer.Option(help="Fetch pages from this URL on, as links promise, until they suffice."),
    ] = "",
    further: Annotated[
        bool, typer.Option("--further", help="Fetch pages of the scope until they suffice.")
    ] = False,
    pages: Annotated[
        int, typer.Option(help="With --url or --further: most pages fetched; 0 takes 25.")
    ] = 0,
    seconds: Annotated[
        int, typer.Option(help="With --url or --further: as long as it goes on; 0 takes 120.")
    ] = 0,
    size: Annotated[
        int,
        typer.Option(
            "--bytes", help="With --url or --further: most bytes fetched; 0 bounds them not."
        ),
    ] = 0,
    host: Annotated[
        list[str] | None,
        typer.Option(help="With --url: a further host whose pages may be fetched; repeatable."),
    ] = None,
    keep_days: Annotated[
        int | None,
        typer.Option(
            help="With --url: days for which its scope is kept after the last question there; "
            "0 deletes it at once. Without, it is kept.",
        ),
    ] = None,
    as_of: AsOf = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each passage ranks as it does.")
    ] = False,
    mode: Annotated[
        Mode, typer.Option(help="Quote sentences, or let the configured model word the answer.")
    ] = Mode.UNSPECIFIED,
    model: Model = "",
    unsupported: Annotated[
        Unsupported, typer.Option(help="A model's sentence that nothing bears out.")
    ] = Unsupported.REMOVE,
    revalidate: Annotated[
        Revalidation, typer.Option(help="Check the cited pages first: never, if risky, always.")
    ] = Revalidation.NEVER,
    recipe: Recipe = "",
    parts: Parts = False,
) -> None:
    """Answers a question with sentences that are each cited to a version.

    With --url no scope is needed: pages are fetched as links promise an answer, into a scope of
    yours for that site, and scopes that are named are asked besides. With --further they are
    fetched for the one scope that is named.
    """
    if url or further:
        budget = research_pb.ResearchBudget(pages=pages, seconds=seconds, bytes=size)
        wanted = research_pb.Research(
            question=query, uri=url, hosts=host or [], budget=budget, keep_days=keep_days
        )
        ask_further(_inside(wanted, _names(scope or [])))
        return
    if not scope:
        raise typer.BadParameter("name a scope, or a URL to start from (--url)", param_hint="scope")
    request = pb.AnswerRequest(
        query=query,
        scopes=_names(scope),
        explain=explain,
        mode=pb.AnswerRequest.Mode.Value(f"MODE_{mode.name}"),
        unsupported=pb.AnswerRequest.Unsupported.Value(f"UNSUPPORTED_{unsupported.name}"),
        revalidate=pb.AnswerRequest.Revalidate.Value(f"REVALIDATE_{revalidate.name}"),
        as_of_time=parse_instant(as_of) if as_of else None,
        recipe=recipe,
        model=model,
    )
    with open_gateway() as client:
        answer = client.call(client.search.Answer, request)
    if Output.is_json():
        print_json(answer)
    else:
        show_answer(answer, with_parts=parts)
    if not answer.answered:
        raise typer.Exit(Exit.NOT_ANSWERED)


def _inside(wanted: research_pb.Research, scopes: list[str]) -> research_pb.Research:
    """Returns what is to be researched: from its URL on, or in the scope named."""
    if wanted.uri:
        wanted.scopes.extend(scopes)
        return wanted
    if len(scopes) != 1 or scopes[0] == "*":
        raise typer.BadParameter("--further takes one scope, whose pages are fetched")
    wanted.scope = scopes[0]
    return wanted


def explain_ranking(
    query: str,
    scope: Scopes,
    limit: Annotated[int, typer.Option(help="At most this many passages.")] = 5,
    as_of: AsOf = None,
    recipe: Recipe = "",
    prefer: Prefer = None,
    parts: Parts = False,
) -> None:
    """Says why passages rank as they do for a query, and what would change it."""
    request = pb.ExplainRequest(
        query=query,
        scopes=_names(scope),
        page_size=limit,
        recipe=recipe,
        preferred_scopes=[pb.PreferredScope(scope=name) for name in _names(prefer or [])],
        as_of_time=parse_instant(as_of) if as_of else None,
    )
    with open_gateway() as client:
        told = client.call(client.search.Explain, request)
    if Output.is_json():
        print_json(told)
    elif told.explanations:
        show_explanations(told, with_parts=parts)
    else:
        line("[yellow]Nothing was found that could be ranked.[/yellow]")


def _names(scopes: list[str]) -> list[str]:
    return [scope if scope == "*" else f"scopes/{last_part(scope)}" for scope in scopes]


def _show_passage(rank: int, passage: pb.Passage, query: str) -> None:
    parts = "  ".join(f"{part.name} {part.weighted:+.3f}" for part in passage.parts if part.present)
    shown_as = heading(passage.title, passage.section_path)
    line(f"[bold]{rank}. {shown_as}[/bold]  [cyan]{passage.score:.3f}[/cyan] [dim]({parts})[/dim]")
    line("  ", link(passage.uri))
    if passage.read_by_ocr:
        line(f"   {READ_BY_OCR}")
    shown = excerpt(passage.text, query)
    line(Padding(escape(shown), (0, 0, 0, 3)) if console.is_terminal else f"   {escape(shown)}")


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
