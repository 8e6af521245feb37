"""Opens the index by the settings: in Weaviate where one is named, else in the data folder.

An index belongs to one embedder; which one, the settings say.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput, ScopsError
from scops.common.runtime.service import WRITES_SECONDS, ReadinessCheck, Remembered
from scops.libraries.embedder.port import identity
from scops.libraries.index.ports import OpenChunkStore
from scops.libraries.index.sqlite import schema
from scops.libraries.index.sqlite.generations import SqliteGenerations
from scops.libraries.index.sqlite.upkeep import MaintainedSqliteStore
from scops.libraries.index.upkeep import Generations, MaintainedStore

DATABASE_NAME = "indexer"


def chunk_store_path(data_dir: Path) -> Path:
    """Returns where the chunk store of a data folder lies."""
    return data_dir / "index" / "chunks.db"


async def provision_chunk_store(common: CommonSettings) -> None:
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

    await provision(common, **_owner(common))


async def give_index_rights(common: CommonSettings) -> Sequence[str]:
    """Gives the users of the index the rights of their roles; returns their names.

    Raises:
        InvalidInput: the index is a file, its server has no roles, or does not know a user.
        StoreUnavailable: the server does not answer, or the key is of no administrator.
    """
    if not common.weaviate_url:
        raise InvalidInput(
            "Rights in the index are of a server: set SCOPS_WEAVIATE_URL, or leave out "
            "--index-rights.",
            reason="INDEX_WITHOUT_ROLES",
        )
    from scops.libraries.index.weaviate.opening import give_rights

    return await give_rights(common)


def open_chunk_store(common: CommonSettings) -> MaintainedStore:
    """Returns the chunk store of the settings; it is opened at the first call."""
    if not common.weaviate_url:
        return MaintainedSqliteStore(chunk_store_path(common.data_dir), **_owner(common))
    from scops.libraries.index.weaviate.opening import open_store

    return open_store(common, **_owner(common))


def open_generations(common: CommonSettings) -> Generations:
    """Returns the generations of the index of the settings, for a rebuild."""
    if not common.weaviate_url:
        return SqliteGenerations(chunk_store_path(common.data_dir), **_owner(common))
    from scops.libraries.index.weaviate.opening import open_generations as open_in_weaviate

    return open_in_weaviate(common, **_owner(common))


async def store_problem(store: OpenChunkStore) -> str | None:
    """Returns why a store cannot be used, and what to do; None when it can."""
    try:
        await store.open()
    except ScopsError as error:
        return error.message
    return None


def written_check(store: OpenChunkStore) -> ReadinessCheck:
    """Returns the readiness check that a store can be used and takes writes."""
    written = Remembered(WRITES_SECONDS)

    async def probe() -> str | None:
        return await store_problem(store) or await written.problem(store.check_write)

    return ReadinessCheck(name="index", probe=probe)


def _owner(common: CommonSettings) -> dict[str, Any]:
    """Returns whose vectors the index holds, as the adapters take it."""
    return asdict(identity(common.embedder))
