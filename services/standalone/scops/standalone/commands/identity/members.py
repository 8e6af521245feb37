"""`scops identity …`: who is what in the installation, and groups that are kept here."""

from enum import StrEnum
from typing import Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from scops.api.v1alpha1 import identity_service_pb2 as pb
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.output import Output, console, line, print_json, write
from scops.standalone.terminal.subjects import subject_of

app = typer.Typer(help="Roles of the installation, and groups kept here.", no_args_is_help=True)
PAGE_SIZE = 100
ROLE_PREFIX = "INSTALLATION_ROLE_"


class InstallationRoleName(StrEnum):
    """What somebody is in the installation."""

    OPERATOR = "operator"
    ADMINISTRATOR = "administrator"


Subject = Annotated[
    str, typer.Argument(help="An e-mail address, user:… or service:…; they need not have called.")
]
Remove = Annotated[bool, typer.Option("--remove", help="Take it back instead.")]


@app.command()
def claim(
    token: Annotated[str, typer.Argument(help="As the log of the gateway's first start says.")],
) -> None:
    """Makes you the first administrator; who has not logged in gets a key of a service account."""
    with open_gateway() as client:
        request = pb.ClaimInstallationRequest(token=token)
        answer = client.call(client.identity.ClaimInstallation, request)
    if Output.is_json():
        print_json(answer)
        return
    line(f"[bold]{escape(answer.principal)}[/bold] is administrator and operator")
    if answer.key:
        line("its key, which is shown this once:")
        write(answer.key)


@app.command()
def role(
    subject: Annotated[
        str, typer.Argument(help="An e-mail address, user:…, group:… or service:….")
    ],
    role: Annotated[
        InstallationRoleName,
        typer.Argument(
            help="operator runs it and purges beyond scopes; administrator says who may what."
        ),
    ],
    remove: Remove = False,
) -> None:
    """Gives somebody a role in the installation."""
    named = subject_of(subject)
    with open_gateway() as client:
        request = pb.SetInstallationRoleRequest(
            subject=named,
            role=pb.InstallationRole.Value(f"{ROLE_PREFIX}{role.name}"),
            remove=remove,
        )
        client.call(client.identity.SetInstallationRole, request)
    _say(
        {"subject": named, "role": role.value, "removed": remove},
        f"{named} is {'no longer ' if remove else ''}{role.value}",
    )


@app.command()
def group(
    group: Annotated[str, typer.Argument(help="Lower-case letters, digits and dashes.")],
    subject: Subject,
    remove: Remove = False,
) -> None:
    """Puts somebody into a group that is kept here; groups of issuers come by tokens."""
    named = subject_of(subject)
    with open_gateway() as client:
        request = pb.SetGroupMemberRequest(group=group, subject=named, remove=remove)
        client.call(client.identity.SetGroupMember, request)
    _say(
        {"subject": named, "group": group, "removed": remove},
        f"{named} is {'no longer ' if remove else ''}in group:{group}",
    )


@app.command()
def members() -> None:
    """Lists who has a role in the installation, and who is in groups that are kept here."""
    with open_gateway() as client:
        found: list[pb.Member] = []
        token = ""
        while True:
            request = pb.ListMembersRequest(page_size=PAGE_SIZE, page_token=token)
            answer = client.call(client.identity.ListMembers, request)
            found += answer.members
            token = answer.next_page_token
            if not token:
                break
    if Output.is_json():
        print_json(pb.ListMembersResponse(members=found))
        return
    table = Table("subject", "role", "group", box=box.SIMPLE_HEAD)
    for one in found:
        name = pb.InstallationRole.Name(one.role).removeprefix(ROLE_PREFIX).lower()
        table.add_row(escape(one.subject), name if one.role else "", escape(one.group))
    console.print(table)


def _say(answer: dict[str, object], words: str) -> None:
    if Output.is_json():
        print_json(answer)
    else:
        line(escape(words))
