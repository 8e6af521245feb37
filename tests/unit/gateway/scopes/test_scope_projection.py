"""Scopes reach everybody else: each revision is published, also after a failure."""

import pytest

from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope
from scops.gateway.handlers import scopes
from scops.gateway.jobs.projection import project_dirty
from tests.fakes.worlds.gateway import gateway_world

DOCS_ID = ScopeId("docs")


async def test_projection_gets_every_change_also_after_a_failure() -> None:
    """A publication that failed is made up for; nothing is marked before it is stored."""
    async with gateway_world() as world:
        await world.create_scope()
        world.projection.failures.append(StoreUnavailable("The bus is away."))
        with pytest.raises(StoreUnavailable):
            await project_dirty(world.ports)
        await project_dirty(world.ports)
        await project_dirty(world.ports)

        assert [1] == [scope.revision for scope in world.projection.published]


async def test_projection_learns_of_deletions() -> None:
    """A deleted scope is published with its mark."""
    async with gateway_world() as world:
        await world.create_scope()
        await scopes.delete_scope(world.ports, world.call(), scope_id=DOCS_ID, etag="")
        await project_dirty(world.ports)

        assert [(2, True)] == [(s.revision, s.deleted) for s in world.projection.published]


async def test_change_during_publication_is_published_too() -> None:
    """The mark names the revision that was published, not the newest one."""
    async with gateway_world() as world:
        await world.create_scope()
        (old,) = await world.ports.scopes.unprojected(10)
        await world.update_scope(Scope(page_limit=9))
        await world.ports.scopes.mark_projected(old)

        assert [2] == [scope.revision for scope in await world.ports.scopes.unprojected(10)]


async def test_start_publishes_everything_again() -> None:
    """A lost bucket fills itself, deleted scopes included."""
    async with gateway_world() as world:
        await world.create_scope(scope_id="a")
        await world.create_scope(scope_id="b")
        await project_dirty(world.ports)
        await world.ports.scopes.mark_all_unprojected()
        await project_dirty(world.ports)

        assert ["a", "b", "a", "b"] == [scope.scope_id for scope in world.projection.published]
