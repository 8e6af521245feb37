"""`scops page …`: pages, their versions and differences."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from scops.api.v1alpha1 import page_service_pb2 as pb
from scops.standalone.client import GatewayClient
from scops.standalone.output import Output, console, last_part, print_json, short_time
from scops.standalone.settings import CommandSettings

app = typer.Typer(help="Pages, their versions and differences.", no_args_is_help=True)
PageName = Annotated[str, typer.Argument(help="A page id or its URL.")]
STYLES = {
    pb.DiffPart.KIND_EQUAL: "dim",
    pb.DiffPart.KIND_DELETE: "red strike",
    pb.DiffPart.KIND_INSERT: "green",
}


@app.command("list")
def list_pages(
    scope: Annotated[str, typer.Option(help="The scope whose pages to list.")],
    limit: Annotated[int, typer.Option(help="At most this many.")] = 100,
) -> None:
    """Lists the known pages of a scope."""
    pages: list[pb.Page] = []
    with GatewayClient(CommandSettings()) as client:
        token = ""
        while len(pages) < limit:
            request = pb.ListPagesRequest(
                scope=f"scopes/{scope}", page_size=min(limit, 100), page_token=token
            )
            answer = client.call(client.pages.ListPages, request)
            pages += answer.pages
            token = answer.next_page_token
            if not token:
                break
    if Output.is_json():
        print_json(pb.ListPagesResponse(pages=pages[:limit], next_page_token=token))
        return
    table = Table("page", "URL", "status", "last fetch")
    for page in pages[:limit]:
        fetched = short_time(page.last_fetch_time)
        table.add_row(last_part(page.name), page.uri, page.status, fetched)
    console.print(table)


@app.command()
def show(page: PageName) -> None:
    """Shows what is known of a page, and when it is fetched next."""
    with GatewayClient(CommandSettings()) as client:
        found = _find(client, page)
    if Output.is_json():
        print_json(found)
        return
    console.print(f"[bold]{found.uri}[/bold]", highlight=False)
    console.print(f"  id {last_part(found.name)}  {found.status} {found.last_reason}")
    console.print(f"  last fetch {short_time(found.last_fetch_time)}  {found.plan}")
    console.print(f"  scopes {', '.join(last_part(scope) for scope in found.scopes) or '–'}")


@app.command()
def history(page: PageName) -> None:
    """Lists the versions of a page, newest first."""
    with GatewayClient(CommandSettings()) as client:
        found = _find(client, page)
        request = pb.ListPageVersionsRequest(name=found.name)
        answer = client.call(client.pages.ListPageVersions, request)
    if Output.is_json():
        print_json(answer)
        return
    console.print(f"[bold]{found.uri}[/bold]", highlight=False)
    if answer.closed:
        console.print(f"closed since {short_time(answer.closed_time)}: {answer.closed_reason}")
    table = Table("version", "from", "to", "verified", "change", "reasons", "chunks")
    for version in answer.versions:
        table.add_row(
            version.version,
            short_time(version.observed_from_time),
            short_time(version.observed_to_time),
            short_time(version.last_verified_time),
            _change(version),
            ", ".join(version.change_reasons),
            str(version.chunk_count),
        )
    console.print(table)


@app.command()
def diff(
    page: PageName,
    from_version: Annotated[str, typer.Option("--from", help="A version id, or previous.")] = "",
    to_version: Annotated[str, typer.Option("--to", help="A version id, or latest.")] = "",
) -> None:
    """Compares two versions of a page, word by word; by default the newest two."""
    with GatewayClient(CommandSettings()) as client:
        found = _find(client, page)
        request = pb.DiffPageVersionsRequest(
            name=found.name, from_version=from_version, to_version=to_version
        )
        answer = client.call(client.pages.DiffPageVersions, request)
    if Output.is_json():
        print_json(answer)
        return
    console.print(f"--- {answer.from_version}\n+++ {answer.to_version}", highlight=False)
    for hunk in answer.hunks:
        show_hunk(hunk)
    if not answer.hunks:
        console.print("no difference")


def show_hunk(hunk: pb.DiffHunk) -> None:
    """Prints one changed block, deletions red and insertions green."""
    if hunk.section_path:
        console.print(f"[cyan]@@ {' > '.join(hunk.section_path)}[/cyan]", highlight=False)
    line = Text("  ")
    for part in hunk.parts:
        line.append(part.text, style=STYLES.get(part.kind, ""))
    console.print(line)


def _find(client: GatewayClient, page: str) -> pb.Page:
    by_url = "://" in page
    request = pb.GetPageRequest(
        uri=page if by_url else "", name="" if by_url else f"pages/{last_part(page)}"
    )
    return client.call(client.pages.GetPage, request).page


def _change(version: pb.PageVersion) -> str:
    if version.restored_version:
        return "restored"
    return "pipeline" if version.pipeline_changed else version.change_class
