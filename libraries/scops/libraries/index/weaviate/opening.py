"""The way in to Weaviate for who has the common settings."""

from collections.abc import Sequence

from scops.common.config.settings import CommonSettings
from scops.libraries.index.weaviate import rights, schema
from scops.libraries.index.weaviate.connection import WeaviateConnection
from scops.libraries.index.weaviate.generations import WeaviateGenerations
from scops.libraries.index.weaviate.schema import Owner
from scops.libraries.index.weaviate.upkeep import MaintainedWeaviateStore


async def provision(common: CommonSettings, *, embedder_id: str, dimensions: int) -> None:
    """Creates the collections and aliases of an organisation that has none.

    Raises:
        StoreUnavailable: Weaviate does not answer, or refuses.
    """
    owner = owner_of(common, embedder_id=embedder_id, dimensions=dimensions)
    connection = WeaviateConnection(common)
    try:
        await connection.write(lambda client: schema.provision(client, owner, common))
    finally:
        await connection.close()


async def give_rights(common: CommonSettings) -> Sequence[str]:
    """Gives the users of an organisation the rights of their roles; returns their names.

    Raises:
        InvalidInput: the server has no roles, or does not know a user.
        StoreUnavailable: Weaviate does not answer, or the key is of no administrator.
    """
    connection = WeaviateConnection(common)
    try:
        return await connection.write(
            lambda client: rights.give_rights(client, common.organisation_id)
        )
    finally:
        await connection.close()


def open_store(
    common: CommonSettings, *, embedder_id: str, dimensions: int
) -> MaintainedWeaviateStore:
    """Returns the chunk store; it connects at the first call."""
    owner = owner_of(common, embedder_id=embedder_id, dimensions=dimensions)
    return MaintainedWeaviateStore(common, owner)


def open_generations(
    common: CommonSettings, *, embedder_id: str, dimensions: int
) -> WeaviateGenerations:
    """Returns the generations of an organisation, for a rebuild."""
    owner = owner_of(common, embedder_id=embedder_id, dimensions=dimensions)
    return WeaviateGenerations(common, owner)


def owner_of(common: CommonSettings, *, embedder_id: str, dimensions: int) -> Owner:
    """Returns whose index the settings mean."""
    return Owner(
        organisation_id=common.organisation_id, embedder_id=embedder_id, dimensions=dimensions
    )
