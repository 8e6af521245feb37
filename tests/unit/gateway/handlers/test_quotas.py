"""What each caller may have."""

from dataclasses import replace

import pytest

from scops.common.contract.errors import QuotaReached
from scops.common.contract.ids import ScopeId
from scops.gateway.calls import failure_of
from scops.gateway.handlers import scopes, sharing
from scops.gateway.requests.quotas import Quotas
from tests.fakes.worlds.gateway import GatewayWorld, docs_fields, gateway_world

REQUEST = "3f8e2c54-7e0d-4a55-9a3a-6f6d4a4f0b11"


def bounded(world: GatewayWorld) -> GatewayWorld:
    return replace(world, ports=replace(world.ports, quotas=Quotas(scopes=2)))


async def test_as_many_scopes_as_each_may_own() -> None:
    """Creating and forking count; others, `local`, and what was deleted do not."""
    async with gateway_world() as opened:
        world = bounded(opened)
        await world.create_scope("one", owner="user:ann")
        await world.create_scope("two", owner="user:ann")
        with pytest.raises(QuotaReached, match="own 2 scopes") as refused:
            await world.create_scope("three", owner="user:ann")
        with pytest.raises(QuotaReached):
            await sharing.fork_scope(
                world.ports,
                world.call("user:ann"),
                scope_id=ScopeId("one"),
                new_id="fork",
                display_name="",
                request_id="",
            )
        await world.create_scope("bobs", owner="user:bob")
        for number in range(4):
            await world.create_scope(f"local-{number}")
        await scopes.delete_scope(
            world.ports, world.call("user:ann"), scope_id=ScopeId("one"), etag=""
        )
        await world.create_scope("three", owner="user:ann")

    failure = failure_of(refused.value)
    assert ("RESOURCE_EXHAUSTED", "SCOPE_QUOTA_REACHED", None) == (
        failure.code,
        failure.reason,
        failure.retry_after_seconds,
    )
    assert {"quota": "scopes", "limit": "2", "held": "2"} == failure.metadata


async def test_repeated_request_of_the_last_scope_gets_it() -> None:
    """Whoever lost the answer is not told that there is no room for what they have."""
    async with gateway_world() as opened:
        world = bounded(opened)
        await world.create_scope("one", owner="user:ann")
        made = [
            await scopes.create_scope(
                world.ports,
                world.call("user:ann"),
                scope_id="two",
                wanted=docs_fields(),
                request_id=REQUEST,
            )
            for _ in range(2)
        ]

    assert made[0].scope == made[1].scope
