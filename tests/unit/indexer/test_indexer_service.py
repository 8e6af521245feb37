"""The indexer as composed: what it consumes, and when it is ready."""

import asyncio
import random
from pathlib import Path

import pytest

from scops.common.archive.opening import open_archive
from scops.common.bus.ports import Cause
from scops.common.config.settings import CommonSettings, EmbedderName
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import EventId
from scops.common.contract.messages.change import VersionAdded
from scops.common.contract.messages.index import IndexOutcome
from scops.common.contract.service_table import Lane, Role, consumed_by
from scops.common.db import migrate
from scops.common.db.database import Database, sqlite_url
from scops.common.processes.pool import ChildPool
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.platform import Platform, SharedResources
from scops.common.runtime.service import Service
from scops.common.scope.book import ScopeBook
from scops.indexer.service import DATABASE, MIGRATIONS, build
from scops.indexer.settings import IndexerSettings
from scops.libraries.embedder.opening import open_embedder
from scops.libraries.embedder.port import identity
from scops.libraries.index.opening import open_chunk_store, provision_chunk_store
from scops.libraries.index.rows.head_reader import SqlHeadReader
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.verdicts import PAGE, added
from tests.fakes.worlds.index import IndexWorld
from tests.fakes.worlds.services import handler_of, messages_of


def _platform(tmp_path: Path, name: EmbedderName = "onnx-int8") -> Platform:
    async def no_backlog(role: Role) -> int:
        return 0

    database = Database(sqlite_url(tmp_path / "state" / "indexer.db"), name=DATABASE)
    # The indexer publishes through its outputs and asks nobody.
    nobody: object = None
    common = CommonSettings.load().model_copy(update={"data_dir": tmp_path, "embedder": name})
    embedder = HashingEmbedder(identity(name))
    return Platform(
        common=common,
        clock=SystemClock(),
        archive=open_archive(f"file://{tmp_path}/archive", "main"),
        publisher=nobody,  # type: ignore[arg-type]
        query_client=nobody,  # type: ignore[arg-type]
        scope_book=ScopeBook(),
        random=random.Random(1),
        shared=SharedResources(common, {open_embedder: embedder}),
        children=ChildPool.of_settings(common),
        database=lambda _: database,
        backlog=no_backlog,
    )


async def _provisioned(platform: Platform) -> None:
    migrate.upgrade(platform.database(DATABASE).address, MIGRATIONS)
    await provision_chunk_store(platform.common)


async def _problems(service: Service) -> dict[str, str]:
    found = {check.name: await check.probe() for check in service.checks}
    return {name: problem for name, problem in found.items() if problem}


async def _end(service: Service, platform: Platform) -> None:
    await service.close()
    await platform.database(DATABASE).close()


async def test_service_consumes_what_the_contract_says(tmp_path: Path) -> None:
    """Subscriptions follow from the service table."""
    platform = _platform(tmp_path)
    service = build(IndexerSettings.load(), platform)

    contract = {entry.message for entry in consumed_by(Role.INDEXER)}
    assert contract == set(messages_of(service))
    await _end(service, platform)


async def test_service_is_ready_once_provisioned(tmp_path: Path) -> None:
    """Before `scops provision` the checks name it; afterwards they pass."""
    platform = _platform(tmp_path)
    service = build(IndexerSettings.load(), platform)
    before = await _problems(service)
    await _provisioned(platform)

    assert {"indexer-schema", "index"} == set(before)
    assert all("scops provision" in problem for problem in before.values())
    assert {} == await _problems(service)
    await _end(service, platform)


async def test_verdict_reaches_the_reader_and_another_embedder_is_refused(
    tmp_path: Path,
) -> None:
    """What is indexed is read from the files; who embeds otherwise stays unready."""
    platform = _platform(tmp_path)
    await _provisioned(platform)
    service = build(IndexerSettings.load(), platform)
    world = await IndexWorld.create()
    world.archive = platform.archive  # type: ignore[assignment]
    row = await world.version("green tea", day=1)
    handler = handler_of(service, VersionAdded)
    cause = Cause(
        event_id=EventId("event"),
        organisation_id="main",
        lane=Lane.BULK,
        published_time=platform.clock.now(),
    )

    (answer,) = await handler(added(row, day=1), cause)
    store = open_chunk_store(platform.common)
    heads = SqlHeadReader(platform.database(DATABASE))

    assert IndexOutcome.ADDED == answer.outcome
    assert (1, 0) == await store.count()
    assert row.version_id == (await heads.heads([PAGE]))[PAGE].version_id
    await store.close()

    stranger = build(IndexerSettings.load(), _platform(tmp_path, "onnx-fp32"))
    problems = await _problems(stranger)
    assert {"index"} == set(problems)
    assert "scops rebuild" in problems["index"]
    await stranger.close()
    await _end(service, platform)
    await world.close()


async def test_missing_pipeline_keeps_the_service_unready(tmp_path: Path) -> None:
    """Nothing is consumed that could not be read; the message names the setting."""
    platform = _platform(tmp_path)
    await _provisioned(platform)
    chosen = {"mentions": "spacy", "mentions_spacy_pipeline": str(tmp_path / "none")}
    service = build(IndexerSettings.load().model_copy(update=chosen), platform)
    problems = await _problems(service)

    assert {"mentions"} == set(problems)
    assert "SCOPS_INDEXER_MENTIONS_SPACY_PIPELINE" in problems["mentions"]
    await _end(service, platform)


async def test_model_without_an_endpoint_is_refused(tmp_path: Path) -> None:
    """At the start, not at the first page."""
    platform = _platform(tmp_path)
    settings = IndexerSettings.load().model_copy(update={"mentions": "model"})

    with pytest.raises(InvalidInput, match="SCOPS_INDEXER_MENTIONS_MODEL_URL"):
        build(settings, platform)
    await platform.database(DATABASE).close()


async def test_sweeper_runs_until_cancelled(tmp_path: Path) -> None:
    """The loop goes on until the process stops, and leaves nothing locked."""
    platform = _platform(tmp_path)
    await _provisioned(platform)
    settings = IndexerSettings.load().model_copy(update={"sweep_age_seconds": 0.0})
    service = build(settings, platform)
    loop = next(loop for loop in service.loops if loop.name == "sweeper")

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(loop.run(), timeout=0.5)
    assert {} == await _problems(service)
    await _end(service, platform)
