"""Answers and explanations as a person reads them in a terminal."""

from collections.abc import Sequence

from rich.markup import escape

from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.standalone.commands.page import change_words, show_hunk
from scops.standalone.terminal.output import (
    console,
    last_part,
    line,
    link,
    section,
    short_id,
    short_time,
)
from scops.standalone.terminal.rules import show_rule

READ_BY_OCR = "[yellow]read by OCR[/yellow]"


def show_answer(answer: pb.AnswerResponse, *, with_parts: bool = False) -> None:
    """Prints statements, why there are none, citations, freshness and explanations.

    Args:
        with_parts: of the scores of what is explained.
    """
    for statement in answer.statements:
        _show_statement(statement)
    if answer.shortfall_reason:
        line(f"[yellow]{escape(answer.shortfall_reason)}[/yellow]")
    for citation in answer.citations:
        _show_citation(citation)
    _show_notes(answer)
    show_explanations(answer, with_parts=with_parts)


def show_explanations(
    told: pb.AnswerResponse | pb.ExplainResponse, *, with_parts: bool = False
) -> None:
    """Prints why passages rank as they do: in words, and the parts of their scores on request."""
    if told.rationale:
        console.print()
        line(f"[bold]{escape(told.rationale)}[/bold]")
    for explanation in told.explanations:
        _show_explanation(explanation, with_parts=with_parts)


def heading(title: str, section_path: Sequence[str]) -> str:
    """Returns title and section as marked-up text."""
    below = section(section_path, title=title)
    return f"{escape(title)} › {below}" if below else escape(title)


def _show_statement(statement: pb.Statement) -> None:
    numbers = "".join(f"[{number}]" for number in statement.citation_numbers)
    if statement.unsupported:
        line(f"{escape(statement.text)} [yellow](no passage bears this out)[/yellow]")
    else:
        line(f"[bold]{_highlighted(statement)}[/bold] [cyan]{escape(numbers)}[/cyan]")


def _highlighted(statement: pb.Statement) -> str:
    """Returns a statement as marked-up text, its short answer underlined."""
    text, span = statement.text, statement.highlight
    before, short, after = text[: span.start], text[span.start : span.end], text[span.end :]
    if not short:
        return escape(text)
    return f"{escape(before)}[underline]{escape(short)}[/underline]{escape(after)}"


def _show_citation(citation: pb.Citation) -> None:
    number = escape(f"[{citation.number}]")
    console.print()
    line(f"[cyan]{number}[/cyan] {heading(citation.title, citation.section_path)}")
    line("   ", link(citation.uri, citation.fragment_uri))
    line(f"    [dim]version {short_id(citation.version)}, {_standing(citation)}[/dim]")


def _standing(citation: pb.Citation) -> str:
    """Says when the cited text stood, and where in it the quote is."""
    how = f"captured by {escape(citation.captured_by)}" if citation.captured_by else "observed"
    seen = f"{how} {short_time(citation.clocks.observed_time)}"
    if citation.superseded:
        seen += ", [yellow]no longer what the page says[/yellow]"
    elif citation.clocks.verified_time != citation.clocks.observed_time:
        seen += f", verified {short_time(citation.clocks.verified_time)}"
    if citation.read_by_ocr:
        seen += f", {READ_BY_OCR}"
    return f"{seen}, characters {citation.start}–{citation.end}"


def _show_notes(answer: pb.AnswerResponse) -> None:
    """Prints what is said of the answer as a whole: its freshness, and a model's part in it."""
    if answer.freshness.statement:
        console.print()
        line(f"[dim]{escape(answer.freshness.statement)}[/dim]")
    if not answer.HasField("model"):
        return
    use = answer.model
    if use.fallback_reason:
        reason = use.fallback_reason.rstrip(".")
        line(f"[yellow]Quoted word for word, not worded by a model: {escape(reason)}.[/yellow]")
    else:
        tokens = f"{use.input_tokens} + {use.output_tokens} tokens"
        cost = f", {use.cost:.4f}" if use.cost else ""
        line(f"[dim]Worded by {escape(use.model)} ({tokens}{cost}).[/dim]")


def _show_explanation(explanation: pb.PassageExplanation, *, with_parts: bool) -> None:
    passage = explanation.passage
    console.print()
    line(f"[bold]{heading(passage.title, passage.section_path)}[/bold]")
    line(f"    {escape(explanation.rationale)}")
    if passage.read_by_ocr:
        line(f"    {READ_BY_OCR}")
    if with_parts:
        without = {entry.part: entry.rank for entry in explanation.ranks_without}
        for part in passage.parts:
            _show_part(part, without.get(part.name))
    if passage.graph_path:
        line(f"    linked by {escape(' → '.join(passage.graph_path))}")
    if passage.HasField("time_match"):
        _show_time(passage.time_match)
    for match in passage.scopes:
        line(f"    in scope {last_part(match.scope)} by {escape(show_rule(match.rule))}")
    if explanation.HasField("extraction"):
        _show_extraction(explanation.extraction)
    for entry in explanation.lineage:
        changed = escape(change_words(entry.change_class, entry.change_reasons))
        mark = "[cyan]cited[/cyan]" if entry.cited else "     "
        observed = short_time(entry.observed_time)
        line(f"    {mark} version {short_id(entry.version)} of {observed}, {changed}")
        for hunk in entry.diff:
            show_hunk(hunk)


def _show_time(match: pb.TimeMatch) -> None:
    asked = (
        f"asked for {match.relation.replace('_', ' ')} {_days(match.asked_from, match.asked_to)}"
    )
    if not match.dated:
        line(f"    {asked}, names no time")
        return
    named = _days(match.named_from, match.named_to)
    where = f"characters {match.start}–{match.end}, confidence {match.confidence:.2f}"
    line(f"    {asked}, speaks of {named} [dim]({where})[/dim]")


def _days(first: str, last: str) -> str:
    return first if first == last else f"{first or '…'} to {last or '…'}"


def _show_extraction(extraction: pb.Extraction) -> None:
    """Prints who read the page, what went wrong, and how sure its dates are."""
    flags = f", {', '.join(extraction.flags)}" if extraction.flags else ""
    line(f"    [dim]text by {escape(extraction.extractor or 'unknown')}{escape(flags)}[/dim]")
    for stated in extraction.stated:
        day = short_time(stated.time)
        where = f"in {stated.source}, confidence {stated.confidence:.2f}"
        line(f"    [dim]says it was {stated.kind} {day} ({escape(where)})[/dim]")


def _show_part(part: pb.ScorePart, rank_without: int | None) -> None:
    if not part.present:
        line(f"    [dim]{part.name:<11} nothing to say, left out of the sum[/dim]")
        return
    without = f"  [dim]rank {rank_without} without[/dim]" if rank_without else ""
    line(
        f"    {part.name:<11} {part.raw:7.3f} × {part.weight:4.2f} = {part.weighted:+.3f}{without}"
    )
