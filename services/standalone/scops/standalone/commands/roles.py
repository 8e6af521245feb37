"""`scops up`, `scops run` and `scops provision`: the commands that touch services.

What runs services is imported where it is used, and so is asyncio: the help must not wait for it.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from scops.common.contract.roles import Role
from scops.standalone.terminal.output import Output, console, diagnostics, print_json

Roles = Annotated[list[Role], typer.Argument(help="The roles to run in this process.")]
EVERY_ROLE = tuple(Role)


def up() -> None:
    """Starts everything in one process, with a bus of its own; Ctrl-C ends it."""
    from scops.standalone.process.roles import run_everything

    _run(run_everything(on_running=_announcing(EVERY_ROLE)))


def run(roles: Roles) -> None:
    """Starts some roles against the bus at SCOPS_NATS_URL, provisioned before or meanwhile."""
    from scops.standalone.process.roles import run_roles

    chosen = tuple(dict.fromkeys(roles))
    _run(run_roles(chosen, on_running=_announcing(chosen)))


def provision(
    roles: Annotated[
        list[Role] | None, typer.Option("--roles", help="Roles that will run; default all.")
    ] = None,
    logins: Annotated[
        Path | None,
        typer.Option(
            help="Folder with a file a role that holds the password of its login of the database: "
            "each gets the rows of its own schema and nothing else."
        ),
    ] = None,
    index_rights: Annotated[
        bool,
        typer.Option(
            "--index-rights",
            help="Give the users of Weaviate the rights of their roles in the organisation's "
            "collections and nothing else; with the key of an administrator.",
        ),
    ] = False,
) -> None:
    """Creates or upgrades schemas, streams and durables; may be repeated."""
    import asyncio

    from scops.standalone.process.roles import provision_roles

    chosen = tuple(roles or EVERY_ROLE)
    done = asyncio.run(provision_roles(chosen, logins=logins, index_rights=index_rights))
    counts = {
        "created": list(done.created),
        "widened": list(done.widened),
        "unchanged": list(done.unchanged),
    }
    if Output.is_json():
        print_json(counts)
        return
    console.print("schemas are at their newest revision")
    for word, names in counts.items():
        console.print(f"{len(names)} streams and durables {word}")


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Runs services to their end; who asks them does not wait behind what they do by themselves."""
    import asyncio

    from scops.common.runtime.prompt_loop import PromptLoop

    with asyncio.Runner(loop_factory=PromptLoop) as runner:
        runner.run(work)


def _announcing(
    roles: tuple[Role, ...],
) -> Callable[[str, Mapping[str, str]], Awaitable[None]]:
    """Returns what says that the roles have started, and where they can be reached."""

    async def announce(health_url: str, doors: Mapping[str, str]) -> None:
        names = "scops" if roles == EVERY_ROLE else ", ".join(roles)
        served = ""
        if doors:
            door = doors["http"]
            served = f"web page {door}/, gRPC {doors['grpc']}, API {door}/api, "
        text = f"{names}: ready, {served}health {health_url}/readyz"
        diagnostics.print(text, soft_wrap=True)

    return announce
