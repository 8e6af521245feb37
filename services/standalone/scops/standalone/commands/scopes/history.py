"""`scops scope log …`: what a scope was, who changed it and why, and back to it."""

from collections.abc import Iterator
from typing import Annotated

import typer
from rich.markup import escape

from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.standalone.commands.scopes.view import show_scope
from scops.standalone.terminal.client import GatewayClient, open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, last_part, line, print_json, short_time

app = typer.Typer()
PAGE_SIZE = 100
Name = Annotated[str, typer.Argument(help="The scope.")]


@app.command()
def log(
    name: Name,
    limit: Annotated[int, typer.Option(help="Most revisions to show.", min=1)] = 20,
) -> None:
    """Lists the changes of a scope, newest first: who made them, when, why, what differs."""
    with open_gateway() as client:
        found = [one for one, _ in zip(_revisions(client, name), range(limit), strict=False)]
    _show_revisions(found)


@app.command()
def diff(
    name: Name,
    since: Annotated[
        int, typer.Argument(help="The revision to begin after; 0: that before the newest.")
    ] = 0,
    until: Annotated[int, typer.Argument(help="The revision to end with; 0: the newest.")] = 0,
) -> None:
    """Shows what changed in a scope after one revision and until another, newest first."""
    if until and since > until:
        since, until = until, since
    with open_gateway() as client:
        found = _between(_revisions(client, name), name=name, since=since, until=until)
    _show_revisions(found)


@app.command()
def revert(
    name: Name,
    revision: Annotated[int, typer.Argument(help="The revision to go back to; see `log`.")],
    reason: Annotated[str, typer.Option(help="Why, for the history of the scope.")] = "",
) -> None:
    """Makes rules and limits of an earlier revision those of a new one; grants stay."""
    with open_gateway() as client:
        request = pb.RevertScopeRequest(name=f"scopes/{name}", revision=revision, reason=reason)
        show_scope(client.call(client.scopes.RevertScope, request).scope)


def _revisions(client: GatewayClient, name: str) -> Iterator[pb.ScopeRevision]:
    """Yields the revisions of a scope, newest first."""
    token = ""
    while True:
        request = pb.ListScopeRevisionsRequest(
            name=f"scopes/{name}", page_size=PAGE_SIZE, page_token=token
        )
        answer = client.call(client.scopes.ListScopeRevisions, request)
        yield from answer.revisions
        token = answer.next_page_token
        if not token:
            return


def _between(
    revisions: Iterator[pb.ScopeRevision], *, name: str, since: int, until: int
) -> list[pb.ScopeRevision]:
    """Returns the revisions after one and until another.

    Raises:
        CommandError: one of both is not kept.
    """
    found: list[pb.ScopeRevision] = []
    for one in revisions:
        number = one.scope.revision
        if not until:
            until = number
        if not found and number < until:
            raise _not_kept(name, until)
        since = since or until - 1
        if number <= since:
            return found
        if number <= until:
            found.append(one)
    if since:
        # The oldest one that is kept says what differs from one that is not.
        raise _not_kept(name, since)
    return found


def _not_kept(name: str, revision: int) -> CommandError:
    return CommandError(
        f"The scope {name} has no revision {revision} that is kept. `scops scope log {name}` "
        "lists those that are.",
        code=Exit.NOT_FOUND,
        reason="REVISION_NOT_FOUND",
    )


def _show_revisions(revisions: list[pb.ScopeRevision]) -> None:
    if Output.is_json():
        print_json(pb.ListScopeRevisionsResponse(revisions=revisions))
        return
    for one in revisions:
        _show_revision(one)


def _show_revision(one: pb.ScopeRevision) -> None:
    why = f": {escape(one.reason)}" if one.reason else ""
    line(
        f"[bold]{last_part(one.scope.name)} {one.scope.revision}[/bold] "
        f"[dim]{short_time(one.change_time)}[/dim] {escape(one.principal)}{why}"
    )
    for difference in one.differences:
        line(f"  {escape(difference)}")
