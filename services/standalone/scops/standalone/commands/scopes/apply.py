"""`scops apply -f scopes.yaml`: makes scopes what a file says; nothing is deleted."""

import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from google.protobuf.field_mask_pb2 import FieldMask
from rich.markup import escape

from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.client.errors import NotFound, ScopsError
from scops.standalone.commands.scopes.written import (
    definition_of,
    differing,
    mask_of,
    message_of,
    written,
)
from scops.standalone.commands.scopes.yaml_file import Defined, read_scopes
from scops.standalone.terminal.client import GatewayClient, open_gateway
from scops.standalone.terminal.edge import BY_CODE
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, line, print_json

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Step:
    """What applying one definition does.

    Attributes:
        result: `created`, `changed` or `unchanged`.
        fields: that differ, each with its value before and after; None is the default.
        etag: of the scope that was compared.
    """

    defined: Defined
    result: str
    fields: dict[str, tuple[Any, Any]]
    etag: str = ""

    @property
    def name(self) -> str:
        return str(self.defined.scope.scope_id)


def apply(
    file: Annotated[
        str, typer.Option("--file", "-f", help="YAML with definitions of scopes; - for stdin.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Says what would be done, and does nothing.")
    ] = False,
    reason: Annotated[
        str, typer.Option(help="Why, for the history of the scopes that change.")
    ] = "",
) -> None:
    """Creates the scopes that a file defines, and changes those that differ; deletes none.

    What a definition leaves out has its default. See `scops scope export`.
    """
    source = "stdin" if file == STDIN else file
    defined = read_scopes(_content(file), source)
    done: list[Step] = []
    with open_gateway() as client:
        steps = [_step(client, one) for one in defined]
        for step in steps:
            if not dry_run:
                _carry_out(client, step, reason=reason or f"scops apply -f {source}", done=done)
            done.append(step)
            if not Output.is_json():
                _show(step, dry_run=dry_run)
    if Output.is_json():
        print_json({"dry_run": dry_run, "scopes": [_as_json(step) for step in done]})


def _content(file: str) -> bytes:
    if file == STDIN:
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise CommandError(
            f"{file} cannot be read: {error.strerror}. Name a file of definitions, such as "
            "`scops scope export` writes, or - for stdin.",
            code=Exit.INVALID_INPUT,
            reason="FILE_UNREADABLE",
        ) from None


def _step(client: GatewayClient, defined: Defined) -> Step:
    """Compares a definition with the scope of its name."""
    wanted = defined.scope
    after = written(wanted)
    try:
        request = pb.GetScopeRequest(name=f"scopes/{wanted.scope_id}")
        stored = client.call(client.scopes.GetScope, request).scope
    except NotFound:
        fields = {name: (None, value) for name, value in after.items() if name != "name"}
        return Step(defined, "created", fields)
    present = definition_of(stored)
    before = written(present)
    names = differing(present, wanted)
    return Step(
        defined,
        "changed" if names else "unchanged",
        {name: (before.get(name), after.get(name)) for name in names},
        stored.etag,
    )


def _carry_out(client: GatewayClient, step: Step, *, reason: str, done: list[Step]) -> None:
    """Creates or changes a scope, if it was not changed by others since it was compared.

    Raises:
        CommandError: the gateway refuses; the message says where, and what was done before.
    """
    wanted = message_of(step.defined.scope)
    try:
        if step.result == "created":
            client.call(
                client.scopes.CreateScope,
                pb.CreateScopeRequest(
                    scope_id=step.name, scope=wanted, request_id=str(uuid.uuid4())
                ),
            )
        elif step.result == "changed":
            wanted.etag = step.etag
            mask = FieldMask(paths=mask_of(list(step.fields)))
            client.call(
                client.scopes.UpdateScope,
                pb.UpdateScopeRequest(scope=wanted, update_mask=mask, reason=reason),
            )
    except ScopsError as error:
        before = [one.name for one in done if one.result != "unchanged"]
        raise CommandError(
            f"{step.defined.source}:{step.defined.line}: scope {step.name}: {error.message} "
            f"Applied before it: {', '.join(before) or 'nothing'}.",
            code=BY_CODE.get(error.code, Exit.INTERNAL),
            reason=error.reason,
        ) from None


def _as_json(step: Step) -> dict[str, Any]:
    fields = {name: {"from": old, "to": new} for name, (old, new) in step.fields.items()}
    return {"name": f"scopes/{step.name}", "result": step.result, "fields": fields}


def _show(step: Step, *, dry_run: bool) -> None:
    would = "would be " if dry_run and step.result != "unchanged" else ""
    line(f"[bold]{step.name}[/bold] {would}{step.result}")
    for name, (old, new) in step.fields.items():
        for words in _differences(old, new):
            line(f"  {name}: {escape(words)}")


def _differences(old: Any, new: Any) -> list[str]:
    if not isinstance(old, list) and not isinstance(new, list):
        return [f"{_shown(old)} → {_shown(new)}"]
    old, new = old or [], new or []
    gone = [f"− {one}" for one in old if one not in new]
    come = [f"+ {one}" for one in new if one not in old]
    return gone + come or ["in another order"]


def _shown(value: Any) -> str:
    return "default" if value is None else str(value)
