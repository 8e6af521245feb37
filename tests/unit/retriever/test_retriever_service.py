"""The retriever as composed."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from scops.common.archive.opening import open_archive
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import NotYetKnown, StoreUnavailable
from scops.common.contract.messages.retrieval import RetrieveRequest
from scops.common.contract.service_table import Role
from scops.common.db.database import Database, sqlite_url
from scops.common.processes.pool import ChildPool
from scops.common.query.ports import EMBED, RETRIEVE, VECTORS
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.platform import Platform, SharedResources
from scops.common.scope.book import ScopeBook
from scops.libraries.embedder.opening import open_embedder
from scops.libraries.embedder.port import identity
from scops.libraries.index.opening import provision_chunk_store
from scops.libraries.index.rows.tables import read_metadata
from scops.retriever.service import build
from scops.retriever.settings import RetrieverSettings
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.identity import asked_for
from tests.fakes.worlds.retriever import HOST, ref_to, scope_of

DOCS = replace(scope_of(HOST), organisation_id="main", owner="local")


def _platform(data_dir: Path) -> Platform:
    async def backlog(role: Role) -> int:
        return 0

    database = Database(sqlite_url(data_dir / "state" / "indexer.db"), name="indexer")
    # The retriever publishes nothing and asks nobody.
    nobody: object = None
    common = CommonSettings.load().model_copy(update={"data_dir": data_dir})
    return Platform(
        common=common,
        clock=SystemClock(),
        archive=open_archive("memory://", "main"),
        publisher=nobody,  # type: ignore[arg-type]
        query_client=nobody,  # type: ignore[arg-type]
        scope_book=ScopeBook([DOCS]),
        random=random.Random(1),
        shared=SharedResources(common, {open_embedder: HashingEmbedder(identity("onnx-int8"))}),
        children=ChildPool.of_settings(common),
        database=lambda name: database,
        backlog=backlog,
    )


async def _provision(platform: Platform) -> None:
    await provision_chunk_store(platform.common)
    async with platform.database("indexer").transaction() as connection:
        await connection.run_sync(read_metadata.create_all)


async def test_is_unready_until_the_index_is_provisioned(tmp_path: Path) -> None:
    """Each check says what is missing; a question meanwhile may be asked again later."""
    platform = _platform(tmp_path)
    service = build(RetrieverSettings.load(), platform)
    before = {check.name: await check.probe() for check in service.checks}
    request = RetrieveRequest(query="fee", scopes=(ref_to(DOCS),))
    with asked_for(platform.scope_book, platform.clock.now()), pytest.raises(StoreUnavailable):
        await service.queries[0].answer(request)
    await _provision(platform)
    after = {check.name: await check.probe() for check in service.checks}
    await service.close()
    await platform.database("indexer").close()

    assert before["retriever-index"]
    assert before["retriever-heads"]
    assert {"retriever-index": None, "retriever-heads": None, "embedder": None} == after


async def test_answers_retrieve_on_an_empty_index(tmp_path: Path) -> None:
    """An empty index answers `Retrieve`, to whom it knows."""
    platform = _platform(tmp_path)
    await _provision(platform)
    service = build(RetrieverSettings.load(), platform)
    request = RetrieveRequest(query="fee", scopes=(ref_to(DOCS),))
    with pytest.raises(NotYetKnown):
        await service.queries[0].answer(request)
    with asked_for(platform.scope_book, platform.clock.now()):
        response = await service.queries[0].answer(request)
    await service.close()
    await platform.database("indexer").close()

    assert [RETRIEVE, EMBED, VECTORS] == [binding.method for binding in service.queries]
    assert "Nothing is indexed in these scopes" in response.shortfall_reason
