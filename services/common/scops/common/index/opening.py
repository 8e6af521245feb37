"""Opens the index: its files by convention, for its writer and for its readers."""

from pathlib import Path
from typing import NamedTuple

from scops.common.db.database import Database
from scops.common.index import sqlite_schema
from scops.common.index.ports import HeadReader
from scops.common.index.sql_head_reader import SqlHeadReader
from scops.common.index.sqlite_chunk_store import SqliteChunkStore

DATABASE_NAME = "indexer"


class IndexReader(NamedTuple):
    """What a reader of the index holds; close the store at the end."""

    store: SqliteChunkStore
    heads: HeadReader


def chunk_store_path(data_dir: Path) -> Path:
    """Returns where the chunk store of a data folder lies."""
    return data_dir / "index" / "chunks.db"


def provision_chunk_store(data_dir: Path) -> None:
    """Creates the chunk store of a data folder; called by `scops provision` alone.

    Raises:
        PermanentError: it is there in a format that this version does not read.
        StoreUnavailable: the folder cannot be written.
    """
    sqlite_schema.provision(chunk_store_path(data_dir))


def open_chunk_store(data_dir: Path, *, embedder_id: str, dimensions: int) -> SqliteChunkStore:
    """Returns the chunk store of a data folder; its file is opened at the first call."""
    return SqliteChunkStore(
        chunk_store_path(data_dir), embedder_id=embedder_id, dimensions=dimensions
    )


def open_index_reader(
    *, data_dir: Path, database: Database, embedder_id: str, dimensions: int
) -> IndexReader:
    """Returns the index for reading.

    Args:
        database: the indexer's state, `platform.database(DATABASE_NAME)`.
        embedder_id, dimensions: of the embedder that embeds the queries.
    """
    store = open_chunk_store(data_dir, embedder_id=embedder_id, dimensions=dimensions)
    return IndexReader(store=store, heads=SqlHeadReader(database))
