"""Whatever a request holds, its caller gets a response or an error that tells what is wrong."""

import asyncio
from collections.abc import Iterator

import pytest
from google.protobuf.message import Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scops.common.access.principal import InstallationRole, anonymous_principal
from scops.common.contract.errors import ScopsError
from scops.gateway.adapters.grpc.statuses import status_of
from scops.gateway.calls import INTERNAL, failure_of
from tests.fakes.messages import requests
from tests.fakes.worlds.gateway import GatewayWorld, gateway_world, prefix
from tests.fakes.worlds.methods import BOUND, calling, person
from tests.fakes.worlds.talkative import marker, page_id, say_everything, url

EXAMPLES = 30
OWN, HIDDEN = marker(0), marker(1)
# In names, rules and rows of what the caller may not see, and in nothing that is sent.
SECRET = "zq9secret"
KNOWN = (
    OWN,
    f"scopes/{OWN}",
    f"pages/{page_id(0, 0)}",
    url(0, 0),
    f"scopes/{HIDDEN}",
    f"pages/{page_id(1, 0)}",
    url(1, 0),
    "user:ann",
    "fee",
)
CALLERS = (
    person("ann"),
    person("adm", roles=frozenset({InstallationRole.ADMINISTRATOR})),
    anonymous_principal("main"),
)


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


async def asked(world: GatewayWorld, name: str, request: Message, who: int) -> str:
    """Serves a request as a door does; returns the text of its error, or none.

    Raises:
        Exception: a bug, which would leave as INTERNAL.
    """
    caller = CALLERS[who]
    try:
        response = await BOUND[name].answer(world.ports, request, calling(world, caller))
        response.SerializeToString()
        return ""
    except ScopsError as error:
        failure = failure_of(error)
        assert failure.code not in (INTERNAL, "UNKNOWN"), failure
        return str(status_of(failure, "r"))


async def inhabited(world: GatewayWorld) -> None:
    """Makes a scope of Ann, and one that she may not see."""
    for number, owner in enumerate(("user:ann", "user:bob")):
        word = marker(number)
        await world.create_scope(
            word,
            owner=owner,
            rules=(prefix(f"{word}.example"), prefix(f"{SECRET}{number}.example")),
            seeds=(url(number, 0),),
            name=f"{SECRET}{number}",
        )
    say_everything(world, range(2))


@pytest.mark.parametrize("name", sorted(BOUND))
def test_no_request_is_a_bug(name: str, runner: asyncio.Runner) -> None:
    """Neither is an error a way to read what others have."""
    opened = gateway_world()
    world = runner.run(opened.__aenter__())
    runner.run(inhabited(world))

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(request=requests(BOUND[name].request.DESCRIPTOR, KNOWN), who=st.integers(0, 2))
    def ask(request: Message, who: int) -> None:
        told = runner.run(asked(world, name, request, who))
        assert who == 1 or f"{SECRET}1" not in told

    try:
        ask()
    finally:
        runner.run(opened.__aexit__(None, None, None))
