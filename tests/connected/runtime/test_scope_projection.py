"""The scopes' bucket: what the gateway writes reaches every book, also across faults."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta

import pytest

from scops.common.bus.admin.topology import SCOPE_BUCKET, scope_bucket_config
from scops.common.bus.embedded.nats_child import NatsChild
from scops.common.bus.nats_bus import NatsBus
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import MessageTooLarge, StoreUnavailable
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRef, ScopeRule
from scops.common.runtime.clock import SystemClock
from scops.common.scope.book import ScopeBook
from scops.common.scope.projection import ScopeProjection, ScopeWatch
from tests.connected.waiting import until

SCOPE = Scope(
    scope_id=ScopeId("scope-1"),
    organisation_id="main",
    name="docs",
    revision=1,
    rules=(ScopeRule(kind=RuleKind.PREFIX, pattern="docs.example.org"),),
)


@asynccontextmanager
async def _watching(bus: NatsBus) -> AsyncIterator[ScopeBook]:
    book = ScopeBook()
    watch = ScopeWatch(bus.client, bus.jetstream, book, organisation_id="main")
    task = asyncio.create_task(watch.run())
    yield book
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def _projection(bus: NatsBus) -> ScopeProjection:
    return ScopeProjection(bus.jetstream, clock=SystemClock())


async def test_a_book_is_complete_with_the_first_snapshot(bus: NatsBus) -> None:
    """What was written before the watch is there when the book calls itself complete."""
    scopes = [replace(SCOPE, scope_id=ScopeId(f"scope-{number}")) for number in range(30)]
    projection = _projection(bus)
    for scope in scopes:
        await projection.publish_scope(scope)

    async with _watching(bus) as book:
        await until(lambda: book.complete)

        assert len(book.all()) == 30


async def test_an_empty_bucket_is_complete_too(bus: NatsBus) -> None:
    """Without any scope there is nothing to wait for."""
    async with _watching(bus) as book:
        await until(lambda: book.complete)

        assert book.all() == ()


async def test_changes_arrive_and_older_revisions_do_not_undo_them(bus: NatsBus) -> None:
    """A publication from a stale table cannot take a newer revision back."""
    projection = _projection(bus)
    async with _watching(bus) as book:
        await until(lambda: book.complete)
        await projection.publish_scope(replace(SCOPE, revision=2, name="new"))
        await projection.publish_scope(SCOPE)
        await projection.publish_scope(replace(SCOPE, scope_id=ScopeId("scope-2")))
        # A change that the library's watch lets fall comes with the next snapshot.
        await until(lambda: len(book.all()) == 2, timeout_seconds=90.0)

        assert book.get(ScopeRef(scope_id=ScopeId("scope-1"), revision=2)).name == "new"


async def test_another_organisations_scopes_do_not_arrive(bus: NatsBus) -> None:
    """A process holds the scopes of its own organisation alone."""
    projection = _projection(bus)
    await projection.publish_scope(replace(SCOPE, organisation_id="other"))
    await projection.publish_scope(SCOPE)

    async with _watching(bus) as book:
        await until(lambda: book.complete)

        assert [scope.organisation_id for scope in book.all()] == ["main"]


async def test_a_watch_goes_on_after_the_server_was_killed(
    bus: NatsBus, nats_server: NatsChild
) -> None:
    """kill -9 of nats-server interrupts the watch and loses no change."""
    projection = _projection(bus)
    async with _watching(bus) as book:
        await until(lambda: book.complete)
        os.kill(nats_server.pid, signal.SIGKILL)
        await asyncio.sleep(0.1)
        await projection.publish_scope(SCOPE)

        await until(lambda: len(book.all()) == 1)


async def test_a_missing_bucket_is_an_error_that_says_what_to_run(bare_bus: NatsBus) -> None:
    """Neither writing nor watching makes the bucket up."""
    book = ScopeBook()
    watch = ScopeWatch(bare_bus.client, bare_bus.jetstream, book, organisation_id="main")

    with pytest.raises(StoreUnavailable, match="scops provision"):
        await watch.run()
    with pytest.raises(StoreUnavailable, match="scops provision"):
        await _projection(bare_bus).publish_scope(SCOPE)
    assert not book.complete


async def test_a_scope_over_the_limit_is_refused(bus: NatsBus) -> None:
    """The bus would close the connection over it."""
    rules = tuple(ScopeRule(kind=RuleKind.PREFIX, pattern="x" * 600) for _ in range(1000))

    with pytest.raises(MessageTooLarge, match="fewer or shorter rules"):
        await _projection(bus).publish_scope(replace(SCOPE, rules=rules))


async def test_an_older_revision_never_replaces_a_newer_one(bus: NatsBus) -> None:
    """Two gateways write at once, one of them from an older read: the bucket holds the newest."""
    revisions = [replace(SCOPE, revision=number) for number in range(1, 9)]
    writers = [_projection(bus), _projection(bus)]

    await asyncio.gather(
        *(
            writers[number % 2].publish_scope(scope)
            for number, scope in enumerate(reversed(revisions))
        )
    )
    await writers[0].publish_scope(revisions[3])

    async with _watching(bus) as book:
        await until(lambda: book.complete)
        assert book.get(ScopeRef(scope_id=SCOPE.scope_id, revision=8)).revision == 8


async def test_the_publisher_is_told_what_the_bucket_keeps(bus: NatsBus) -> None:
    """A table that was put back hears which revision it has to rise above."""
    projection = _projection(bus)
    assert await projection.publish_scope(replace(SCOPE, revision=7)) is None

    assert await projection.publish_scope(SCOPE) == 7
    assert await projection.publish_scope(replace(SCOPE, revision=7)) is None
    assert await projection.publish_scope(replace(SCOPE, revision=7, name="other")) == 7


async def test_a_retracted_scope_is_deleted_in_every_book(bus: NatsBus) -> None:
    """What no table knows any more has no rules; retracting it again changes nothing."""
    projection = _projection(bus)
    await projection.publish_scope(replace(SCOPE, revision=4))
    assert list(await projection.scope_ids()) == [("main", SCOPE.scope_id)]
    async with _watching(bus) as book:
        await until(lambda: len(book.all()) == 1)
        await projection.retract_scope("main", SCOPE.scope_id)
        await projection.retract_scope("main", SCOPE.scope_id)

        await until(lambda: book.all() == ())
        assert book.get(ScopeRef(scope_id=SCOPE.scope_id, revision=5)).deleted


async def test_a_book_is_whole_by_the_gateways_word_for_this_bucket(
    bus: NatsBus, common: CommonSettings
) -> None:
    """An empty bucket is not whole where scopes existed, nor is a new one by the word of before."""
    projection, now = _projection(bus), SystemClock().now
    async with _watching(bus) as book:
        await until(lambda: book.complete)
        assert not book.is_whole(now())
        await projection.publish_scope(SCOPE)
        await projection.vouch("main", await projection.generation(), identity_keys={})
        await until(lambda: book.is_whole(now()))
        assert book.all() == (SCOPE,)
        assert not book.is_whole(now() + timedelta(hours=1))

    generation = await projection.generation()
    assert list(await projection.scope_ids()) == [("main", SCOPE.scope_id)]
    await bus.jetstream.delete_key_value(SCOPE_BUCKET)
    await bus.jetstream.create_key_value(scope_bucket_config(common))
    await _projection(bus).vouch("main", generation, identity_keys={})
    async with _watching(bus) as book:
        await until(lambda: book.complete)

        assert not book.is_whole(now())


async def test_a_bucket_made_anew_counts_also_with_lower_revisions(
    bus: NatsBus, common: CommonSettings
) -> None:
    """Bus and database were restored under processes that went on."""
    projection = _projection(bus)
    await projection.publish_scope(replace(SCOPE, revision=9, name="late"))
    async with _watching(bus) as book:
        await until(lambda: len(book.all()) == 1)
        await bus.jetstream.delete_key_value(SCOPE_BUCKET)
        await bus.jetstream.create_key_value(scope_bucket_config(common))
        await _projection(bus).publish_scope(SCOPE)

        await until(lambda: book.all()[0].name == "docs")


async def test_a_book_knows_who_signs_and_when_somebody_last_did_not(bus: NatsBus) -> None:
    """A gateway of an earlier version gave its word without keys; later words remember when."""
    projection, when = _projection(bus), SystemClock().now()
    generation = await projection.generation()
    bucket = await bus.jetstream.key_value(SCOPE_BUCKET)
    word = {"generation": generation, "time": when.isoformat()}
    await bucket.put("main._whole", json.dumps(word).encode())
    for keys in ({"one": "x"}, {"two": "y"}):
        await projection.vouch("main", generation, identity_keys=keys)
    async with _watching(bus) as book:
        await until(lambda: bool(book.identity_keys))

        assert ({"two": "y"}, when) == (book.identity_keys, book.unsigned_time)
