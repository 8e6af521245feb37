"""Verdicts that cannot be applied as they are, and bounds."""

from dataclasses import replace

import pytest

from scops.common.contract import wire
from scops.common.contract.messages.index import IndexFailed, IndexOutcome
from scops.common.contract.messages.types import BodyRef
from tests.fakes.verdicts import (
    PAGE,
    added,
    unchanged,
)
from tests.fakes.worlds.index import IndexWorld


async def test_missing_blob_is_a_recorded_failure(world: IndexWorld) -> None:
    """A manifest that the archive lacks ends the fetch; redelivery says the same."""
    row = await world.version("one", day=1)
    lost = replace(row, manifest=BodyRef(digest="0" * 64))
    message = added(lost, day=1, fetch="fetch-7")

    answer = await world.handle(message, event_id="same")
    world.clock.advance(100)

    assert isinstance(answer, IndexFailed)
    assert ("BLOB_MISSING", "fetch-7") == (answer.reason, answer.fetch_id)
    assert answer == await world.handle(message, event_id="same")
    assert {} == await world.heads.heads([PAGE])


async def test_failed_page_recovers_with_a_later_verdict(world: IndexWorld) -> None:
    """Indexing that failed once does not stop the page when it is seen unchanged."""
    row = await world.version("one", day=1)
    lost = replace(row, manifest=BodyRef(digest="0" * 64))
    await world.handle(added(lost, day=1))

    answer = await world.indexed(unchanged(row, day=2))

    assert IndexOutcome.ADDED == answer.outcome
    assert ["one"] == await world.search("one")


async def test_damaged_manifest_is_a_recorded_failure(world: IndexWorld) -> None:
    """Bytes that are no manifest end the fetch with a reason."""
    row = await world.version("one", day=1)
    blob = await world.archive.put(b"\xff\xff\xff", media_type="x")

    answer = await world.handle(added(replace(row, manifest=blob), day=1))

    assert isinstance(answer, IndexFailed)
    assert "DECODE_FAILED" == answer.reason


async def test_verdict_without_manifest_is_a_recorded_failure(world: IndexWorld) -> None:
    """An open verdict that names no manifest cannot be applied."""
    row = await world.version("one", day=1)
    message = unchanged(row, day=1)
    broken = replace(message, verdict=replace(message.verdict, manifest=None))

    answer = await world.handle(broken)

    assert isinstance(answer, IndexFailed)
    assert "MANIFEST_UNNAMED" == answer.reason


async def test_key_of_another_text_is_a_recorded_failure(world: IndexWorld) -> None:
    """A manifest whose key does not belong to the text it points at is refused."""
    good = await world.version("one", day=1)
    manifest = await world.ports.manifests.get(good.manifest)
    chunk = replace(manifest.chunks[0], end=2)
    blob = await world.archive.put(wire.encode(replace(manifest, chunks=(chunk,))), media_type="x")

    answer = await world.handle(added(replace(good, manifest=blob), day=1))

    assert isinstance(answer, IndexFailed)
    assert "EMBEDDING_KEY_MISMATCH" == answer.reason


async def test_manifest_of_another_embedder_gets_own_vectors(world: IndexWorld) -> None:
    """The keys of a manifest from before a change of the embedder are not used."""
    row = await world.version("one", day=1, embedder_id="former")

    await world.indexed(added(row, day=1))

    assert ["Tea\none"] == world.embedder.texts
    await world.check()


async def test_many_chunks_go_in_bounded_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """No call to the store holds more objects than the bound."""
    effects: list[str] = []

    async def note(name: str) -> None:
        effects.append(name)

    world = await IndexWorld.create(effect=note)
    monkeypatch.setattr("scops.indexer.handlers.verdicts.OBJECTS_AT_ONCE", 100)
    row = await world.version(*(f"text {number}" for number in range(1250)), day=1)

    answer = await world.indexed(added(row, day=1))

    assert 1250 == answer.chunks_total
    assert 13 == effects.count("store.insert.end")
    await world.check()
    await world.close()
