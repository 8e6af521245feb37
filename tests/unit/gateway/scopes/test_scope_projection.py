"""Scopes reach everybody else: each revision is published, also after a failure."""

from dataclasses import replace

import pytest

from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope
from scops.gateway.handlers import scopes
from scops.gateway.jobs.projection import project_dirty, retract_unknown
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


async def test_table_behind_its_projection_rises_above_it() -> None:
    """After a restore of the database alone, what the table says counts again."""
    async with gateway_world() as world:
        await world.create_scope()
        (old,) = await world.ports.scopes.unprojected(10)
        key = (old.organisation_id, old.scope_id)
        world.projection.held[key] = replace(old, revision=7, page_limit=99)
        await project_dirty(world.ports)
        await project_dirty(world.ports)

        assert world.projection.held[key] == replace(old, revision=8)
        assert not await world.ports.scopes.unprojected(10)


async def test_other_content_under_the_same_revision_is_replaced() -> None:
    """A change right after a restore may take a revision that was used before."""
    async with gateway_world() as world:
        await world.create_scope()
        (old,) = await world.ports.scopes.unprojected(10)
        key = (old.organisation_id, old.scope_id)
        world.projection.held[key] = replace(old, page_limit=99)
        await project_dirty(world.ports)
        await project_dirty(world.ports)

        assert world.projection.held[key] == replace(old, revision=2)


async def test_a_faster_instance_is_no_restore() -> None:
    """A projection that holds what the table holds by then leaves the revisions alone."""
    async with gateway_world() as world:
        await world.create_scope()
        (old,) = await world.ports.scopes.unprojected(10)
        await world.update_scope(Scope(page_limit=9))

        assert not await world.ports.scopes.rise_above(old, 2)
        assert [2] == [scope.revision for scope in await world.ports.scopes.unprojected(10)]


async def test_scopes_that_the_table_does_not_know_are_retracted() -> None:
    """A scope created after the backup is gone for everybody, and its id may be used again."""
    async with gateway_world() as world:
        await world.create_scope()
        (old,) = await world.ports.scopes.unprojected(10)
        later = replace(old, scope_id=ScopeId("later"), revision=3)
        world.projection.held[later.organisation_id, later.scope_id] = later
        await project_dirty(world.ports)

        assert 1 == await retract_unknown(world.ports)
        assert world.projection.held[later.organisation_id, later.scope_id].deleted
        await world.create_scope(scope_id="later")
        await project_dirty(world.ports)
        await project_dirty(world.ports)
        assert 5 == world.projection.held[later.organisation_id, later.scope_id].revision
