"""`scops research …` and `scops ask --url`: pages are fetched until a question is answered."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich import filesize
from rich.markup import escape

from scops.api.v1alpha1 import research_service_pb2 as pb
from scops.api.v1alpha1 import scope_service_pb2 as scopes_pb
from scops.client.calls import Call, Streaming
from scops.client.errors import DeadlineExceeded
from scops.gateway.adapters.research.ways import way_to
from scops.gateway.adapters.research.words import stopped_words
from scops.standalone.commands.answer_view import show_answer
from scops.standalone.terminal.client import GatewayClient, open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import (
    Output,
    diagnostics,
    last_part,
    line,
    link,
    print_json,
    short_time,
)

app = typer.Typer(help="Questions for which pages are fetched.", no_args_is_help=True)
# Beyond its budget: for the pages of its last step, and its answer.
SECONDS_BESIDE, SECONDS_DEFAULT = 90.0, 120
# In one call, which the server bounds.
PAGES_ADDED_MAX = 100


@app.command("list")
def list_researches() -> None:
    """Lists your newest researches."""
    request = pb.ListResearchesRequest(page_size=50)
    with open_gateway() as client:
        answer = client.call(client.researches.ListResearches, request)
    if Output.is_json():
        print_json(answer)
        return
    for research in answer.researches:
        line(f"[dim]{short_time(research.create_time)}[/dim] {_summary(research)}")


@app.command()
def show(
    research: str,
    report: Annotated[
        Path | None, typer.Option(help="Write its report to this file: .md, .html or .json.")
    ] = None,
) -> None:
    """Shows what a research looked at, why it stopped, and its answer."""
    write = _report_writer(report) if report is not None else None
    with open_gateway() as client:
        found = client.call(
            client.researches.GetResearch,
            pb.GetResearchRequest(name=f"researches/{last_part(research)}"),
        )
    if write is not None:
        write(found)
    if Output.is_json():
        print_json(found)
        return
    _Telling().tell(found.research)
    show_research(found)


@app.command()
def promote(
    research: str,
    into: Annotated[str, typer.Option(help="The scope that its pages are added to.")],
    everything: Annotated[
        bool, typer.Option("--all", help="Add pages too that were near and are not cited.")
    ] = False,
) -> None:
    """Adds the pages that a research cites to a scope, where they stay."""
    with open_gateway() as client:
        request = pb.GetResearchRequest(name=f"researches/{last_part(research)}")
        found = client.call(client.researches.GetResearch, request)
        uris = _used(found, everything=everything)
        if not uris:
            raise CommandError(
                f"{found.research.name} cites no page that could be added.",
                code=Exit.INVALID_INPUT,
                reason="NOTHING_CITED",
            )
        for start in range(0, len(uris), PAGES_ADDED_MAX):
            added = scopes_pb.AddPagesRequest(
                name=f"scopes/{last_part(into)}",
                uris=uris[start : start + PAGES_ADDED_MAX],
                reason=f"cited by {found.research.name}",
            )
            scope = client.call(client.scopes.AddPages, added).scope
    if Output.is_json():
        print_json(scope)
        return
    for uri in uris:
        line("  ", link(uri))
    line(f"{len(uris)} pages are in {scope.name}")


@app.command()
def cancel(research: str) -> None:
    """Ends a research; what it has fetched stays."""
    request = pb.CancelResearchRequest(name=f"researches/{last_part(research)}")
    with open_gateway() as client:
        ended = client.call(client.researches.CancelResearch, request)
    if Output.is_json():
        print_json(ended)
    else:
        line(_summary(ended.research))


@app.command()
def delete(research: str) -> None:
    """Deletes a research; the pages that it fetched and the chat of its answer stay."""
    request = pb.DeleteResearchRequest(name=f"researches/{last_part(research)}")
    with open_gateway() as client:
        client.call(client.researches.DeleteResearch, request)
    if not Output.is_json():
        line(f"researches/{last_part(research)} is deleted")


def ask_further(wanted: pb.Research) -> None:
    """Has pages fetched until a question is answered, telling what is looked at, and answers."""
    with open_gateway() as client:
        request = pb.CreateResearchRequest(research=wanted, request_id=str(uuid.uuid4()))
        begun = client.call(client.researches.CreateResearch, request).research
        ended = _followed(client, begun)
    if Output.is_json():
        print_json(ended)
    else:
        show_research(ended)
    if not ended.answer.answered:
        raise typer.Exit(Exit.NOT_ANSWERED)


def show_research(found: pb.GetResearchResponse | pb.WatchResearchResponse) -> None:
    """Prints why a research stopped, and its answer with the ways to the pages cited."""
    research = found.research
    line(_summary(research))
    if research.message:
        line(f"[yellow]{escape(research.message)}[/yellow]")
    if found.HasField("answer"):
        show_answer(found.answer)
    for page in research.pages:
        if page.cited and page.found_on_uri:
            line(f"  found by {_way(research, page)}")
    for passed in research.passed:
        why = passed.outcome + (f" ({escape(passed.reason)})" if passed.reason else "")
        until = short_time(passed.until_time)
        line(f"[dim]  not tried again: {escape(passed.uri)}, {why}, until {until}[/dim]")
    if kept := _kept(research):
        line(f"[dim]{kept}[/dim]")
    missing = research.steps[-1].missing_words if research.steps else []
    if missing:
        words = ", ".join(f"“{escape(word)}”" for word in missing)
        line(f"[yellow]nothing cited holds {words}[/yellow]")


def _used(found: pb.GetResearchResponse, *, everything: bool) -> list[str]:
    """Returns the pages that a research cites, and those that were near where they are wanted."""
    cited = [citation.uri for citation in found.answer.citations]
    pages = found.research.pages
    used = [page.uri for page in pages if page.cited or (everything and page.useful)]
    return list(dict.fromkeys((*cited, *used)))


def _report_writer(file: Path) -> Callable[[pb.GetResearchResponse], int]:
    """Returns what writes a report to a file.

    Raises:
        CommandError: no form of a report ends so.
    """
    # What writes reports takes long to import, and other commands do without it.
    from scops.gateway.adapters.research.forms import FORMS, written

    form = file.suffix.removeprefix(".")
    if form not in FORMS:
        raise CommandError(
            f"A report is written as .{', .'.join(FORMS)}; name the file {file.stem[:40]}.md, "
            "for one.",
            code=Exit.INVALID_INPUT,
            reason="REPORT_FORMAT",
        )
    return lambda found: file.write_text(written(found, form), encoding="utf-8")


class _Telling:
    """Prints a research as a tree while it grows: looks, and below each the pages chosen."""

    def __init__(self) -> None:
        self._steps, self._pages = 0, 0

    def tell(self, research: pb.Research) -> None:
        """Prints what was not printed before."""
        for step in research.steps[self._steps :]:
            self._tell_pages(research, before=step.number)
            diagnostics.print(_looked(step), highlight=False)
        self._steps = len(research.steps)
        self._tell_pages(research, before=self._steps + 1)

    def _tell_pages(self, research: pb.Research, *, before: int) -> None:
        """Prints the pages with an outcome that were chosen before a step, in their order."""
        for page in research.pages[self._pages :]:
            if not page.outcome or page.step >= before:
                return
            diagnostics.print(_fetched(page), highlight=False)
            self._pages += 1


def _followed(client: GatewayClient, begun: pb.Research) -> pb.WatchResearchResponse:
    """Watches a research until it has ended, telling on stderr what it looks at.

    Raises:
        CommandError: it did not end in time.
    """
    streaming: Streaming[pb.WatchResearchResponse] = Streaming(
        Call("ResearchService", "WatchResearch"), lambda message: message, lasts=True
    )
    telling = _Telling()
    seen = pb.WatchResearchResponse(research=begun)
    seconds = (begun.budget.seconds or SECONDS_DEFAULT) + SECONDS_BESIDE
    request = pb.WatchResearchRequest(name=begun.name)
    try:
        for seen in client.parts(streaming, request, seconds=seconds):
            telling.tell(seen.research)
    except DeadlineExceeded as error:
        raise CommandError(
            f"{begun.name} has not ended after {seconds:.0f} s; it goes on. Follow it with "
            f"`scops research show {last_part(begun.name)}`.",
            code=Exit.JOB_NOT_COMPLETED,
            reason="RESEARCH_RUNNING",
        ) from error
    return seen


def _looked(step: pb.ResearchStep) -> str:
    found = f"{step.number}. look: covered {step.coverage:.0%}"
    if step.stop_reason:
        return f"[bold]{found}[/bold]"
    links = f"{step.candidates} links, best {step.best_gain:.0%}, {step.chosen} fetched"
    return f"[bold]{found}[/bold] [dim]({links})[/dim]"


def _fetched(page: pb.ResearchPage) -> str:
    by = f" [dim]by “{escape(page.link_text)}”[/dim]" if page.link_text else ""
    why = f" {page.outcome}" + (f" ({escape(page.reason)})" if page.reason else "")
    came = (
        ""
        if page.outcome in ("indexed", "known", "unchanged", "searched")
        else f"[yellow]{why}[/yellow]"
    )
    return f"   ├ {escape(page.uri)}{by}{came}"


def _summary(research: pb.Research) -> str:
    state = pb.Research.State.Name(research.state).removeprefix("STATE_").lower()
    why = stopped_words(research.stop_reason)
    pages = sum(page.outcome != "known" for page in research.pages)
    fetched = f"{pages} pages ({filesize.decimal(research.fetched_bytes)}) fetched"
    took = ""
    if research.HasField("end_time"):
        seconds = research.end_time.ToDatetime() - research.create_time.ToDatetime()
        took = f" in {seconds.total_seconds():.1f} s"
    told = f"research {last_part(research.name)}: [bold]{state}[/bold]{took}, {fetched}"
    return told + (f": {why}" if why else "")


def _kept(research: pb.Research) -> str:
    """Returns how long its scope is kept; empty where it is for good."""
    if research.HasField("drop_time"):
        return f"{research.scope} was deleted {short_time(research.drop_time)}"
    if research.HasField("kept_until"):
        return f"{research.scope} is kept until {short_time(research.kept_until)}"
    return ""


def _way(research: pb.Research, page: pb.ResearchPage) -> str:
    """Returns by which links a page was found, from the start."""
    way = way_to(page, research.pages)
    first = way[0].found_on_uri
    steps = [f"→ “{escape(one.link_text)}” → {escape(one.uri)}" for one in way]
    return " ".join((escape(first), *steps))
