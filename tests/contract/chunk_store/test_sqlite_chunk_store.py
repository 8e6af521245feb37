"""The SQLite chunk store keeps the port's contract, in a file and in memory."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scops.common.contract.errors import PermanentError, StoreUnavailable
from scops.libraries.index.ports import ChunkStore
from scops.libraries.index.sqlite import rows
from scops.libraries.index.sqlite.chunk_store import SqliteChunkStore
from scops.libraries.index.sqlite.schema import provision
from scops.libraries.index.sqlite.upkeep import MaintainedSqliteStore
from scops.libraries.index.upkeep import MaintainedStore
from tests.contract.chunk_store.chunk_objects import (
    DIMENSIONS,
    chunk_object,
    clause,
    found,
    store_query,
)
from tests.contract.chunk_store.chunk_store_contract import ChunkStoreContract
from tests.contract.chunk_store.upkeep_contract import UpkeepContract


def open_store(path: Path, embedder_id: str = "fake") -> SqliteChunkStore:
    return SqliteChunkStore(path, embedder_id=embedder_id, dimensions=DIMENSIONS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "index" / "chunks.db"
    provision(path)
    return path


class TestInFile(ChunkStoreContract):
    """In a file, through its own thread."""

    @pytest.fixture
    async def store(self, path: Path) -> AsyncIterator[ChunkStore]:
        store = open_store(path)
        yield store
        await store.close()


class TestInMemory(ChunkStoreContract):
    """In memory, in the caller's thread, as the simulation uses it."""

    @pytest.fixture
    async def store(self) -> AsyncIterator[ChunkStore]:
        store = SqliteChunkStore(None, embedder_id="fake", dimensions=DIMENSIONS, inline=True)
        yield store
        await store.close()


class _WriterAndReader:
    """Writes through one store and reads through another, as two processes on one file do."""

    def __init__(self, path: Path) -> None:
        self.writer = open_store(path)
        self.reader = open_store(path)
        self.insert = self.writer.insert
        self.insert_history = self.writer.insert_history
        self.delete = self.writer.delete
        self.erase = self.writer.erase
        self.scrub = self.writer.scrub
        self.embedding_keys = self.reader.embedding_keys
        self.set_prefixes = self.writer.set_prefixes
        self.search = self.reader.search
        self.get = self.reader.get
        self.count = self.reader.count


class TestInTwoProcesses(ChunkStoreContract):
    """What one process writes, another one sees in its next call."""

    @pytest.fixture
    async def store(self, path: Path) -> AsyncIterator[ChunkStore]:
        both = _WriterAndReader(path)
        # The reader has looked at the empty file before anything is written.
        await both.search(store_query())
        yield both
        await both.writer.close()
        await both.reader.close()


class TestFarBehind(ChunkStoreContract):
    """A reader that is further behind than changes are kept reads everything again."""

    @pytest.fixture
    async def store(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ChunkStore]:
        monkeypatch.setattr(rows, "CHANGES_KEPT", 1)
        both = _WriterAndReader(path)
        await both.search(store_query())
        yield both
        await both.writer.close()
        await both.reader.close()


class TestUpkeep(UpkeepContract):
    """In a file, through its own thread."""

    @pytest.fixture
    async def maintained(self, path: Path) -> AsyncIterator[MaintainedStore]:
        store = MaintainedSqliteStore(path, embedder_id="fake", dimensions=DIMENSIONS)
        yield store
        await store.close()


async def test_objects_outlive_the_process(path: Path) -> None:
    """A store opened again holds what was inserted."""
    first = open_store(path)
    await first.insert([chunk_object("a", text="quokka")])
    await first.close()
    second = open_store(path)

    assert ["a"] == await found(second, store_query(text="quokka"))
    await second.close()


async def test_store_of_another_embedder_is_refused(path: Path) -> None:
    """The first insert makes a file its embedder's; another one is told what to do."""
    first, other = open_store(path), open_store(path, "another")
    await other.open()
    await first.insert([chunk_object("a")])

    with pytest.raises(PermanentError, match="scops rebuild") as refused:
        await other.insert([chunk_object("b")])
    assert "EMBEDDER_MISMATCH" == refused.value.reason
    with pytest.raises(PermanentError):
        await other.search(store_query())
    assert (1, 0) == await first.count()
    await first.close()
    await other.close()


async def test_missing_file_names_the_command(tmp_path: Path) -> None:
    """A file that was not provisioned is not created by a service."""
    store = open_store(tmp_path / "chunks.db")

    with pytest.raises(StoreUnavailable, match="scops provision"):
        await store.open()
    assert not (tmp_path / "chunks.db").exists()
    await store.close()


async def test_file_that_is_no_store_is_an_error(tmp_path: Path) -> None:
    """A damaged file gives a clear error, not a stack trace of SQLite."""
    path = tmp_path / "chunks.db"
    path.write_bytes(b"no database at all" * 100)
    store = open_store(path)

    with pytest.raises(StoreUnavailable, match=r"chunks\.db"):
        await store.search(store_query())
    await store.close()


async def test_failed_insert_leaves_nothing(path: Path) -> None:
    """An insert that fails half-way takes no effect, and the store goes on."""
    store = open_store(path)
    lone_surrogate = chunk_object("bad", text="\ud800")

    with pytest.raises(UnicodeEncodeError):
        await store.insert([chunk_object("good"), lone_surrogate])
    assert (0, 0) == await store.count()
    await store.insert([chunk_object("good")])
    assert ["good"] == await found(store, store_query(text="text"))
    await store.close()


async def test_common_terms_do_not_hide_rare_ones(path: Path) -> None:
    """In a large store, terms of most rows are left out, unless nothing else is asked."""
    store = open_store(path)
    objects = [chunk_object(f"c{n}", text=f"the river number{n}") for n in range(2500)]
    await store.insert(objects)

    hits = await store.search(store_query(text="the number77 river", limit=3))
    only_common = await store.search(store_query(text="the river", limit=3))

    assert ["c77"] == [str(hit.chunk_id) for hit in hits if hit.bm25 is not None]
    assert 3 == sum(hit.bm25 is not None for hit in only_common)
    await store.close()


async def test_provision_twice_keeps_the_content(path: Path) -> None:
    """Provisioning an existing store changes nothing."""
    store = open_store(path)
    await store.insert([chunk_object("a")])
    provision(path)

    assert ["a"] == await found(store, store_query(clause("docs.example.org")))
    await store.close()


async def test_file_of_before_mentions_goes_on(path: Path) -> None:
    """What it holds stays, unread; new objects are stored with what they mention."""
    with sqlite3.connect(path) as connection:
        connection.executescript("DROP TABLE mention; DROP TABLE mention_set;")
    store = open_store(path)
    await store.insert([chunk_object("old")])
    await store.insert([chunk_object("new", mentions=("oslo",))])
    told = await store.search(store_query(with_mentions=True))

    assert {"old": None, "new": {"oslo"}} == {hit.chunk_id: hit.mentions for hit in told}
    assert ["new"] == await found(store, store_query(mentioning=("oslo",)))
    await store.close()


async def test_removed_passage_leaves_no_mention_behind(path: Path) -> None:
    """Live and historical ones alike."""
    store = MaintainedSqliteStore(path, embedder_id="fake", dimensions=DIMENSIONS)
    item = chunk_object("a", mentions=("oslo", "ada"), day_from=0)
    await store.insert([item])
    await store.insert_history([item])
    await store.delete([item.object_id])
    await store.remove([item.object_id], history=True)
    await store.close()

    with sqlite3.connect(path) as connection:
        for table in ("mention", "mention_set"):
            assert [] == connection.execute(f"SELECT * FROM {table}").fetchall()


async def test_no_file_of_any_generation_holds_a_word_of_what_is_erased(path: Path) -> None:
    """The one that serves, one of another embedder, and one that is being built."""
    beside = [path.with_name(name) for name in ("chunks-7.db", "chunks.building.db")]
    gone = chunk_object("gone", text="quillfeather lives here", mentions=("quillfeather",))
    stays = chunk_object("stays", text="oarsmanship stays here")
    for each, embedder in zip([*beside, path], ("other", "fake", "fake"), strict=True):
        provision(each)
        store = open_store(each, embedder)
        await store.insert([gone, stays])
        await store.insert_history([gone, stays])
        await store.close()
    store = open_store(path)
    before = _holders(path, b"quillfeather")
    await store.erase([gone.object_id])
    await store.scrub()

    assert 3 <= len(before)
    assert [] == _holders(path, b"quillfeather")
    assert 3 == len({name.split("-wal")[0] for name in _holders(path, b"oarsmanship")})
    await store.close()


def _holders(path: Path, word: bytes) -> list[str]:
    """Returns the files of an index that hold a word."""
    return [each.name for each in sorted(path.parent.iterdir()) if word in each.read_bytes()]
