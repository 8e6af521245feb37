"""`scops scope share …`: who may what in a scope, whose it is, and scopes made from others."""

import uuid
from typing import Annotated

import typer

from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.standalone.commands.scopes.roles import RoleName, role_value
from scops.standalone.commands.scopes.view import show_scope
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.subjects import subject_of

app = typer.Typer()


Name = Annotated[str, typer.Argument(help="The scope.")]
Subject = Annotated[
    str,
    typer.Argument(
        help="An e-mail address, user:…, group:… or service:…; they need not have called yet."
    ),
]


@app.command()
def share(
    name: Name,
    subject: Subject,
    role: Annotated[
        RoleName,
        typer.Option(
            help="viewer reads and asks, contributor adds pages, editor changes rules and "
            "crawls, owner may everything; each what the one before it may."
        ),
    ] = RoleName.VIEWER,
    right: Annotated[
        list[str] | None,
        typer.Option(
            help="A right beside the role: add_pages, revalidate, change_rules, crawl, pin, "
            "rechunk, purge or share; may be repeated."
        ),
    ] = None,
) -> None:
    """Gives somebody a role in a scope; what they had in it before is replaced."""
    grant = pb.Grant(
        subject=subject_of(subject),
        role=role_value(role),
        rights=right or [],
    )
    _set_grant(name, grant)


@app.command()
def unshare(name: Name, subject: Subject) -> None:
    """Takes back what somebody has in a scope."""
    _set_grant(name, pb.Grant(subject=subject_of(subject)))


@app.command()
def transfer(name: Name, subject: Subject) -> None:
    """Makes somebody else the owner; the owner before becomes an editor."""
    with open_gateway() as client:
        request = pb.TransferScopeRequest(name=f"scopes/{name}", owner=subject_of(subject))
        show_scope(client.call(client.scopes.TransferScope, request).scope)


@app.command()
def fork(
    name: Name,
    new_name: Annotated[str, typer.Argument(help="Lower-case letters, digits and dashes.")],
    display_name: Annotated[str, typer.Option(help="Shown beside the name.")] = "",
) -> None:
    """Makes a scope of your own with the rules of another, shared with nobody."""
    with open_gateway() as client:
        request = pb.ForkScopeRequest(
            name=f"scopes/{name}",
            scope_id=new_name,
            display_name=display_name,
            request_id=str(uuid.uuid4()),
        )
        show_scope(client.call(client.scopes.ForkScope, request).scope)


@app.command()
def add(
    name: Name,
    urls: Annotated[list[str], typer.Argument(help="URLs of pages.")],
    reason: Annotated[str, typer.Option(help="Why, for the history of the scope.")] = "",
) -> None:
    """Adds hand-picked pages to a scope, each a rule of its own; `scops crawl` fetches them."""
    with open_gateway() as client:
        request = pb.AddPagesRequest(name=f"scopes/{name}", uris=urls, reason=reason)
        show_scope(client.call(client.scopes.AddPages, request).scope)


def _set_grant(name: str, grant: pb.Grant) -> None:
    with open_gateway() as client:
        request = pb.ShareScopeRequest(name=f"scopes/{name}", grant=grant)
        show_scope(client.call(client.scopes.ShareScope, request).scope)
