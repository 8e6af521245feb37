"""`scops import`: takes in what `scops export` wrote, and says whether it is there as it was."""

import uuid
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.client.errors import NotFound
from scops.standalone.commands.transfer.extra import needs_extra
from scops.standalone.commands.transfer.folder import SCOPE_FILE, ExportFolder, ExportState
from scops.standalone.terminal.client import GatewayClient, open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, line, print_json


def bring(
    folder: Annotated[Path, typer.Argument(help="A folder that `scops export` wrote.")],
) -> None:
    """Takes in a scope that was exported, with its pages and their versions.

    The scope is created where there is none of its name, and left as it is where there is one.
    Doing it again takes in what is missing. See docs/transfer.md.
    """
    needs_extra()
    from scops.standalone.commands.transfer.observations import pages_of
    from scops.standalone.commands.transfer.taking import Import

    files = ExportFolder(folder)
    state = files.state()
    _check_complete(state, folder)
    files.verify(state)
    with open_gateway() as client:
        _create(client, state.scope, (folder / SCOPE_FILE).read_bytes(), str(folder / SCOPE_FILE))
        tally = Import(client, files, state.scope).take(pages_of(files, state))
    said = asdict(tally)
    if Output.is_json():
        print_json({"scope": state.scope, **said})
    else:
        line(", ".join(f"{count} {what}" for what, count in said.items() if count))
    if tally.missing or tally.taken or tally.outside:
        raise CommandError(
            f"Of {tally.versions} versions {tally.missing} are missing; {tally.taken} pages have "
            f"a URL of another page here, and {tally.outside} lie outside of the scope's rules. "
            "The extractor's log says why a version was refused; do it again for what was lost.",
            code=Exit.JOB_NOT_COMPLETED,
            reason="IMPORT_INCOMPLETE",
        )


def _check_complete(state: ExportState, folder: Path) -> None:
    if not state.complete:
        raise CommandError(
            f"The export in {folder} was interrupted. Run `scops export {state.scope} {folder}` "
            "again to complete it.",
            code=Exit.INVALID_INPUT,
            reason="EXPORT_INCOMPLETE",
        )


def _create(client: GatewayClient, scope: str, definition: bytes, source: str) -> None:
    """Creates the scope where there is none of its name."""
    from scops.standalone.commands.scopes.written import message_of
    from scops.standalone.commands.scopes.yaml_file import read_scopes

    try:
        client.call(client.scopes.GetScope, scopes.GetScopeRequest(name=f"scopes/{scope}"))
    except NotFound:
        (defined,) = read_scopes(definition, source)
        request = scopes.CreateScopeRequest(
            scope_id=scope, scope=message_of(defined.scope), request_id=str(uuid.uuid4())
        )
        client.call(client.scopes.CreateScope, request)
