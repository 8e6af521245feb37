"""What is hidden costs what is absent costs: no caller learns by time that something is there.

Time itself is noisy; what takes it is not. Each method is served for somebody who may not see a
scope, and about one that nobody has, and both must read the same of the state and ask other
services the same, in the same order.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from scops.common.contract.errors import ScopsError
from scops.gateway.ports import GatewayPorts
from tests.fakes.worlds.gateway import GatewayWorld, gateway_world, prefix
from tests.fakes.worlds.methods import BOUND, person, requests_of, served
from tests.fakes.worlds.talkative import marker, page_id, say_everything, url

PARTS = ("scopes", "jobs", "purges", "audit", "usage", "tokens")
SAM = person("sam")
# Made about the scope, whose id must not be taken: the answer is that it is made.
MAKES = {"CreateScope"}


class Noting:
    """A part of the gateway's state that notes what it is asked, and passes it on."""

    def __init__(self, part: object, name: str, noted: list[str]) -> None:
        self._part, self._name, self._noted = part, name, noted

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        if not callable(found):
            return found

        def call(*args: object, **kwargs: object) -> Any:
            self._noted.append(f"{self._name}.{name}")
            return found(*args, **kwargs)

        return call


def noting(ports: GatewayPorts, noted: list[str]) -> GatewayPorts:
    parts = {name: Noting(getattr(ports, name), name, noted) for name in PARTS}

    class Asking(Noting):
        def __getattr__(self, name: str) -> Callable[..., Any]:
            found = getattr(self._part, name)

            def call(method: Any, *args: object, **kwargs: object) -> Any:
                self._noted.append(method.subject)
                return found(method, *args, **kwargs)

            return call

    asking = Asking(ports.query_client, "query_client", noted)
    return replace(ports, **parts, query_client=asking)


async def work_of(world: GatewayWorld, name: str, fields: dict[str, Any]) -> list[str]:
    """Returns what a method asks before its caller is refused or answered."""
    noted: list[str] = []
    watched = replace(world, ports=noting(world.ports, noted))
    with suppress(ScopsError):
        await served(watched, SAM, name, fields)
    return noted


async def test_what_is_hidden_takes_the_work_of_what_is_absent() -> None:
    """By every method, of scopes and of pages, in the order of its steps."""
    differ = {}
    async with gateway_world() as world:
        for number in range(4):
            word = marker(number)
            await world.create_scope(
                word,
                owner="user:ann",
                rules=(prefix(f"{word}.example"),),
                seeds=(url(number, 0),),
            )
        await world.create_scope("own", owner="user:sam")
        say_everything(world, range(4))
        for name in BOUND.keys() - MAKES:
            hidden = requests_of(name, marker(1), f"pages/{page_id(1, 0)}", url(1, 0))
            absent = requests_of(name, "mk99mk", "pages/p-mk99mk-0", "https://mk99mk.example/0")
            works = [await work_of(world, name, fields) for fields in (hidden, absent)]
            if works[0] != works[1]:
                differ[name] = works

    assert {} == differ


async def test_the_comparison_sees_a_step_more() -> None:
    """It can fail: one who may read the page has more done for them."""
    async with gateway_world() as world:
        await world.create_scope(
            marker(1), owner="user:sam", rules=(prefix("mk01mk.example"),), seeds=()
        )
        say_everything(world, range(4))
        seen = requests_of("ListPageVersions", marker(1), f"pages/{page_id(1, 0)}", url(1, 0))
        absent = requests_of("ListPageVersions", "mk99mk", "pages/p-mk99mk-0", "https://x.example/")

        assert await work_of(world, "ListPageVersions", seen) != await work_of(
            world, "ListPageVersions", absent
        )
