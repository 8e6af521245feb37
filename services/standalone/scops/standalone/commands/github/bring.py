"""`scops import github`: takes in the documentation, releases and issues of a repository."""

import os
from contextlib import ExitStack, closing
from typing import Annotated

import typer

from scops.standalone.commands.apis.telling import end_import, since_or_none
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import diagnostics

SERVER = "https://api.github.com"
TOKEN = "GITHUB_TOKEN"
FILES, RELEASES, ISSUES = "files", "releases", "issues"
KINDS = (FILES, RELEASES, ISSUES)


def bring_github(
    repository: Annotated[str, typer.Argument(metavar="OWNER/REPO", help="A public repository.")],
    *,
    scope: Annotated[str, typer.Option(help="The scope whose rules say which pages are taken.")],
    only: Annotated[
        list[str] | None,
        typer.Option(help="files, releases or issues; may be given again. Without one, all."),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(
            help="Files whose path meets a pattern, such as 'docs/*'; * goes over slashes, too. "
            "May be given again."
        ),
    ] = None,
    ref: Annotated[str, typer.Option(help="A branch, tag or commit; else the main branch.")] = "",
    history: Annotated[
        int, typer.Option(help="Of each file so many commits, the newest.", min=1)
    ] = 1,
    since: Annotated[
        str,
        typer.Option(
            help="Releases and issues that changed from then on: 2026-03-01, an instant, or 90d."
        ),
    ] = "",
    delay: Annotated[float, typer.Option(help="Seconds between two requests.", min=0)] = 0.1,
    server: Annotated[str, typer.Option(help="URL of the API, such as of your own.")] = SERVER,
) -> None:
    """Takes in a repository's files, releases and issues by the API, as versions of their time.

    A token in GITHUB_TOKEN has more requests an hour. Done again, it asks for what changed. See
    docs/sources.md.
    """
    from scops.common.contract.errors import InvalidInput
    from scops.standalone.commands.apis.memory import memory_of
    from scops.standalone.commands.apis.taking import ApiImport
    from scops.standalone.commands.github.api import GithubApi
    from scops.standalone.commands.github.files import GithubFiles
    from scops.standalone.commands.github.talk import GithubTalk

    wanted = tuple(only or KINDS)
    if not set(wanted) <= set(KINDS):
        raise _refused(f"--only takes {', '.join(KINDS)}.", reason="UNKNOWN_KIND")
    if repository.count("/") != 1 or not all(repository.split("/")):
        raise _refused(f"{repository!r} is no repository. Write OWNER/REPO.", reason="GITHUB_API")
    begin = since_or_none(since)
    fault = ""
    with ExitStack() as held:
        client = held.enter_context(open_gateway())
        memory = memory_of(client, scope, "github", server, repository.lower())
        taking = ApiImport(client, scope, memory)
        api = GithubApi(
            server,
            repository,
            token=os.environ.get(TOKEN, ""),
            memory=memory,
            pause_seconds=delay,
        )
        held.enter_context(closing(api))
        talk = GithubTalk(api, taking, memory, since=begin)
        try:
            about = api.repository()
            if FILES in wanted:
                diagnostics.print("[dim]files[/dim]")
                GithubFiles(
                    api,
                    taking,
                    memory,
                    about,
                    ref=ref or about.branch,
                    paths=path or [],
                    history=history,
                ).take()
            if RELEASES in wanted:
                diagnostics.print("[dim]releases[/dim]")
                talk.take_releases()
            if ISSUES in wanted:
                diagnostics.print("[dim]issues[/dim]")
                talk.take_issues()
        except (InvalidInput, OSError) as error:
            taking.settle()
            if isinstance(error, InvalidInput):
                raise _refused(error.message, reason="GITHUB_API") from error
            fault = str(error)
    end_import(scope, repository, taking.tally, fault)


def _refused(message: str, *, reason: str) -> CommandError:
    return CommandError(message, code=Exit.INVALID_INPUT, reason=reason)
