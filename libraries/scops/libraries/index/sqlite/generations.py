"""Generations of the index in the data folder: files with a number, and a link that names one.

`chunks.db` is the first generation itself, or a link to the one that serves. SQLite names its
journals after the file that a link leads to, so that no generation ever reads another's.
"""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from scops.libraries.index.sqlite import schema
from scops.libraries.index.sqlite.upkeep import MaintainedSqliteStore
from scops.libraries.index.upkeep import MaintainedStore

SUFFIXES = ("", "-wal", "-shm")


class SqliteGenerations:
    """Implements the generations port on files.

    Args:
        path: the link, or first generation, that services open.
    """

    def __init__(self, path: Path, *, embedder_id: str, dimensions: int) -> None:
        self._path = path
        self._building = path.with_name(f"{path.stem}.building{path.suffix}")
        self._store = MaintainedSqliteStore(
            self._building, embedder_id=embedder_id, dimensions=dimensions
        )

    async def create(self) -> MaintainedStore:
        schema.provision(self._building)
        if not await self._is_ours():
            # A rebuild for another embedder was given up.
            _delete(self._building)
            schema.provision(self._building)
        return self._store

    async def switch(self) -> str:
        await self._store.close()
        _fold_journal(self._building)
        served = self._path.resolve()
        number = max((_number(path) for path in self._generations()), default=1) + 1
        built = self._path.with_name(f"{self._path.stem}-{number}{self._path.suffix}")
        # Whoever writes holds the lock; the next one finds the new file (see SqliteChunkStore).
        with closing(sqlite3.connect(served, timeout=schema.BUSY_TIMEOUT_SECONDS)) as old:
            old.isolation_level = None
            old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            old.execute("BEGIN IMMEDIATE")
            self._keep_first()
            os.rename(self._building, built)
            link = self._path.with_name(f"{self._path.name}.link")
            link.symlink_to(built.name)
            os.replace(link, self._path)
            old.execute("ROLLBACK")
        return built.name

    async def drop_old(self) -> Sequence[str]:
        served = self._path.resolve()
        old = [path for path in self._generations() if path != served]
        for path in old:
            _delete(path)
        if self._path.is_symlink():
            # The journals of the first generation, from before it gave up its name.
            for suffix in SUFFIXES[1:]:
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        return [path.name for path in old]

    async def close(self) -> None:
        await self._store.close()

    async def _is_ours(self) -> bool:
        with closing(sqlite3.connect(self._building)) as connection:
            told = dict(connection.execute("SELECT key, value FROM meta"))
        return bool(told.get("embedder_id", self._store.embedder_id) == self._store.embedder_id)

    def _keep_first(self) -> None:
        """Gives the first generation a name of its own before a link takes its place."""
        if not self._path.is_symlink():
            kept = self._path.with_name(f"{self._path.stem}-1{self._path.suffix}")
            os.link(self._path, kept)

    def _generations(self) -> list[Path]:
        return [
            path
            for path in sorted(self._path.parent.glob(f"{self._path.stem}-*{self._path.suffix}"))
            if _number(path)
        ]


def _number(path: Path) -> int:
    last = path.stem.rpartition("-")[2]
    return int(last) if last.isdigit() else 0


def _fold_journal(path: Path) -> None:
    """Writes everything into the file itself, so that it can be renamed."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")


def _delete(path: Path) -> None:
    for suffix in SUFFIXES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
