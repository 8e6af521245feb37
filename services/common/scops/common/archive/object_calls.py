"""Calls of an object store: one that is waited for, and one in this process's memory."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import obstore
from obstore.store import MemoryStore, ObjectStore


class ObjectCalls(Protocol):
    """What is asked of a store.

    Each call but `put` raises FileNotFoundError where nothing lies at the path; what the store
    does not do is an error of obstore or an OSError.
    """

    async def put(self, path: str, data: bytes) -> None:
        """Stores bytes, durably where the store is."""
        ...

    async def get(self, path: str) -> bytes:
        """Returns what lies there."""
        ...

    async def put_time(self, path: str) -> datetime:
        """Returns when that was put."""
        ...

    async def copy(self, path: str, target: str) -> None:
        """Stores it at another path too."""
        ...

    async def delete(self, path: str) -> None:
        """Removes it; some stores do not say that there was nothing."""
        ...


@dataclass(frozen=True, slots=True)
class WaitedCalls:
    """Calls that threads of obstore wait for."""

    store: ObjectStore

    async def put(self, path: str, data: bytes) -> None:
        await obstore.put_async(self.store, path, data)

    async def get(self, path: str) -> bytes:
        response = await obstore.get_async(self.store, path)
        return bytes(await response.bytes_async())

    async def put_time(self, path: str) -> datetime:
        return (await obstore.head_async(self.store, path))["last_modified"]

    async def copy(self, path: str, target: str) -> None:
        await obstore.copy_async(self.store, path, target)

    async def delete(self, path: str) -> None:
        await obstore.delete_async(self.store, path)


@dataclass(frozen=True, slots=True)
class MemoryCalls:
    """Calls that are answered at once: a thread would take a hundred times as long.

    Others on the event loop have their turn before each, as with a store that is waited for.
    """

    store: MemoryStore

    async def put(self, path: str, data: bytes) -> None:
        await asyncio.sleep(0)
        obstore.put(self.store, path, data)

    async def get(self, path: str) -> bytes:
        await asyncio.sleep(0)
        return bytes(obstore.get(self.store, path).bytes())

    async def put_time(self, path: str) -> datetime:
        await asyncio.sleep(0)
        return obstore.head(self.store, path)["last_modified"]

    async def copy(self, path: str, target: str) -> None:
        await asyncio.sleep(0)
        obstore.copy(self.store, path, target)

    async def delete(self, path: str) -> None:
        await asyncio.sleep(0)
        obstore.delete(self.store, path)
