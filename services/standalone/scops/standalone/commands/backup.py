"""`scops backup` and `scops restore`.

What does the work is imported where it is used; see `app`.
"""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, console, print_json

SHOWN_MAX = 5
At = Annotated[str, typer.Option("--at", help="Id of a backup; default the newest.")]


def backup(
    place: Annotated[str, typer.Argument(help="A folder, or s3://, gs://, az://.")],
) -> None:
    """Copies databases and archive of the installation, which goes on running."""
    import asyncio

    from scops.standalone.backup.place import BackupPlace
    from scops.standalone.backup.taking import take_backup
    from scops.standalone.process.roles import load_common

    done = asyncio.run(take_backup(load_common(), BackupPlace(place)))
    _print(asdict(done))
    if done.lacking:
        raise CommandError(
            f"The archive lacks {len(done.lacking)} blobs that kept versions refer to: the backup "
            "is as whole as the installation is. `scops reconcile` says which pages.",
            code=Exit.INTERNAL,
            reason="ARCHIVE_INCOMPLETE",
        )


def restore(
    place: Annotated[
        str,
        typer.Argument(
            help="Where the backup lies. Without it the databases were put back by other means, "
            "and the rest is brought in line with them."
        ),
    ] = "",
    at: At = "",
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace what the databases hold.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read the whole backup, and restore nothing.")
    ] = False,
) -> None:
    """Puts databases and archive back, empties the bus and brings the index in line.

    No role may run. What was on its way when the backup was taken is sent again afterwards.
    """
    import asyncio

    from scops.standalone.backup.place import BackupPlace
    from scops.standalone.backup.restoring import restore as put_back
    from scops.standalone.backup.restoring import verify_backup
    from scops.standalone.process.roles import load_common

    if not place and (at or verify or replace):
        raise CommandError(
            "Say where the backup lies: `scops restore PLACE`.",
            code=Exit.INVALID_INPUT,
            reason="BACKUP_PLACE_MISSING",
        )
    common = load_common()
    source = BackupPlace(place) if place else None
    if verify and source:
        seen = asyncio.run(verify_backup(source, backup_id=at))
        _print(asdict(seen))
        bad = (*seen.lacking, *seen.damaged)
    else:
        done = asyncio.run(put_back(common, source, backup_id=at, replace=replace))
        _print(asdict(done))
        bad = done.lacking
    if bad:
        raise CommandError(
            f"{len(bad)} blobs of the backup are lost or damaged; the rest is whole.",
            code=Exit.INTERNAL,
            reason="BACKUP_DAMAGED",
        )


def _print(values: dict[str, Any]) -> None:
    if Output.is_json():
        print_json(values)
        return
    for name, value in values.items():
        if isinstance(value, tuple) and len(value) > SHOWN_MAX:
            value = f"{', '.join(value[:SHOWN_MAX])} and {len(value) - SHOWN_MAX} more"
        shown = ", ".join(value) if isinstance(value, tuple) else value
        console.print(f"{name.replace('_', ' '):<16} {shown}")
