"""`scops quota`: what somebody holds and has spent today, and how much they may."""

from typing import Annotated

import typer
from rich import box
from rich.table import Table

from scops.api.v1alpha1 import identity_service_pb2 as pb
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.output import Output, console, print_json, short_time
from scops.standalone.terminal.subjects import subject_of

MILLION = 1_000_000
MONEY = "model_cost"


def quota(
    principal: Annotated[
        str, typer.Argument(help="An e-mail address, user:… or service:…; you, if left out.")
    ] = "",
) -> None:
    """Shows what somebody holds and has spent today (UTC), and how much each may."""
    request = pb.GetQuotasRequest(principal=subject_of(principal))
    with open_gateway() as client:
        answer = client.call(client.identity.GetQuotas, request)
    if Output.is_json():
        print_json(answer)
        return
    table = Table("what", "used", "of", "counts anew", box=box.SIMPLE_HEAD)
    for one in answer.quotas:
        reset = short_time(one.reset_time) if one.HasField("reset_time") else "–"
        limit = _amount(one.name, one.limit) if one.limit else "no bound"
        table.add_row(one.name.replace("_", " "), _amount(one.name, one.used), limit, reset)
    console.print(table)


def _amount(name: str, count: int) -> str:
    return f"{count / MILLION:g}" if name == MONEY else f"{count:,}"
