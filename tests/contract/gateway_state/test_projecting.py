"""What is published of scopes, and what is published again, on each database."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import MetaData

from scops.common.contract.ids import ScopeId
from scops.common.db.database import Database
from scops.gateway.adapters.sql import scopes as sql_scopes
from scops.gateway.adapters.sql.scopes import SqlScopes
from scops.gateway.adapters.sql.tables import metadata
from scops.gateway.scopes.revisions import ScopeChange
from scops.gateway.scopes.stored_scope import StoredScope, new_scope, next_revision
from tests.fakes.worlds.gateway import docs_fields

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
MADE = ScopeChange(principal="ada", reason="as agreed")
NAMES = [f"docs-{number}" for number in range(5)]
OpenPair = Callable[[str, MetaData], Awaitable[tuple[Database, Database]]]


def docs(place: int) -> StoredScope:
    """Returns a scope; the later ones were updated earlier."""
    scope = new_scope(ScopeId(NAMES[place]), docs_fields(), organisation_id="main", owner="ada")
    time = AT - timedelta(minutes=place)
    return StoredScope(scope=scope, created_time=time, updated_time=time)


@pytest.fixture
async def scopes(open_pair: OpenPair, monkeypatch: pytest.MonkeyPatch) -> SqlScopes:
    """Five scopes that are published; some are read or written at once."""
    monkeypatch.setattr(sql_scopes, "KEYS_AT_ONCE", 2)
    store = SqlScopes((await open_pair("gateway", metadata))[0])
    for place in range(len(NAMES)):
        stored = await store.create(docs(place), key=None, now=AT, change=MADE)
        await store.mark_projected(stored.scope)
    return store


async def unprojected(scopes: SqlScopes, limit: int = 10) -> list[str]:
    return [scope.scope_id for scope in await scopes.unprojected(limit)]


async def test_a_scope_is_to_be_published_until_it_is(scopes: SqlScopes) -> None:
    """An older revision that is published meanwhile changes nothing."""
    published = await unprojected(scopes)
    first = docs(1)
    changed = replace(first, scope=next_revision(first.scope))
    await scopes.replace(changed, expected_revision=1, change=MADE)
    await scopes.mark_projected(first.scope)
    waiting = await unprojected(scopes)
    await scopes.mark_projected(changed.scope)

    assert ([], NAMES[1:2], []) == (published, waiting, await unprojected(scopes))


async def test_every_scope_is_published_again(scopes: SqlScopes) -> None:
    """Those first that have waited longest."""
    await scopes.mark_all_unprojected()

    assert NAMES[::-1] == await unprojected(scopes)
    assert NAMES[:2:-1] == await unprojected(scopes, limit=2)


async def test_every_scope_is_known(scopes: SqlScopes) -> None:
    assert {("main", ScopeId(name)) for name in NAMES} == await scopes.known_ids()


async def test_of_no_scopes_none_is_known(open_pair: OpenPair) -> None:
    empty = SqlScopes((await open_pair("gateway", metadata))[0])
    await empty.mark_all_unprojected()

    assert set() == await empty.known_ids()
