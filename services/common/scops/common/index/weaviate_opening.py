"""The way in to Weaviate for who has the common settings."""

from scops.common.index import weaviate_schema
from scops.common.index.weaviate_chunk_store import WeaviateChunkStore
from scops.common.index.weaviate_connection import WeaviateConnection
from scops.common.index.weaviate_schema import Owner
from scops.common.settings import CommonSettings


async def provision(common: CommonSettings, *, embedder_id: str, dimensions: int) -> None:
    """Creates the collections and aliases of an organisation that has none.

    Raises:
        StoreUnavailable: Weaviate does not answer, or refuses.
    """
    owner = owner_of(common, embedder_id=embedder_id, dimensions=dimensions)
    connection = WeaviateConnection(common)
    try:
        await connection.write(lambda client: weaviate_schema.provision(client, owner, common))
    finally:
        await connection.close()


def open_store(common: CommonSettings, *, embedder_id: str, dimensions: int) -> WeaviateChunkStore:
    """Returns the chunk store; it connects at the first call."""
    owner = owner_of(common, embedder_id=embedder_id, dimensions=dimensions)
    return WeaviateChunkStore(common, owner)


def owner_of(common: CommonSettings, *, embedder_id: str, dimensions: int) -> Owner:
    """Returns whose index the settings mean."""
    return Owner(
        organisation_id=common.organisation_id, embedder_id=embedder_id, dimensions=dimensions
    )
