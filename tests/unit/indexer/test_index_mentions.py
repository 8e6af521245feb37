"""What chunks mention is stored with them, moves with them, and is read anew by a rebuild."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from scops.indexer.upkeep.rebuild import rebuild
from scops.indexer.upkeep.reconcile import reconcile
from scops.libraries.index.ports import StoreQuery
from scops.libraries.index.sqlite.generations import SqliteGenerations
from scops.libraries.index.sqlite.schema import provision
from scops.libraries.index.sqlite.upkeep import MaintainedSqliteStore
from scops.libraries.mentions.port import Mentions
from scops.libraries.mentions.rules import EXTRACTOR_ID, read_by_rules
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.verdicts import at
from tests.fakes.worlds.index import IndexWorld, prefix_filter

FIRST = "We heard that Ada Lovelace drinks green tea."
SECOND = "We heard that Charles Babbage drinks black tea."
THIRD = "We heard that nobody drinks white tea."


@dataclass
class WordsExtractor:
    """Reads every word as a mention; what holds `white` it leaves to the rules."""

    extractor_id: str = "words/1"

    async def read(self, texts: Sequence[str]) -> list[Mentions]:
        return [
            read_by_rules(text)
            if "white" in text
            else Mentions(tuple(sorted(set(text.lower().split()))), self.extractor_id)
            for text in texts
        ]

    async def close(self) -> None:
        """There is nothing to close."""


@pytest.fixture
async def world(world: IndexWorld, tmp_path: Path) -> IndexWorld:
    """A page in a file: two chunks live, one of them new, and one in the history."""
    await world.serve_from(_opened(tmp_path / "chunks.db"))
    first = await world.show(FIRST, SECOND, day=1)
    await world.show(FIRST, THIRD, day=2, after=first)
    await world.sweep_later()
    return world


def _opened(path: Path) -> MaintainedSqliteStore:
    provision(path)
    embedder = HashingEmbedder
    return MaintainedSqliteStore(
        path, embedder_id=embedder.embedder_id, dimensions=embedder.dimensions
    )


async def _held(world: IndexWorld, *keys: str, day: float | None = None) -> dict[str, set[str]]:
    """Returns the mentions of what mentions one of some keys, by text."""
    (vector,) = await HashingEmbedder().embed([""])
    query = StoreQuery(
        text="",
        vector=vector,
        scope_filter=prefix_filter("docs.example.org"),
        limit=10,
        as_of=None if day is None else at(day),
        mentioning=frozenset(keys),
        with_mentions=True,
    )
    return {hit.text: set(hit.mentions or ()) for hit in await world.plain_store.search(query)}


async def test_chunk_is_found_by_what_it_mentions(world: IndexWorld) -> None:
    """Its header is read with it; what was superseded only at its time."""
    found = await _held(world, "ada lovelace", "charles babbage")

    assert [FIRST] == list(found)
    assert "ada lovelace" in found[FIRST]
    assert {FIRST, SECOND} == set(await _held(world, "ada lovelace", "charles babbage", day=1))


async def test_other_extractor_is_seen_and_a_rebuild_reads_anew(
    world: IndexWorld, tmp_path: Path
) -> None:
    """Reconcile counts what another read and leaves it; the new generation is the extractor's."""
    assert 0 == (await reconcile(world.tools)).mentions_other
    world.ports = replace(world.ports, mentions=WordsExtractor())
    seen = await reconcile(world.tools)
    generations = SqliteGenerations(
        tmp_path / "chunks.db",
        embedder_id=HashingEmbedder.embedder_id,
        dimensions=HashingEmbedder.dimensions,
    )
    await rebuild(world.tools, generations)
    await generations.close()

    assert (2, 0) == (seen.mentions_other, seen.faults)
    assert {FIRST, SECOND} == set(await _held(world, "drinks", day=1))
    assert set() == set(await _held(world, "charles babbage", day=1))


async def test_text_that_the_rules_had_to_read_is_counted(world: IndexWorld) -> None:
    """It is stored as theirs."""
    world.ports = replace(world.ports, mentions=WordsExtractor())
    before = [_counted("read"), _counted("fallback")]
    await world.show(FIRST, "Green tea.", "Some white tea.", day=3)
    objects = await world.tools.store.get(
        [item.object_id async for batch in world.plain_store.scan(history=False) for item in batch]
    )

    assert [1, 1] == [_counted("read") - before[0], _counted("fallback") - before[1]]
    assert {"Green tea.": "words/1", "Some white tea.": EXTRACTOR_ID} == {
        item.text: item.mentions.extractor_id
        for item in objects
        if item.mentions is not None and item.text not in (FIRST, THIRD)
    }


def _counted(outcome: str) -> float:
    return REGISTRY.get_sample_value("scops_indexer_mentions_total", {"outcome": outcome}) or 0.0
