"""What each caller may own."""

from dataclasses import replace
from typing import Any

import pytest

from scops.common.contract.errors import QuotaReached
from scops.common.contract.ids import ScopeId
from scops.common.scope.limits import PAGE_LIMIT_DEFAULT
from scops.gateway.calls import failure_of
from scops.gateway.handlers import scopes, sharing
from scops.gateway.quotas.held import HeldQuotas, held_by
from tests.fakes.worlds.gateway import GatewayWorld, docs_fields, gateway_world, prefix

REQUEST = "3f8e2c54-7e0d-4a55-9a3a-6f6d4a4f0b11"

TWO_RULES = (prefix("docs.example.org"), prefix("docs.example.org/de"))


def bounded(world: GatewayWorld) -> GatewayWorld:
    return replace(world, ports=replace(world.ports, held_quotas=HeldQuotas(scopes=2)))


async def changed(world: GatewayWorld, scope: str, **fields: Any) -> None:
    """Has Ann change some fields of a scope."""
    await scopes.update_scope(
        world.ports,
        world.call("user:ann"),
        scope_id=ScopeId(scope),
        wanted=docs_fields(**fields),
        mask=tuple("display_name" if field == "name" else field for field in fields),
        etag="",
    )


async def test_as_many_scopes_as_each_may_own() -> None:
    """Creating and forking count; others, `local`, and what was deleted do not."""
    async with gateway_world() as opened:
        world = bounded(opened)
        await world.create_scope("one", owner="user:ann")
        await world.create_scope("two", owner="user:ann")
        with pytest.raises(QuotaReached, match="owns 2 scopes") as refused:
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


@pytest.mark.parametrize(
    ("quota", "fields", "more"),
    [
        ("rules", {"rules": (prefix("docs.example.org"),)}, {"rules": TWO_RULES}),
        ("pages", {"page_limit": 60}, {"page_limit": 90}),
        ("recrawls", {"recrawl_per_day": 60}, {"recrawl_per_day": 90}),
    ],
)
async def test_what_all_scopes_of_somebody_ask_for(
    quota: str, fields: dict[str, Any], more: dict[str, Any]
) -> None:
    """However it comes to be theirs: made, changed, or handed on to them."""
    limit = 2 if quota == "rules" else 120
    async with gateway_world() as opened:
        quotas = HeldQuotas(**{quota: limit})
        world = replace(opened, ports=replace(opened.ports, held_quotas=quotas))
        for name in ("one", "two"):
            await world.create_scope(name, owner="user:ann", **fields)
        bobs = await world.create_scope("bobs", owner="user:bob", **fields)
        refused = [
            lambda: world.create_scope("three", owner="user:ann", **fields),
            lambda: changed(world, "two", **more),
            lambda: sharing.transfer_scope(
                world.ports,
                world.call("user:bob"),
                scope_id=bobs.scope.scope_id,
                owner="user:ann",
                etag="",
            ),
        ]
        for change in refused:
            with pytest.raises(QuotaReached) as raised:
                await change()
            assert quota == raised.value.metadata["quota"]
        await changed(world, "two", name="another name")


async def test_who_owns_too_much_already_may_own_less() -> None:
    """A bound that was lowered takes nothing away, and lets nothing grow."""
    async with gateway_world() as opened:
        await opened.create_scope("one", owner="user:ann", page_limit=100)
        world = replace(opened, ports=replace(opened.ports, held_quotas=HeldQuotas(pages=50)))
        await changed(world, "one", page_limit=80)
        with pytest.raises(QuotaReached, match="owns 80 pages and would own 81"):
            await changed(world, "one", page_limit=81)


def test_a_scope_without_a_limit_counts_as_what_it_may_crawl() -> None:
    """As the fetcher takes it."""
    assert PAGE_LIMIT_DEFAULT == held_by([docs_fields()])["pages"]
