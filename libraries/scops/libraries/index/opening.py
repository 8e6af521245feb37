"""Opens the index by the settings: in Weaviate where one is named, else in the data folder."""

from pathlib import Path

from scops.common.config.settings import CommonSettings
from scops.libraries.index.sqlite import schema
from scops.libraries.index.sqlite.generations import SqliteGenerations
from scops.libraries.index.sqlite.upkeep import MaintainedSqliteStore
from scops.libraries.index.upkeep import Generations, MaintainedStore

DATABASE_NAME = "indexer"


def chunk_store_path(data_dir: Path) -> Path:
    """Returns where the chunk store of a data folder lies."""
    return data_dir / "index" / "chunks.db"


async def provision_chunk_store(
    common: CommonSettings, *, embedder_id: str, dimensions: int
) -> None:
    """Creates the chunk store of the settings; called by `scops provision` alone.

    Raises:
        PermanentError: it is there in a format that this version does not read.
        StoreUnavailable: the folder cannot be written, or Weaviate does not answer.
    """
    if not common.weaviate_url:
        schema.provision(chunk_store_path(common.data_dir))
        return
    # Imported where it is used: the client of Weaviate costs memory that SQLite does not need.
    from scops.libraries.index.weaviate.opening import provision

    await provision(common, embedder_id=embedder_id, dimensions=dimensions)


def open_chunk_store(
    common: CommonSettings, *, embedder_id: str, dimensions: int
) -> MaintainedStore:
    """Returns the chunk store of the settings; it is opened at the first call."""
    if not common.weaviate_url:
        return MaintainedSqliteStore(
            chunk_store_path(common.data_dir), embedder_id=embedder_id, dimensions=dimensions
        )
    from scops.libraries.index.weaviate.opening import open_store

    return open_store(common, embedder_id=embedder_id, dimensions=dimensions)


def open_generations(common: CommonSettings, *, embedder_id: str, dimensions: int) -> Generations:
    """Returns the generations of the index of the settings, for a rebuild."""
    if not common.weaviate_url:
        return SqliteGenerations(
            chunk_store_path(common.data_dir), embedder_id=embedder_id, dimensions=dimensions
        )
    from scops.libraries.index.weaviate.opening import open_generations as open_in_weaviate

    return open_in_weaviate(common, embedder_id=embedder_id, dimensions=dimensions)
