"""One Weaviate for all tests of a process; each test has an organisation of its own."""

import itertools
import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from scops.common.config.settings import CommonSettings
from scops.libraries.index.weaviate.chunk_store import WeaviateChunkStore
from scops.libraries.index.weaviate.opening import open_store, provision
from tests.contract.chunk_store.chunk_objects import DIMENSIONS
from tests.fakes.servers.weaviate import running_weaviate

OpenStore = Callable[..., WeaviateChunkStore]
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def weaviate_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The settings of a running server."""
    folder: Path = tmp_path_factory.mktemp("weaviate")
    with running_weaviate(folder) as settings:
        yield {key.removeprefix("SCOPS_").lower(): text for key, text in settings.items()}


@pytest.fixture
def weaviate_common(weaviate_settings: dict[str, str]) -> CommonSettings:
    """Common settings of an organisation without an index."""
    organisation = f"test-{os.getpid()}-{next(_numbers)}"
    return CommonSettings(**weaviate_settings, organisation_id=organisation)


@pytest.fixture
async def weaviate_store(weaviate_common: CommonSettings) -> AsyncIterator[WeaviateChunkStore]:
    """An empty store of embedder `fake`."""
    await provision(weaviate_common, embedder_id="fake", dimensions=DIMENSIONS)
    store = open_store(weaviate_common, embedder_id="fake", dimensions=DIMENSIONS)
    yield store
    await store.close()
