"""Generations of the index in Weaviate: collections with a number, and aliases that name one."""

from collections.abc import Sequence
from dataclasses import replace

from weaviate import WeaviateAsyncClient

from scops.common.config.settings import WeaviateSettings
from scops.libraries.index.upkeep import MaintainedStore
from scops.libraries.index.weaviate import schema
from scops.libraries.index.weaviate.connection import WeaviateConnection
from scops.libraries.index.weaviate.schema import Description, Names, Owner
from scops.libraries.index.weaviate.upkeep import MaintainedWeaviateStore


class WeaviateGenerations:
    """Implements the generations port on Weaviate."""

    def __init__(self, settings: WeaviateSettings, owner: Owner) -> None:
        self._settings = settings
        self._owner = owner
        self._connection = WeaviateConnection(settings)
        self._number = 0

    async def create(self) -> MaintainedStore:
        names = await self._connection.write(self._create)
        return MaintainedWeaviateStore(
            self._settings, self._owner, connection=self._connection, names=names
        )

    async def switch(self) -> str:
        assert self._number, "a generation is created first"
        await self._connection.write(self._switch)
        return self._owner.generation(self._number).live

    async def drop_old(self) -> Sequence[str]:
        return await self._connection.write(self._drop_old)

    async def close(self) -> None:
        await self._connection.close()

    async def _create(self, client: WeaviateAsyncClient) -> Names:
        known = await schema.generations(client, self._owner)
        unfinished = [number for number, told in known.items() if self._is_unfinished(told)]
        self._number = max(unfinished, default=max(known, default=0) + 1)
        return await schema.create_generation(
            client, self._owner, self._number, self._settings, complete=False
        )

    def _is_unfinished(self, told: Description) -> bool:
        return not told.complete and replace(told, complete=True) == self._owner.description

    async def _switch(self, client: WeaviateAsyncClient) -> None:
        names = self._owner.generation(self._number)
        for name in (names.live, names.history):
            described = schema.as_text(self._owner.description)
            await client.collections.get(name).config.update(description=described)
        await schema.point_aliases(client, self._owner, self._number)

    async def _drop_old(self, client: WeaviateAsyncClient) -> list[str]:
        """Deletes what serves no more, the index of another embedder and its aliases included."""
        current = await schema.current_generation(client, self._owner)
        kept = self._owner.generation(current or 0)
        dropped: list[str] = []
        for alias in (await client.alias.list_all()).values():
            is_ours = self._owner.has(alias.alias)
            if is_ours and alias.collection not in (kept.live, kept.history):
                await client.alias.delete(alias_name=alias.alias)
        for number in await schema.generations(client, self._owner):
            if number != current:
                names = self._owner.generation(number)
                await client.collections.delete([names.live, names.history])
                dropped.append(names.live)
        return dropped
