"""What every fetcher state must hold of credentials.

Run on SQLite in memory, on a file and on PostgreSQL.
"""

import base64
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.crawl import KeptCredential, SecretKind
from scops.common.db.address import Address
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.credentials import SqlCredentials
from scops.fetcher.credentials.sealing import (
    CredentialPlace,
    CredentialSeal,
    CredentialUnreadable,
)
from scops.fetcher.credentials.secret import Secret
from scops.fetcher.ports.credentials import CredentialUnusable, OpenedCredential, ResealedCount
from tests.fakes.clock import START
from tests.fakes.worlds.fetcher import CREDENTIAL_KEY, FetcherWorld

DOCS = CredentialPlace(
    organisation_id="main",
    scope_id="docs",
    access_context="credential-1",
    origin="https://docs.example",
)
SECRET = Secret(kind=SecretKind.COOKIES, fields={"sid": "s-12345", "lang": "en"})
NEWER_KEY = base64.b64encode(bytes(range(1, 33))).decode()
ENDS = START + timedelta(hours=1, microseconds=1)


@pytest.fixture
async def world(address: str | Address) -> AsyncIterator[FetcherWorld]:
    async with FetcherWorld.opened(address) as made:
        yield made


async def put(
    world: FetcherWorld, place: CredentialPlace = DOCS, *, secret: Secret = SECRET
) -> None:
    await world.ports.credentials.put(secret, place, put_by="user:ann", expire_time=ENDS, now=START)


async def test_what_is_put_is_sent_until_it_ends(world: FetcherWorld) -> None:
    """To the microsecond; it is in no row."""
    await put(world)
    found = await world.ports.credentials.opened("credential-1", now=START)
    with pytest.raises(CredentialUnusable) as expired:
        await world.ports.credentials.opened("credential-1", now=ENDS)
    (row,) = await world.rows(tables.credential)

    assert (
        OpenedCredential(
            access_context="credential-1",
            origin="https://docs.example",
            secret=SECRET,
            put_time=START,
        )
        == found
    )
    assert "s-12345" not in repr(found)
    assert "CREDENTIAL_EXPIRED" == expired.value.reason
    assert b"s-12345" not in bytes(row.sealed)
    assert "s-12345" not in repr(row)


async def test_a_newer_one_takes_the_place_of_the_older(world: FetcherWorld) -> None:
    """Of its scope and origin alone, in the same context or in another one."""
    newer = replace(SECRET, fields={"sid": "s-2"})
    elsewhere = replace(DOCS, scope_id="other", access_context="credential-3")
    await put(world, elsewhere)
    await put(world)
    await put(world, secret=newer)
    again = await world.ports.credentials.opened("credential-1", now=START)
    await put(world, replace(DOCS, access_context="credential-2"))
    with pytest.raises(CredentialUnusable) as missing:
        await world.ports.credentials.opened("credential-1", now=START)

    assert newer == again.secret
    assert "CREDENTIAL_NOT_KEPT" == missing.value.reason
    assert {"credential-2", "credential-3"} == {
        row.access_context for row in await world.rows(tables.credential)
    }


async def test_a_list_is_by_origin_and_tells_no_secret(world: FetcherWorld) -> None:
    """Another scope's and another organisation's are not in it."""
    second = replace(DOCS, origin="https://a.example", access_context="credential-2")
    await put(world)
    await put(world, second)
    await put(world, replace(DOCS, scope_id="other", access_context="credential-3"))
    await put(world, replace(DOCS, organisation_id="other", access_context="credential-4"))
    found = await world.ports.credentials.of_scope("main", ScopeId("docs"))

    assert [
        KeptCredential(
            origin=place.origin,
            access_context=place.access_context,
            kind=SecretKind.COOKIES,
            put_by="user:ann",
            put_time=START,
            expire_time=ENDS,
        )
        for place in (second, DOCS)
    ] == list(found)


async def test_what_is_dropped_is_gone(world: FetcherWorld) -> None:
    """Once; those of other origins stay."""
    await put(world)
    await put(world, replace(DOCS, origin="https://a.example", access_context="credential-2"))
    named = ("main", ScopeId("docs"), DOCS.origin)
    dropped = [await world.ports.credentials.drop(*named) for _ in range(2)]

    assert [True, False] == dropped
    assert ["credential-2"] == [row.access_context for row in await world.rows(tables.credential)]


async def test_a_row_that_was_moved_opens_nothing(world: FetcherWorld) -> None:
    """The database alone cannot have a secret sent elsewhere."""
    await put(world)
    async with world.database.transaction() as connection:
        await connection.execute(tables.credential.update().values(origin="https://evil.example"))
    with pytest.raises(CredentialUnreadable):
        await world.ports.credentials.opened("credential-1", now=START)


async def test_a_newer_key_takes_over_what_an_older_one_sealed(world: FetcherWorld) -> None:
    """Once: then the older one may go. What neither opens is counted, and stays as it is."""
    await put(world)
    await put(world, replace(DOCS, origin="https://a.example", access_context="credential-2"))
    lost = tables.credential.c.access_context == "credential-2"
    async with world.database.transaction() as connection:
        await connection.execute(tables.credential.update().where(lost).values(sealed=b"x" * 40))
    both = SqlCredentials(world.database, CredentialSeal((NEWER_KEY, CREDENTIAL_KEY)))
    newer = SqlCredentials(world.database, CredentialSeal((NEWER_KEY,)))
    counts = [await both.seal_anew(), await both.seal_anew()]
    found = await newer.opened("credential-1", now=START)

    assert [ResealedCount(resealed=1, unreadable=1), ResealedCount(unreadable=1)] == counts
    assert SECRET == found.secret
    with pytest.raises(CredentialUnreadable):
        await world.ports.credentials.opened("credential-1", now=START)
