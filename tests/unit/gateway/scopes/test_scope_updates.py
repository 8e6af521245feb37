"""Changing a scope: masks, etags, and changes that meet."""

from dataclasses import replace
from typing import Any, cast

import pytest

from scops.common.contract.errors import Conflict, InvalidInput
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope
from scops.gateway.handlers import scopes
from scops.gateway.ports import GatewayPorts, ScopeStore
from scops.gateway.scopes.revisions import ScopeChange
from scops.gateway.scopes.stored_scope import StoredScope
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, docs_fields, gateway_world, prefix

DOCS_ID = ScopeId("docs")


async def test_update_sets_only_what_the_mask_names() -> None:
    """Fields outside the mask keep their value; the revision grows by one."""
    async with gateway_world() as world:
        await world.create_scope(page_limit=7)
        fields = Scope(name="Manuals", page_limit=9)
        stored = await world.update_scope(fields, mask=("display_name",))

        scope = stored.scope
        assert ("Manuals", 7, 2) == (scope.name, scope.page_limit, scope.revision)


async def test_update_without_mask_sets_what_is_given() -> None:
    """An omitted mask stands for the fields that are set."""
    async with gateway_world() as world:
        await world.create_scope(page_limit=7)
        stored = await world.update_scope(Scope(page_limit=9))

        assert (9, (DOCS,)) == (stored.scope.page_limit, stored.scope.seeds)


async def test_update_of_everything_clears_what_is_not_given() -> None:
    """The mask * replaces every field."""
    async with gateway_world() as world:
        await world.create_scope(page_limit=7)
        stored = await world.update_scope(docs_fields(seeds=()), mask=("*",))

        assert ((), 0) == (stored.scope.seeds, stored.scope.page_limit)


@pytest.mark.parametrize("path", ["owner", "revision", "rules.pattern", "nonsense"])
async def test_mask_with_an_unknown_field_is_refused(path: str) -> None:
    """What the server sets cannot be updated."""
    async with gateway_world() as world:
        await world.create_scope()

        with pytest.raises(InvalidInput) as caught:
            await world.update_scope(Scope(), mask=(path,))

        assert "UPDATE_MASK_INVALID" == caught.value.reason


async def test_update_that_changes_nothing_keeps_the_revision() -> None:
    """Only a change is a revision."""
    async with gateway_world() as world:
        first = await world.create_scope()
        again = await world.update_scope(docs_fields(), mask=("rules", "seeds"))

        assert first == again


async def test_update_whose_rules_leave_a_seed_outside_is_refused() -> None:
    """The seeds that stay must lie inside the new rules."""
    async with gateway_world() as world:
        await world.create_scope()

        with pytest.raises(InvalidInput) as caught:
            await world.update_scope(docs_fields(rules=(prefix("other.org"),)), mask=("rules",))

        assert "URL_OUTSIDE_SCOPE" == caught.value.reason


async def test_stale_etag_is_a_conflict() -> None:
    """A change that names an older revision's etag is refused."""
    async with gateway_world() as world:
        first = await world.create_scope()
        await world.update_scope(Scope(page_limit=9))

        with pytest.raises(Conflict) as caught:
            await world.update_scope(Scope(page_limit=10), etag=first.etag)

        assert "ETAG_MISMATCH" == caught.value.reason


class OvertakenScopes:
    """A store in which somebody else changes the scope before each of our changes lands."""

    def __init__(self, world: GatewayWorld, times: int) -> None:
        self._real = world.ports.scopes
        self._times = times

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    async def replace(
        self, stored: StoredScope, *, expected_revision: int, change: ScopeChange
    ) -> bool:
        if self._times > 0:
            self._times -= 1
            other = await self._real.get("main", stored.scope.scope_id)
            assert other is not None
            risen = replace(
                other.scope, revision=other.scope.revision + 1, depth_limit=self._times + 1
            )
            await self._real.replace(
                replace(other, scope=risen),
                expected_revision=other.scope.revision,
                change=change,
            )
        return await self._real.replace(stored, expected_revision=expected_revision, change=change)


async def test_overtaken_update_keeps_both_changes() -> None:
    """An update without etag is applied to what the other one stored."""
    async with gateway_world() as world:
        await world.create_scope()
        ports = overtaken(world, times=1)
        stored = await scopes.update_scope(
            ports,
            world.call(),
            scope_id=DOCS_ID,
            wanted=Scope(page_limit=9),
            mask=(),
            etag="",
        )

        scope = stored.scope
        assert (9, 1, 3) == (scope.page_limit, scope.depth_limit, scope.revision)


async def test_update_that_is_always_overtaken_ends_in_a_conflict() -> None:
    """No attempt is repeated for ever."""
    async with gateway_world() as world:
        await world.create_scope()

        with pytest.raises(Conflict):
            await scopes.update_scope(
                overtaken(world, times=100),
                world.call(),
                scope_id=DOCS_ID,
                wanted=Scope(page_limit=9),
                mask=(),
                etag="",
            )


def overtaken(world: GatewayWorld, *, times: int) -> GatewayPorts:
    return replace(world.ports, scopes=cast(ScopeStore, OvertakenScopes(world, times)))
