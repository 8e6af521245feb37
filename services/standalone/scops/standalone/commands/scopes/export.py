"""`scops scope export …`: definitions of scopes as YAML that `scops apply` reads."""

from typing import Annotated

import typer

from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.standalone.commands.scopes.listing import all_scopes
from scops.standalone.terminal.client import GatewayClient, open_gateway
from scops.standalone.terminal.output import Output, OutputFormat, print_json, write

app = typer.Typer()


@app.command()
def export(
    names: Annotated[
        list[str] | None, typer.Argument(help="The scopes; all that you may see where none is.")
    ] = None,
) -> None:
    """Writes the definitions of scopes as YAML, by name, for `scops apply -f`.

    Rules of a boundary, revisions, times, owners and grants are left out; so are defaults.
    """
    # Reading YAML is not needed by the other commands of the group.
    from scops.standalone.commands.scopes.written import definition_of, written
    from scops.standalone.commands.scopes.yaml_file import dump_scopes

    with open_gateway() as client:
        found = _named(client, names) if names else all_scopes(client)
    scopes = [written(definition_of(one)) for one in sorted(found, key=lambda one: one.name)]
    # A pipe gets YAML, too: JSON is for who asks for it.
    if Output.format is OutputFormat.JSON:
        print_json(scopes)
    else:
        write(dump_scopes(scopes).rstrip("\n"))


def _named(client: GatewayClient, names: list[str]) -> list[pb.Scope]:
    return [
        client.call(client.scopes.GetScope, pb.GetScopeRequest(name=f"scopes/{name}")).scope
        for name in dict.fromkeys(names)
    ]
