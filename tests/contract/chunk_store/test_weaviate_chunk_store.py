"""The Weaviate chunk store keeps the port's contract."""

import pytest

from scops.common.index.ports import ChunkStore
from scops.common.index.weaviate_chunk_store import WeaviateChunkStore
from tests.contract.chunk_store.chunk_store_contract import ChunkStoreContract


class TestInWeaviate(ChunkStoreContract):
    """Against a real server."""

    @pytest.fixture
    def store(self, weaviate_store: WeaviateChunkStore) -> ChunkStore:
        return weaviate_store
