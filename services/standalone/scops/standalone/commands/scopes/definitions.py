"""`scops scope …`: named sets of pages, and the rules that let pages in."""

from typing import Annotated, Any

import typer
from google.protobuf.field_mask_pb2 import FieldMask
from rich import box
from rich.markup import escape
from rich.table import Table

from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.standalone.commands.scopes.listing import all_scopes
from scops.standalone.commands.scopes.view import show_scope
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.output import Output, console, last_part, line, print_json
from scops.standalone.terminal.rules import (
    BOUNDARIES,
    BoundaryName,
    parse_rule,
    reason_names,
    show_rule,
)

app = typer.Typer()

Include = Annotated[
    list[str] | None,
    typer.Option(help="A rule that lets pages in: prefix:, glob:, regex: or page:."),
]
Exclude = Annotated[list[str] | None, typer.Option(help="A rule that keeps pages out; it wins.")]
Boundary = Annotated[
    BoundaryName | None,
    typer.Option(
        help="How far from its seeds a scope reaches: their folders (subpages), hosts, or "
        "registrable domains with every host below.",
    ),
]
Sitemaps = Annotated[list[str] | None, typer.Option("--sitemap", help="A sitemap to read.")]
PageLimit = Annotated[int, typer.Option(help="Most pages that one crawl fetches; 0: default.")]
RecrawlPerDay = Annotated[
    int,
    typer.Option(
        help="Fetches a day that keep its pages fresh; 0: the organisation's budget, -1: none."
    ),
]
RenderedPerDay = Annotated[
    int,
    typer.Option(help="Pages a browser shows for it in a day; 0: the installation's, -1: none."),
]
RenderedAlways = Annotated[
    bool | None,
    typer.Option(
        "--rendered-always/--rendered-at-need",
        help="Whether a browser shows all of its pages, or those that only scripts fill.",
    ),
]
PaperService = Annotated[
    list[str] | None,
    typer.Option(
        help="A scholarly service that research runs in it ask for papers, such as openalex or "
        "arxiv; it is told keyphrases of the question. May be given again.",
    ),
]
DepthLimit = Annotated[int, typer.Option(help="Most links away from a seed; 0: default.")]
RetentionDays = Annotated[
    int, typer.Option(help="Days a version is kept after it stopped standing; 0: for good.")
]
Count = Annotated[
    str, typer.Option(help="Only these reasons count when changes are read, by commas.")
]
Ignore = Annotated[str, typer.Option(help="Reasons that are noise when changes are read.")]
Public = Annotated[
    bool | None,
    typer.Option("--public/--private", help="Whether everybody of the organisation may read it."),
]
Reason = Annotated[str, typer.Option(help="Why, for the history of the scope.")]


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Lower-case letters, digits and dashes.")],
    seeds: Annotated[list[str] | None, typer.Argument(help="URLs that crawls start from.")] = None,
    include: Include = None,
    exclude: Exclude = None,
    boundary: Boundary = None,
    sitemap: Sitemaps = None,
    page_limit: PageLimit = 0,
    depth_limit: DepthLimit = 0,
    retention_days: RetentionDays = 0,
    count: Count = "",
    ignore: Ignore = "",
    recrawl_per_day: RecrawlPerDay = 0,
    rendered_per_day: RenderedPerDay = 0,
    rendered_always: RenderedAlways = None,
    paper_service: PaperService = None,
    public: Public = None,
) -> None:
    """Creates a scope; without --include and --boundary, the folder of each seed."""
    if boundary is None:
        boundary = BoundaryName.SUBPAGES if seeds and not include else BoundaryName.UNSPECIFIED
    wanted = pb.Scope(
        display_name=name,
        rules=_rules(include or [], exclude),
        boundary=BOUNDARIES[boundary],
        seeds=seeds or [],
        sitemaps=sitemap or [],
        page_limit=page_limit,
        depth_limit=depth_limit,
        retention_days=retention_days,
        counted_reasons=reason_names(count),
        ignored_reasons=reason_names(ignore),
        recrawl_per_day=recrawl_per_day,
        rendered_per_day=rendered_per_day,
        rendered_always=bool(rendered_always),
        paper_services=paper_service or [],
        public=bool(public),
    )
    with open_gateway() as client:
        request = pb.CreateScopeRequest(scope_id=name, scope=wanted)
        show_scope(client.call(client.scopes.CreateScope, request).scope)


@app.command("list")
def list_scopes() -> None:
    """Lists the scopes."""
    with open_gateway() as client:
        scopes = all_scopes(client)
    if Output.is_json():
        print_json(pb.ListScopesResponse(scopes=scopes))
        return
    table = Table("scope", "rules", "seeds", "revision", box=box.SIMPLE_HEAD)
    for scope in scopes:
        rules = escape("\n".join(show_rule(rule) for rule in scope.rules))
        rules += "".join(f"\n[red]!![/] {escape(error)}" for error in scope.rule_errors)
        table.add_row(
            last_part(scope.name), rules, escape("\n".join(scope.seeds)), str(scope.revision)
        )
    console.print(table)


@app.command()
def show(name: str) -> None:
    """Shows a scope."""
    with open_gateway() as client:
        request = pb.GetScopeRequest(name=f"scopes/{name}")
        show_scope(client.call(client.scopes.GetScope, request).scope)


@app.command()
def use(name: str) -> None:
    """Says what a scope has used today (UTC) of what a browser may show for it."""
    with open_gateway() as client:
        request = pb.GetScopeUseRequest(name=f"scopes/{name}")
        found = client.call(client.scopes.GetScopeUse, request)
    if Output.is_json():
        print_json(found)
        return
    line(f"{found.rendered_pages} of {found.rendered_per_day} pages shown by a browser today (UTC)")


@app.command()
def update(
    name: str,
    include: Include = None,
    exclude: Exclude = None,
    boundary: Boundary = None,
    seed: Annotated[list[str] | None, typer.Option(help="URLs to start from.")] = None,
    sitemap: Sitemaps = None,
    page_limit: Annotated[int | None, typer.Option(help="Most pages a crawl fetches.")] = None,
    depth_limit: Annotated[int | None, typer.Option(help="Most links from a seed.")] = None,
    retention_days: Annotated[
        int | None, typer.Option(help="Days a version is kept after it stopped standing.")
    ] = None,
    count: Annotated[str | None, typer.Option(help="Only these reasons count.")] = None,
    ignore: Annotated[str | None, typer.Option(help="Reasons that are noise.")] = None,
    recrawl_per_day: Annotated[
        int | None,
        typer.Option(help="Fetches a day that keep it fresh; 0: the organisation's, -1: none."),
    ] = None,
    rendered_per_day: Annotated[
        int | None,
        typer.Option(help="Pages a browser shows in a day; 0: the installation's, -1: none."),
    ] = None,
    rendered_always: RenderedAlways = None,
    paper_service: PaperService = None,
    no_papers: Annotated[
        bool, typer.Option("--no-papers", help="No scholarly service is asked any more.")
    ] = False,
    public: Public = None,
    reason: Reason = "",
) -> None:
    """Replaces the given parts of a scope; rules are replaced as a whole.

    With --include and without --boundary, the boundary is no more.
    """
    bounded = boundary is not None or include is not None
    ruled = include is not None or exclude is not None
    given = {
        "rules": _rules(include or [], exclude) if ruled else None,
        "boundary": BOUNDARIES[boundary or BoundaryName.UNSPECIFIED] if bounded else None,
        "seeds": seed,
        "sitemaps": sitemap,
        "page_limit": page_limit,
        "depth_limit": depth_limit,
        "retention_days": retention_days,
        "counted_reasons": None if count is None else reason_names(count),
        "ignored_reasons": None if ignore is None else reason_names(ignore),
        "recrawl_per_day": recrawl_per_day,
        "rendered_per_day": rendered_per_day,
        "rendered_always": rendered_always,
        "paper_services": [] if no_papers else paper_service,
        "public": public,
    }
    values: dict[str, Any] = {path: value for path, value in given.items() if value is not None}
    wanted = pb.Scope(name=f"scopes/{name}", **values)
    with open_gateway() as client:
        request = pb.UpdateScopeRequest(
            scope=wanted, update_mask=FieldMask(paths=list(values)), reason=reason
        )
        show_scope(client.call(client.scopes.UpdateScope, request).scope)


@app.command()
def delete(name: str) -> None:
    """Deletes a scope; its pages stay in the index for other scopes."""
    with open_gateway() as client:
        client.call(client.scopes.DeleteScope, pb.DeleteScopeRequest(name=f"scopes/{name}"))
    if Output.is_json():
        print_json({"deleted": f"scopes/{name}"})
    else:
        line(f"deleted scope {name}")


@app.command()
def preview(
    name: Annotated[str, typer.Argument(help="A scope; empty with --include.")] = "",
    include: Include = None,
    exclude: Exclude = None,
) -> None:
    """Says how many known URLs a scope, or rules given here, match; with examples.

    With a scope and rules: which would come in and go out if the scope had these.
    """
    request = pb.PreviewScopeRequest(
        name=f"scopes/{name}" if name else "", rules=_rules(include or [], exclude)
    )
    with open_gateway() as client:
        answer = client.call(client.scopes.PreviewScope, request)
    if Output.is_json():
        print_json(answer)
        return
    more = " at least" if answer.truncated else ""
    line(f"matches{more} {answer.matched_count} of{more} {answer.known_count} known URLs")
    for sign, urls in (("+", answer.matched_examples), ("−", answer.unmatched_examples)):
        for url in urls:
            line(f"  {sign} {escape(url)}")
    if name and (include or exclude):
        for what, count, moved in (
            ("would come in", answer.in_count, answer.in_examples),
            ("would go out", answer.out_count, answer.out_examples),
        ):
            line(f"{count}{more} {what}")
            for page in moved:
                line(f"  {escape(page.uri)}  [dim]{escape(_why(page))}[/dim]")


def _why(page: pb.PreviewedPage) -> str:
    return show_rule(page.rule) if page.HasField("rule") else "no rule lets it in"


def _rules(include: list[str], exclude: list[str] | None) -> list[pb.ScopeRule]:
    return [parse_rule(words) for words in include] + [
        parse_rule(words, exclude=True) for words in exclude or []
    ]
