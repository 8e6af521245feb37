"""`scops nats-config`: the users of the bus, for the configuration of its server."""

from pathlib import Path
from typing import Annotated

import typer

from scops.standalone.terminal.output import diagnostics
from scops.standalone.terminal.output import write as write_text

Passwords = Annotated[
    Path, typer.Option("--passwords", help="Folder with a file a user that holds its password.")
]


def nats_config(
    passwords: Passwords,
    create: Annotated[bool, typer.Option(help="Draw the passwords that are missing.")] = False,
    previous: Annotated[
        bool,
        typer.Option(help="Also allow what roles of version 0.1.0 need, while both run."),
    ] = False,
    write: Annotated[
        Path | None, typer.Option(help="File to write, readable by its owner; default stdout.")
    ] = None,
) -> None:
    """Writes the `authorization` block of a nats-server: a user a role, and the provisioner.

    Include it in the server's configuration; roles connect with SCOPS_NATS_USER and
    SCOPS_NATS_PASSWORD. Passwords are hashed in it.
    """
    from scops.common.runtime.private_files import write_private
    from scops.standalone.process.nats_users import authorization

    text = authorization(passwords, create=create, previous=previous)
    if write is None:
        write_text(text.rstrip("\n"))
        return
    write_private(write, text)
    diagnostics.print(f"wrote {write}; include it in the configuration of nats-server")
