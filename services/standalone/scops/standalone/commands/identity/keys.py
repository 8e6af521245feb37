"""`scops key …`: API keys, of one's own and of service accounts."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Column, Table

from scops.api.v1alpha1 import identity_service_pb2 as pb
from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.standalone.commands.scopes.roles import RoleName, role_name, role_value
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.output import (
    Output,
    console,
    last_part,
    line,
    print_json,
    short_time,
    write,
)
from scops.standalone.terminal.subjects import subject_of

app = typer.Typer(help="API keys for scripts and services.", no_args_is_help=True)
PAGE_SIZE = 100
KEY_CHARACTERS = 16
UNBOUND = (scopes.SCOPE_ROLE_UNSPECIFIED, scopes.SCOPE_ROLE_OWNER)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="What it is for; shown in lists.")] = "",
    owner: Annotated[
        str,
        typer.Option("--for", help="A service account, service:…; yourself where it is not said."),
    ] = "",
    role: Annotated[
        RoleName | None, typer.Option(help="The most that its bearer may in a scope.")
    ] = None,
    scope: Annotated[
        list[str] | None, typer.Option(help="Only this scope; may be repeated.")
    ] = None,
    days: Annotated[int, typer.Option(help="How long it counts; 0: until revoked.", min=0)] = 0,
    signing: Annotated[
        bool,
        typer.Option(
            "--signing", help="A webhook signs POST /v1/pages:changed with it, and sends no key."
        ),
    ] = False,
) -> None:
    """Makes a key and prints it, this once: it is shown nowhere else."""
    key = pb.Key(
        display_name=name,
        principal=subject_of(owner),
        role=role_value(role) if role else scopes.SCOPE_ROLE_UNSPECIFIED,
        scopes=[f"scopes/{one}" for one in scope or []],
        signing=signing,
    )
    if days:
        key.expire_time.FromDatetime(
            (datetime.now(UTC) + timedelta(days=days)).replace(tzinfo=None)
        )
    with open_gateway() as client:
        answer = client.call(client.identity.CreateKey, pb.CreateKeyRequest(key=key))
    if Output.is_json():
        print_json(answer)
        return
    made = answer.key
    key_id = last_part(made.name)
    line(f"key {key_id} of {escape(made.principal)}; it is shown this once:")
    if signing:
        line(f"the secret that signs bodies of POST /v1/pages:changed?key={key_id}:")
    write(answer.secret)


@app.command("list")
def list_keys() -> None:
    """Lists your keys, newest first; everybody's for administrators."""
    with open_gateway() as client:
        keys: list[pb.Key] = []
        token = ""
        while True:
            request = pb.ListKeysRequest(page_size=PAGE_SIZE, page_token=token)
            answer = client.call(client.identity.ListKeys, request)
            keys += answer.keys
            token = answer.next_page_token
            if not token:
                break
    if Output.is_json():
        print_json(pb.ListKeysResponse(keys=keys))
        return
    # Whole, because `revoke` takes it.
    whole = Column("key", min_width=KEY_CHARACTERS)
    table = Table(whole, "name", "of", "bound to", "last used", "ends", box=box.SIMPLE_HEAD)
    for key in keys:
        table.add_row(*(escape(cell) for cell in _row(key)))
    console.print(table)


@app.command()
def revoke(key: Annotated[str, typer.Argument(help="The key's id; see `list`.")]) -> None:
    """Ends a key; every gateway refuses it within seconds."""
    with open_gateway() as client:
        request = pb.RevokeKeyRequest(name=f"keys/{last_part(key)}")
        ended = client.call(client.identity.RevokeKey, request).key
    if Output.is_json():
        print_json(ended)
    else:
        line(f"key {last_part(ended.name)} of {escape(ended.principal)} counts no more")


def _row(key: pb.Key) -> tuple[str, ...]:
    bounds = [role_name(key.role)] if key.role not in UNBOUND else []
    bounds += [last_part(scope) for scope in key.scopes]
    bounds += ["signing"] if key.signing else []
    ends = short_time(key.expire_time)
    if key.HasField("revoke_time"):
        ends = f"revoked {short_time(key.revoke_time)}"
    return (
        last_part(key.name),
        key.display_name,
        key.principal,
        "\n".join(bounds) or "–",
        short_time(key.last_use_time),
        ends,
    )
