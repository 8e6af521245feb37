"""Puts the change-detector together."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from scops.change_detector.adapters import tables
from scops.change_detector.adapters.sql_addresses import SqlAddresses
from scops.change_detector.adapters.sql_compaction import SqlCompaction
from scops.change_detector.adapters.sql_histories import SqlHistories
from scops.change_detector.adapters.sql_memories import SqlPageMemories
from scops.change_detector.adapters.sql_purges import SqlPurgeStore
from scops.change_detector.adapters.sql_rechunks import SqlRechunks
from scops.change_detector.adapters.sql_retention import SqlRetention
from scops.change_detector.adapters.sql_seen_pages import SqlSeenPages
from scops.change_detector.adapters.sql_templates import SqlTemplates
from scops.change_detector.adapters.sql_timelines import SqlTimelines
from scops.change_detector.chunking.chunker import Chunker
from scops.change_detector.chunking.chunks import ChunkSizes
from scops.change_detector.chunking.token_counts import CachedTokenCounter
from scops.change_detector.handlers.compaction import Compaction
from scops.change_detector.handlers.purging import collect_purged
from scops.change_detector.handlers.rechunking import rechunk_asked
from scops.change_detector.handlers.retention import retain
from scops.change_detector.handlers.templates import learn_templates
from scops.change_detector.handlers.volatile import settle
from scops.change_detector.manifests.making import make_manifest
from scops.change_detector.manifests.shown import said_by_keys, shown_blocks
from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.reading.comparing import count_edits, fill_diff
from scops.change_detector.router import ANSWERS, build_router
from scops.change_detector.settings import ChangeDetectorSettings
from scops.change_detector.strategies.owlerlite import OwlerLiteStrategy
from scops.change_detector.strategies.port import ChangeStrategy
from scops.change_detector.strategies.salient.strategy import NAME as SALIENT
from scops.change_detector.strategies.salient.strategy import SalientStrategy
from scops.change_detector.timeline.records import PageAddress
from scops.change_detector.timeline.verdicts import VerdictEvent
from scops.common.bus.ports import Outgoing
from scops.common.contract import ids
from scops.common.contract.ids import EventId
from scops.common.contract.messages.change import ChangeSettled, VersionsDropped
from scops.common.contract.messages.purge import PurgeApplied
from scops.common.contract.service_table import Lane, Role
from scops.common.db.schema import schema_check
from scops.common.processes.compute import ChildCompute, compute_tasks
from scops.common.runtime.platform import Platform
from scops.common.runtime.service import Loop, Service, query_bindings
from scops.libraries.embedder.opening import shared_embedder
from scops.libraries.embedder.port import Embedder

DATABASE = "change_detector"
# How often pages to chunk anew, and pages to learn templates from, are looked for.
POLL_SECONDS = 5.0
# Between two looks for silent changes that have come to stay.
SETTLING_SECONDS = 15.0
# Between two batches of pages: ten million pages take six days.
COMPACTION_POLL_SECONDS = 10.0
# Between two looks for blobs that a purge waits for.
PURGE_SECONDS = 2.0
MIGRATIONS = Path(__file__).parent / "migrations"


def build(settings: ChangeDetectorSettings, platform: Platform) -> Service:
    """Returns the service; nothing is opened before it runs."""
    database = platform.database(DATABASE)
    ports = build_ports(settings, platform)
    return Service(
        role=Role.CHANGE_DETECTOR,
        child_tasks=compute_tasks(
            make_manifest, fill_diff, count_edits, shown_blocks, said_by_keys
        ),
        router=build_router(ports, concurrency=settings.concurrency),
        queries=query_bindings(ANSWERS, ports),
        loops=_loops(ports, platform),
        checks=(
            schema_check(database, MIGRATIONS, name=DATABASE, written=tables.page),
            *platform.archive_writable,
        ),
    )


def _loops(ports: ChangeDetectorPorts, platform: Platform) -> tuple[Loop, ...]:
    settings, every = ports.settings, partial(Loop.every, pause=platform.clock.sleep)

    async def publish(verdict: VerdictEvent, address: PageAddress) -> None:
        await platform.publisher.publish(
            Outgoing(
                message=verdict,
                event_id=EventId(ids.derived_id("rechunk", verdict.verdict.fetch_id)),
                organisation_id=address.organisation_id,
                lane=Lane.BULK,
            )
        )

    async def tell(news: VersionsDropped, organisation_id: str) -> None:
        versions = [version.version_id for version in news.versions]
        await platform.publisher.publish(
            Outgoing(
                message=news,
                event_id=EventId(ids.derived_id("dropped", *versions)),
                organisation_id=organisation_id,
                lane=Lane.BULK,
            )
        )

    async def report(applied: PurgeApplied, organisation_id: str) -> None:
        names = (applied.purge_id, str(applied.attempt), str(applied.batch), applied.owner)
        await platform.publisher.publish(
            Outgoing(
                message=applied,
                event_id=EventId(ids.derived_id("purge-applied", *names)),
                organisation_id=organisation_id,
                lane=Lane.NOW,
            )
        )

    async def tell_settled(change: ChangeSettled, address: PageAddress) -> None:
        names = (change.page_id, ids.instant_text(change.change_time))
        await platform.publisher.publish(
            Outgoing(
                message=change,
                event_id=EventId(ids.derived_id("settled", *names)),
                organisation_id=address.organisation_id,
                lane=Lane.BULK,
            )
        )

    rechunk, learn = partial(rechunk_asked, ports, publish), partial(learn_templates, ports)
    return (
        every(POLL_SECONDS, rechunk, name="rechunk"),
        every(settings.retention_poll_seconds, partial(retain, ports, tell), name="retention"),
        every(POLL_SECONDS, learn, name="templates"),
        every(SETTLING_SECONDS, partial(settle, ports, tell_settled), name="settling"),
        every(COMPACTION_POLL_SECONDS, Compaction(ports).step, name="compaction"),
        every(PURGE_SECONDS, partial(collect_purged, ports, report), name="purge"),
    )


def build_ports(settings: ChangeDetectorSettings, platform: Platform) -> ChangeDetectorPorts:
    """Returns the ports on a platform's database, archive and embedder."""
    database = platform.database(DATABASE)
    return ChangeDetectorPorts(
        timelines=SqlTimelines(database),
        seen_pages=SqlSeenPages(database),
        histories=SqlHistories(database),
        addresses=SqlAddresses(database),
        rechunks=SqlRechunks(database),
        retention=SqlRetention(database),
        compaction=SqlCompaction(database),
        purges=SqlPurgeStore(database),
        templates=SqlTemplates(database),
        memories=SqlPageMemories(database),
        scopes=platform.scope_book,
        archive=platform.archive,
        chunker=lazy_chunker(settings, shared_embedder(platform), made=platform.children.share),
        strategy=build_strategy(settings, shared_embedder(platform)),
        compute=ChildCompute(platform.children),
        clock=platform.clock,
        settings=settings,
    )


def lazy_chunker(
    settings: ChangeDetectorSettings,
    embedder: Callable[[], Awaitable[Embedder]],
    *,
    made: Callable[[Chunker], None] | None = None,
) -> Callable[[], Awaitable[Chunker]]:
    """Returns a function that makes the chunker once, when the embedder is first needed.

    Args:
        made: is told of it: child processes share its tokenizer.
    """
    chunkers: list[Chunker] = []

    async def chunker() -> Chunker:
        loaded = await embedder()
        if not chunkers:
            chunkers.append(_chunker(settings, loaded))
            if made is not None:
                made(chunkers[0])
        return chunkers[0]

    return chunker


def _chunker(settings: ChangeDetectorSettings, embedder: Embedder) -> Chunker:
    return Chunker(
        sizes=ChunkSizes(
            tokens_min=settings.chunk_tokens_min,
            tokens_max=settings.chunk_tokens_max,
            overlap_tokens_max=settings.chunk_overlap_tokens,
        ),
        embedder_id=embedder.embedder_id,
        embedder_tokens_max=embedder.max_tokens,
        count_tokens=CachedTokenCounter(embedder.count_tokens),
    )


def build_strategy(
    settings: ChangeDetectorSettings,
    embedder: Callable[[], Awaitable[Embedder]],
) -> ChangeStrategy:
    """Returns the strategy that the settings name."""
    if settings.strategy == SALIENT:
        return SalientStrategy(salience_min=settings.salience_min)
    return OwlerLiteStrategy(embedder=embedder)
