"""The chunk store on one SQLite file: FTS5 for BM25, exact vector search in memory.

Honest up to about 200,000 objects. Two processes may open one file: who searches reads what the
other wrote before each query. Memory for vectors is taken at the first search only, so that a
process that merely writes stays small.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from scops.common.contract.errors import PermanentError
from scops.common.contract.ids import EmbeddingKey, ObjectId, PageId
from scops.libraries.index.ports import ChunkObject, FloatArray, StoreHit, StoreQuery
from scops.libraries.index.sqlite import erasing, rows, schema
from scops.libraries.index.sqlite.search import MemoryIndex

T = TypeVar("T")


class SqliteChunkStore:
    """Implements the chunk store port; see there for the contract.

    Args:
        path: a provisioned file, opened at the first call; None keeps everything in memory.
        embedder_id, dimensions: of the vectors. The first insert makes the file this embedder's;
            another embedder's file is refused.
        inline: run in the caller's thread, so that a simulation stays in order; otherwise one
            thread of its own does all the work.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        embedder_id: str,
        dimensions: int,
        inline: bool = False,
    ) -> None:
        self._path = path
        self._embedder_id = embedder_id
        self._dimensions = dimensions
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._is_ours = False
        self._is_closed = False
        self._memory = MemoryIndex(dimensions)
        self._executor = None if inline else ThreadPoolExecutor(1, thread_name_prefix="index")

    @property
    def interruptions(self) -> int:
        return 0

    @property
    def embedder_id(self) -> str:
        """Whose vectors it holds."""
        return self._embedder_id

    async def ping(self) -> None:
        await self.open()

    async def open(self) -> None:
        """Opens the file now rather than at the first call.

        Raises:
            StoreUnavailable: it is not there yet, or cannot be opened.
            PermanentError: it belongs to another embedder, or has another format.
        """
        await self._run(self._opened)

    async def check_write(self) -> None:
        await self._run(self._write_nothing)

    async def insert(self, objects: Sequence[ChunkObject]) -> None:
        self._check_dimensions(objects)
        await self._run(partial(self._insert, objects, history=False))

    async def insert_history(self, objects: Sequence[ChunkObject]) -> None:
        self._check_dimensions(objects)
        await self._run(partial(self._insert, objects, history=True))

    async def delete(self, object_ids: Sequence[ObjectId]) -> None:
        await self._run(partial(self._delete, object_ids))

    async def embedding_keys(self, object_ids: Sequence[ObjectId]) -> frozenset[EmbeddingKey]:
        return await self._run(partial(self._embedding_keys, object_ids))

    async def erase(self, object_ids: Sequence[ObjectId]) -> None:
        await self._run(partial(self._erase, object_ids))

    async def scrub(self) -> None:
        await self._run(self._scrub)

    async def set_prefixes(self, page_id: PageId, url_prefixes: tuple[str, ...]) -> None:
        await self._run(partial(self._set_prefixes, page_id, url_prefixes))

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        vector = await query.known_vector()
        if vector.shape != (self._dimensions,):
            raise self._wrong_dimensions(vector.shape)
        return await self._run(partial(self._search, query, vector))

    async def get(self, object_ids: Sequence[ObjectId]) -> list[ChunkObject]:
        return await self._run(partial(self._get, object_ids))

    async def count(self) -> tuple[int, int]:
        return await self._run(self._count)

    async def close(self) -> None:
        """Closes the file; the store must not be used afterwards, only closed again."""
        if self._is_closed:
            return
        self._is_closed = True
        await self._run(self._close)
        if self._executor is not None:
            self._executor.shutdown(wait=False)

    async def _run(self, work: Callable[[], T]) -> T:
        if self._executor is None:
            return self._guarded(work)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self._guarded, work)

    def _guarded(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except sqlite3.Error as error:
            raise schema.unavailable(str(self._path or ":memory:"), error) from error

    def _opened(self) -> sqlite3.Connection:
        path = self._path
        if self._connection is not None and self._is_replaced():
            self._close()
        if self._connection is None:
            self._file = None if path is None else _file_of(path)
            self._is_ours = False
            self._memory = MemoryIndex(self._dimensions)
            opened = schema.open_memory() if path is None else schema.open_file(path)
            self._connection = opened
        self._is_ours = self._is_ours or self._belongs(self._connection)
        return self._connection

    def _is_replaced(self) -> bool:
        """Returns whether a rebuilt generation has taken the place of the file we hold."""
        return self._path is not None and _file_of(self._path) != self._file

    def _belongs(self, connection: sqlite3.Connection) -> bool:
        return schema.belongs(
            connection,
            str(self._path),
            embedder_id=self._embedder_id,
            dimensions=self._dimensions,
        )

    def _insert(self, objects: Sequence[ChunkObject], *, history: bool) -> None:
        with self._transaction("IMMEDIATE") as connection:
            if not self._is_ours and not self._belongs(connection):
                schema.take(connection, embedder_id=self._embedder_id, dimensions=self._dimensions)
            rows.insert(connection, objects, history=history)
            rows.prune_changes(connection)

    def _write_nothing(self) -> None:
        with self._transaction("IMMEDIATE") as connection:
            connection.execute("UPDATE meta SET value = value WHERE key = 'format'")

    def _delete(self, object_ids: Sequence[ObjectId]) -> None:
        with self._transaction("IMMEDIATE") as connection:
            rows.delete(connection, object_ids)

    def _embedding_keys(self, object_ids: Sequence[ObjectId]) -> frozenset[EmbeddingKey]:
        with self._transaction("DEFERRED") as connection:
            return rows.embedding_keys(connection, object_ids)

    def _erase(self, object_ids: Sequence[ObjectId]) -> None:
        with self._transaction("IMMEDIATE") as connection:
            for history in (False, True):
                rows.delete(connection, object_ids, history=history)
        for path in self._other_files():
            erasing.erase(path, object_ids)

    def _scrub(self) -> None:
        erasing.scrub(self._opened())
        for path in self._other_files():
            erasing.scrub_file(path)

    def _other_files(self) -> Sequence[Path]:
        return () if self._path is None else erasing.other_files(self._path)

    def _set_prefixes(self, page_id: PageId, url_prefixes: tuple[str, ...]) -> None:
        with self._transaction("IMMEDIATE") as connection:
            rows.set_prefixes(connection, page_id, url_prefixes)

    def _search(self, query: StoreQuery, vector: FloatArray) -> list[StoreHit]:
        # One transaction, so that the memory and the texts are of one moment.
        with self._transaction("DEFERRED") as connection:
            self._memory.refresh(connection)
            return self._memory.search(connection, query, vector)

    def _get(self, object_ids: Sequence[ObjectId]) -> list[ChunkObject]:
        with self._transaction("DEFERRED") as connection:
            return rows.get(connection, object_ids)

    def _count(self) -> tuple[int, int]:
        with self._transaction("DEFERRED") as connection:
            return rows.count(connection)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[sqlite3.Connection]:
        connection = self._opened()
        connection.execute(f"BEGIN {kind}")
        if kind == "IMMEDIATE" and self._is_replaced():
            # While we waited for the lock, a rebuild held it to switch generations.
            connection.execute("ROLLBACK")
            connection = self._opened()
            connection.execute(f"BEGIN {kind}")
        try:
            yield connection
        except BaseException:
            # A full disk, say, has ended it already.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        try:
            connection.execute("COMMIT")
        except sqlite3.Error:
            # What stays begun would hold the lock, and fail whatever begins after it.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _check_dimensions(self, objects: Sequence[ChunkObject]) -> None:
        for item in objects:
            if item.vector.shape != (self._dimensions,):
                raise self._wrong_dimensions(item.vector.shape)

    def _wrong_dimensions(self, shape: tuple[int, ...]) -> PermanentError:
        return PermanentError(
            f"The index holds vectors of {self._embedder_id} with {self._dimensions} dimensions; "
            f"one of shape {shape} came. Configure the embedder that the index was built with.",
            reason="VECTOR_DIMENSIONS",
        )


def _file_of(path: Path) -> tuple[int, int] | None:
    """Returns which file a path leads to now; None where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
