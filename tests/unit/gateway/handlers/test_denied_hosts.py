"""Hosts that an operator keeps from being crawled, where callers name them."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope
from scops.common.scope.hosts import EVERY_HOST, HostLists
from scops.gateway.handlers import jobs, scopes
from tests.fakes.worlds.gateway import GatewayWorld, gateway_world, prefix

SHUT = "https://shut.example/"
RULES = (prefix("docs.example.org"), prefix("shut.example"))


@pytest.fixture
async def world() -> AsyncIterator[GatewayWorld]:
    async with gateway_world() as opened:
        yield with_hosts(opened, HostLists(denied=frozenset({"shut.example"})))


def with_hosts(world: GatewayWorld, hosts: HostLists) -> GatewayWorld:
    return replace(world, ports=replace(world.ports, hosts=hosts))


@pytest.mark.parametrize("field", ["seeds", "sitemaps"])
async def test_a_scope_names_none(world: GatewayWorld, field: str) -> None:
    """When it is created, and when it is changed."""
    named = {field: (SHUT,)}
    with pytest.raises(InvalidInput) as refused:
        await world.create_scope(rules=RULES, **named)
    assert ("HOST_DENIED", f"scope.{field}[0]") == (
        refused.value.reason,
        refused.value.metadata["field"],
    )
    await world.create_scope(rules=RULES)
    with pytest.raises(InvalidInput, match=r"shut\.example is not crawled"):
        await world.update_scope(Scope(**named), mask=(field,))


async def test_pages_are_neither_added_nor_asked_for(world: GatewayWorld) -> None:
    """Hand-picked ones, and those of a job."""
    await world.create_scope(rules=RULES)
    docs = ScopeId("docs")
    with pytest.raises(InvalidInput, match=r"shut\.example is not crawled"):
        await scopes.add_pages(
            world.ports, world.call(), scope_id=docs, uris=[f"{SHUT}a"], reason=""
        )
    with pytest.raises(InvalidInput, match=r"shut\.example is not crawled"):
        await jobs.create_job(
            world.ports,
            world.call(),
            scope_id=docs,
            urls=[f"{SHUT}a"],
            page_limit=0,
            request_id="",
        )


async def test_what_a_scope_named_before_may_stay(world: GatewayWorld) -> None:
    """A host that is denied later does not keep its scope from being changed."""
    await with_hosts(world, EVERY_HOST).create_scope(rules=RULES, seeds=(SHUT,))
    changed = await world.update_scope(Scope(page_limit=7), mask=("page_limit",))

    assert (7, (SHUT,)) == (changed.scope.page_limit, changed.scope.seeds)
