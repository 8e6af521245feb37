"""`scops export`: a scope with its pages, their versions and its index, as files."""

from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.api.v1alpha1 import transfer_service_pb2 as pb
from scops.standalone.commands.transfer.extra import needs_extra
from scops.standalone.commands.transfer.folder import SCOPE_FILE, ExportFolder, ExportState
from scops.standalone.commands.transfer.patience import ask
from scops.standalone.terminal.client import GatewayClient, open_gateway
from scops.standalone.terminal.output import Output, diagnostics, line, print_json

# 0: as many as fit a response.
PAGES_AT_ONCE = 0


def export(
    scope: Annotated[str, typer.Argument(help="The scope.")],
    folder: Annotated[Path, typer.Argument(help="Where the files go; a new folder.")],
    vectors: Annotated[
        bool, typer.Option("--vectors/--no-vectors", help="Whether passages have vectors.")
    ] = True,
) -> None:
    """Writes a scope with its pages, their versions and its index to files.

    One that was interrupted goes on where it was. See docs/transfer.md.
    """
    needs_extra()
    files = ExportFolder(folder)
    state = files.begun(scope)
    with open_gateway() as client:
        files.write(SCOPE_FILE, _definition(client, scope))
        while not state.complete:
            _write_part(client, files, state, with_vectors=vectors)
            files.save(state)
            diagnostics.print(f"[dim]{state.total('versions')} versions[/dim]")
    said = {what: state.total(what) for what in ("pages", "versions", "chunks")}
    if Output.is_json():
        print_json({"scope": scope, "folder": str(folder), **said, "left_out": state.left_out})
        return
    left_out = "".join(f", {n} left out ({why})" for why, n in state.left_out.items())
    line(f"{said['pages']} pages, {said['versions']} versions{left_out}: {folder}")


def _write_part(
    client: GatewayClient, files: ExportFolder, state: ExportState, *, with_vectors: bool
) -> None:
    from scops.standalone.commands.transfer.writing import PartWriter

    software = f"scops/{version('scops')}"
    with PartWriter(files.path, len(state.parts) + 1, software) as part:
        while not state.complete:
            request = pb.ExportPagesRequest(
                scope=f"scopes/{state.scope}",
                page_token=state.page_token,
                with_vectors=with_vectors,
                page_size=PAGES_AT_ONCE,
            )
            answer = ask(client, client.transfers.ExportPages, request)
            for page in answer.pages:
                part.add(page)
                for given in page.versions:
                    if why := given.left_out_reason:
                        state.left_out[why] = state.left_out.get(why, 0) + 1
            state.page_token = answer.next_page_token
            state.complete = not answer.next_page_token
            if part.is_full:
                break
        state.parts.append(part.finish())


def _definition(client: GatewayClient, scope: str) -> bytes:
    from scops.standalone.commands.scopes.written import definition_of, written
    from scops.standalone.commands.scopes.yaml_file import dump_scopes

    request = scopes.GetScopeRequest(name=f"scopes/{scope}")
    found = client.call(client.scopes.GetScope, request).scope
    return dump_scopes([written(definition_of(found))]).encode()
