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
    organisation: Annotated[
        list[str] | None,
        typer.Option(
            help="An organisation beside main, which gets an account; once for each of them."
        ),
    ] = None,
    write: Annotated[
        Path | None, typer.Option(help="File to write, readable by its owner; default stdout.")
    ] = None,
) -> None:
    """Writes the users of a nats-server: one a role, and the provisioner.

    Include it in the server's configuration; roles connect with SCOPS_NATS_USER and
    SCOPS_NATS_PASSWORD. Passwords are hashed in it. Users of another organisation than main are
    called ORGANISATION.ROLE, and their passwords lie in a folder of its name.
    """
    from scops.common.runtime.private_files import write_private
    from scops.standalone.process.nats_users import authorization

    text = authorization(
        passwords, create=create, previous=previous, organisations=organisation or ()
    )
    if write is None:
        write_text(text.rstrip("\n"))
        return
    write_private(write, text)
    diagnostics.print(f"wrote {write}; include it in the configuration of nats-server")
