"""Composes the indexer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from scops.common.contract.errors import ScopsError, StoreUnavailable
from scops.common.contract.service_table import Role
from scops.common.db.schema import schema_check
from scops.common.processes.compute import ChildCompute, Compute, compute_tasks
from scops.common.runtime.platform import Platform
from scops.common.runtime.service import Loop, ReadinessCheck, Service
from scops.indexer import metrics
from scops.indexer.adapters.batching_embedder import BatchingEmbedder
from scops.indexer.adapters.mention_extractors import mention_extractor
from scops.indexer.adapters.sql_index_rows import SqlIndexRows
from scops.indexer.adapters.sql_inventory import SqlInventory
from scops.indexer.adapters.tables import STORE_HEALTH
from scops.indexer.handlers.purging import settle_purges
from scops.indexer.ports import IndexerPorts
from scops.indexer.router import build_router
from scops.indexer.settings import IndexerSettings
from scops.indexer.upkeep.inventory import MaintenanceTools
from scops.indexer.upkeep.recheck import IndexRecheck
from scops.indexer.upkeep.sweeper import sweep
from scops.libraries.embedder.opening import embedder_problem, shared_embedder
from scops.libraries.index.manifest_reader import ManifestReader
from scops.libraries.index.opening import DATABASE_NAME, open_chunk_store, written_check
from scops.libraries.index.ports import ChunkStore
from scops.libraries.index.wording import wordings_of
from scops.libraries.mentions.port import MentionExtractor
from scops.libraries.mentions.rules import read_all_by_rules

DATABASE = DATABASE_NAME
# The sweeper looks this often while a chunk is becoming old enough for the history.
SWEEPS_PER_AGE = 10
SWEEP_INTERVAL_SECONDS_MIN = 1.0
# Between two looks for purged pages that are to be gone over again.
PURGE_SECONDS = 30.0
# Below the seconds in which Weaviate restarts, so that no restart goes unnoticed.
RECHECK_POLL_SECONDS = 2.0
MIGRATIONS = Path(__file__).parent / "migrations"


def build(settings: IndexerSettings, platform: Platform) -> Service:
    """Returns the indexer on the shared ports of a process and the index that its settings name."""
    database = platform.database(DATABASE)
    store = open_chunk_store(platform.common)
    vectors = BatchingEmbedder(shared_embedder(platform))
    compute = ChildCompute(platform.children)
    mentions = mention_extractor(settings, platform.clock, compute)
    ports = _ports(settings, platform, store, vectors, mentions, compute)

    tools = MaintenanceTools(ports=ports, inventory=SqlInventory(database), store=store)

    async def close() -> None:
        await mentions.close()
        await vectors.close()
        await store.close()

    interval = max(settings.sweep_age_seconds / SWEEPS_PER_AGE, SWEEP_INTERVAL_SECONDS_MIN)
    every = partial(Loop.every, pause=platform.clock.sleep)
    loops = [
        every(interval, partial(sweep_and_count, ports), name="sweeper"),
        every(PURGE_SECONDS, partial(settle_purges, ports), name="purge"),
    ]
    if platform.common.weaviate_url:
        recheck = IndexRecheck(tools)
        loops.append(every(RECHECK_POLL_SECONDS, recheck.step, name="recheck"))
    return Service(
        role=Role.INDEXER,
        child_tasks=compute_tasks(read_all_by_rules, wordings_of),
        router=build_router(ports, concurrency=settings.concurrency),
        loops=tuple(loops),
        checks=(
            schema_check(database, MIGRATIONS, name=DATABASE, written=STORE_HEALTH),
            # Vectors of another embedder must not be mixed in: consumers wait for this.
            written_check(store),
            ReadinessCheck(name="embedder", probe=partial(embedder_problem, platform)),
            ReadinessCheck(name="mentions", probe=partial(_mentions_problem, mentions)),
        ),
        close=close,
    )


@asynccontextmanager
async def maintenance(
    settings: IndexerSettings, platform: Platform
) -> AsyncIterator[MaintenanceTools]:
    """Gives reconcile and rebuild what they need, in a process that need not run the indexer.

    Raises:
        StoreUnavailable: the indexer's state was not provisioned, or does not answer.
    """
    problem = await schema_check(platform.database(DATABASE), MIGRATIONS, name=DATABASE).probe()
    if problem is not None:
        raise StoreUnavailable(problem, reason="INDEX_NOT_PROVISIONED")
    store = open_chunk_store(platform.common)
    vectors = BatchingEmbedder(shared_embedder(platform))
    compute = ChildCompute(platform.children)
    mentions = mention_extractor(settings, platform.clock, compute)
    try:
        yield MaintenanceTools(
            ports=_ports(settings, platform, store, vectors, mentions, compute),
            inventory=SqlInventory(platform.database(DATABASE)),
            store=store,
        )
    finally:
        await mentions.close()
        await vectors.close()
        await store.close()


def _ports(
    settings: IndexerSettings,
    platform: Platform,
    store: ChunkStore,
    vectors: BatchingEmbedder,
    mentions: MentionExtractor,
    compute: Compute,
) -> IndexerPorts:
    return IndexerPorts(
        archive=platform.archive,
        manifests=ManifestReader(platform.archive),
        vectors=vectors,
        mentions=mentions,
        rows=SqlIndexRows(platform.database(DATABASE)),
        store=store,
        clock=platform.clock,
        settings=settings,
        compute=compute,
    )


async def sweep_and_count(ports: IndexerPorts) -> None:
    """Sweeps once, and shows in the metrics what went and what is left."""
    with metrics.SWEEP_SECONDS.time():
        swept = await sweep(ports)
    metrics.SWEPT.inc(swept.retired)
    metrics.DELETED.inc(swept.deleted)
    metrics.note_sizes(*await ports.store.count())


async def _mentions_problem(mentions: MentionExtractor) -> str | None:
    """Returns why mentions cannot be read; a pipeline is loaded by this."""
    try:
        await mentions.read(())
    except ScopsError as error:
        return error.message
    return None
