"""Whatever a request holds, its caller gets a response or an error that tells what is wrong."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scops.common.access.principal import InstallationRole, anonymous_principal
from scops.common.contract.errors import ScopsError
from scops.gateway.adapters.statuses import status_of
from scops.gateway.calls import INTERNAL, failure_of
from tests.fakes.messages import NUMBERS, requests
from tests.fakes.worlds.gateway import GatewayWorld, gateway_world, prefix
from tests.fakes.worlds.methods import BOUND, calling, person, requests_of, responses
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
        for part in await responses(world, name, request, calling(world, caller)):
            part.SerializeToString()
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


def usual(name: str) -> list[Message]:
    """Returns requests about the caller's own scope, and about the other."""
    about = [(marker(n), f"pages/{page_id(n, 0)}", url(n, 0)) for n in (0, 1)]
    return [
        json_format.ParseDict(requests_of(name, *texts), BOUND[name].request()) for texts in about
    ]


@pytest.mark.parametrize("name", sorted(BOUND))
def test_no_request_is_a_bug(name: str, runner: asyncio.Runner) -> None:
    """Neither is an error a way to read what others have."""
    opened = gateway_world()
    world = runner.run(opened.__aenter__())
    runner.run(inhabited(world))
    made = requests(BOUND[name].request.DESCRIPTOR, KNOWN, usual(name))

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(request=made, who=st.integers(0, 2))
    def ask(request: Message, who: int) -> None:
        told = runner.run(asked(world, name, request, who))
        assert who == 1 or f"{SECRET}1" not in told

    try:
        ask()
    finally:
        runner.run(opened.__aexit__(None, None, None))


async def test_numbers_at_their_ends_are_told_from_bugs() -> None:
    """Each number of each request, as low and as high as its type goes."""
    count = 0
    async with gateway_world() as world:
        await inhabited(world)
        for name, bound in sorted(BOUND.items()):
            for request, field, value in at_their_ends(bound.request.DESCRIPTOR, usual(name)):
                setattr(request, field, value)
                await asked(world, name, request, 0)
                count += 1
    assert count > 60


def at_their_ends(descriptor: Any, usual: list[Message]) -> Iterator[tuple[Message, str, int]]:
    """Gives each number of a request with its least and its most."""
    for field in descriptor.fields:
        if field.cpp_type in NUMBERS and not field.is_repeated:
            for value in NUMBERS[field.cpp_type]:
                for one in usual:
                    yield type(one).FromString(one.SerializeToString()), field.name, value
