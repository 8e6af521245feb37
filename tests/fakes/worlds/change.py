"""The real change-detector on memory: SQLite, archive, and an embedder of word counts."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

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
from scops.change_detector.adapters.tables import metadata
from scops.change_detector.handlers.observations import (
    handle_page_extracted,
    handle_page_gone,
    handle_page_unmodified,
)
from scops.change_detector.manifests.bodies import load_manifest
from scops.change_detector.ports import (
    Addresses,
    ChangeDetectorPorts,
    PageMemories,
    PurgeStore,
    RechunkQueue,
    RetentionStore,
    SeenPages,
    TemplateStore,
    TimelineCompaction,
    Timelines,
)
from scops.change_detector.service import build_strategy, lazy_chunker
from scops.change_detector.settings import ChangeDetectorSettings
from scops.common.archive.opening import open_archive
from scops.common.archive.ports import Archive
from scops.common.bus.ports import Cause
from scops.common.contract import ids, wire
from scops.common.contract.ids import EventId, FetchId, PageId, ScopeId
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.content import (
    Block,
    BlockKind,
    Document,
    PageExtracted,
    PageKind,
)
from scops.common.contract.messages.crawl import GoneReason, PageGone, PageUnmodified
from scops.common.contract.messages.types import BodyRef, RuleKind, Scope, ScopeRule
from scops.common.contract.service_table import Lane
from scops.common.db.database import Database
from scops.common.processes.compute import compute_at_once
from scops.common.scope.book import ScopeBook
from tests.fakes.clock import ManualClock
from tests.fakes.embedder import HashingEmbedder

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PAGE = PageId("00000000-0000-7000-8000-000000000001")
# Chunks of one or two lines, so that small texts have several.
SMALL_CHUNKS = {"chunk_tokens_min": 8, "chunk_tokens_max": 16}
URL = "https://example.org/page"


def at(minutes: float) -> datetime:
    """Returns the instant so many minutes after the start."""
    return START + timedelta(minutes=minutes)


def cause(event_id: str = "event") -> Cause:
    """Returns a cause; handlers take nothing but the organisation from it."""
    return Cause(
        event_id=EventId(event_id),
        organisation_id="main",
        lane=Lane.BULK,
        published_time=START,
    )


def scope_of(name: str = "docs", *, pattern: str = "example.org/", **fields: Any) -> Scope:
    """Returns a scope of the pages under a prefix."""
    rule = ScopeRule(kind=RuleKind.PREFIX, pattern=pattern)
    values = {"organisation_id": "main", "revision": 1, **fields}
    return Scope(scope_id=ScopeId(name), rules=(rule,), **values)


def fetch(name: str | int) -> FetchId:
    """Returns a fetch by a short name."""
    return FetchId(ids.derived_id("fetch", str(name)))


def body_of(text: str, title: str = "Title") -> Document:
    """Returns the document of a text: a block a line, headings begin with `# `."""
    blocks: list[Block] = []
    sections: tuple[str, ...] = ()
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        is_heading = line.startswith("# ")
        if line.strip():
            blocks.append(
                Block(
                    kind=BlockKind.HEADING if is_heading else BlockKind.PARAGRAPH,
                    start=start,
                    end=end,
                    section_path=() if is_heading else sections,
                    level=1 if is_heading else 0,
                )
            )
        if is_heading:
            sections = (line.removeprefix("# "),)
        start = end + 1
    return Document(title=title, language="en", blocks=tuple(blocks))


@dataclass
class ChangeWorld:
    """Builds events, handles them, and reads what came of them."""

    ports: ChangeDetectorPorts
    archive: Archive
    embedder: HashingEmbedder
    database: Database | None = None
    published: list[Any] = field(default_factory=list)

    async def close(self) -> None:
        """Closes the database."""
        assert self.database is not None
        await self.database.close()

    async def extracted(
        self,
        name: str | int,
        text: str,
        minutes: float,
        *,
        pipeline: str = "p1",
        title: str = "Title",
        kind: PageKind = PageKind.ARTICLE,
        reextracted: bool = False,
        page_id: PageId = PAGE,
        url: str = URL,
    ) -> PageExtracted:
        """Returns the extraction of a fetch, its blobs in the archive."""
        document = wire.encode(body_of(text, title))
        return PageExtracted(
            page_id=page_id,
            fetch_id=fetch(name),
            access_context="public",
            canonical_url=url,
            observed_time=at(minutes),
            kind=kind,
            text=await self.archive.put(text.encode(), media_type="text/plain", charset="utf-8"),
            document=await self.archive.put(document, media_type="application/x-protobuf"),
            links=BodyRef(),
            title=title,
            language="en",
            pipeline_version=pipeline,
            reextracted=reextracted,
        )

    async def see(self, name: str | int, text: str, minutes: float, **options: Any) -> Any:
        """Handles the extraction of a fetch and returns its only verdict."""
        return await self.handle(await self.extracted(name, text, minutes, **options))

    async def unmodified(self, name: str | int, confirmed: str | int, minutes: float) -> Any:
        """Handles a 304 and returns its only verdict."""
        return await self.handle(
            PageUnmodified(
                page_id=PAGE,
                fetch_id=fetch(name),
                confirmed_fetch_id=fetch(confirmed),
                observed_time=at(minutes),
                access_context="public",
                canonical_url=URL,
            )
        )

    async def gone(self, name: str | int, minutes: float) -> Any:
        """Handles a 404 and returns its only verdict."""
        return await self.handle(
            PageGone(
                page_id=PAGE,
                fetch_id=fetch(name),
                reason=GoneReason.NOT_FOUND,
                observed_time=at(minutes),
                access_context="public",
                canonical_url=URL,
            )
        )

    async def handle(self, event: Any) -> Any:
        """Handles an event; there is exactly one verdict."""
        (verdict,) = await self.handle_all(event)
        self.published.append(verdict)
        return verdict

    async def handle_all(self, event: Any) -> Any:
        """Handles an event and returns whatever comes out."""
        handler: Any = {
            PageExtracted: handle_page_extracted,
            PageUnmodified: handle_page_unmodified,
            PageGone: handle_page_gone,
        }[type(event)]
        return await handler(event, cause(), self.ports)

    async def manifest(self, verdict_event: Any) -> Manifest:
        """Returns the manifest that a verdict points to."""
        return await load_manifest(self.archive, verdict_event.verdict.manifest)


def world_on(
    timelines: Timelines,
    seen_pages: SeenPages,
    histories: Any,
    addresses: Addresses,
    rechunks: RechunkQueue,
    templates: TemplateStore,
    memories: PageMemories,
    retention: RetentionStore,
    compaction: TimelineCompaction,
    purges: PurgeStore,
    *,
    settings: ChangeDetectorSettings | None = None,
    clock: ManualClock | None = None,
    database: Database | None = None,
) -> ChangeWorld:
    """Returns a world on some state."""
    settings = settings or ChangeDetectorSettings.model_validate(SMALL_CHUNKS)
    archive = open_archive("memory://", "main")
    embedder = HashingEmbedder()

    async def loaded() -> HashingEmbedder:
        return embedder

    ports = ChangeDetectorPorts(
        timelines=timelines,
        seen_pages=seen_pages,
        histories=histories,
        addresses=addresses,
        rechunks=rechunks,
        templates=templates,
        memories=memories,
        retention=retention,
        compaction=compaction,
        purges=purges,
        scopes=ScopeBook(),
        archive=archive,
        chunker=lazy_chunker(settings, loaded),
        strategy=build_strategy(settings, loaded),
        compute=compute_at_once,
        clock=clock or ManualClock(),
        settings=settings,
    )
    return ChangeWorld(ports=ports, archive=archive, embedder=embedder, database=database)


async def sql_world(
    url: str = "sqlite://",
    *,
    settings: ChangeDetectorSettings | None = None,
    clock: ManualClock | None = None,
) -> ChangeWorld:
    """Returns a world on SQLite, its tables created."""
    database = Database(url)
    async with database.transaction() as connection:
        await connection.run_sync(metadata.create_all)
    return database_world(database, settings=settings, clock=clock)


def database_world(
    database: Database,
    *,
    settings: ChangeDetectorSettings | None = None,
    clock: ManualClock | None = None,
) -> ChangeWorld:
    """Returns a world on a database that has the tables."""
    return world_on(
        SqlTimelines(database),
        SqlSeenPages(database),
        SqlHistories(database),
        SqlAddresses(database),
        SqlRechunks(database),
        SqlTemplates(database),
        SqlPageMemories(database),
        SqlRetention(database),
        SqlCompaction(database),
        SqlPurgeStore(database),
        settings=settings,
        clock=clock,
        database=database,
    )
