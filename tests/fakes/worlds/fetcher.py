"""The fetcher's real core on in-memory state, with a scripted web and a hand-driven pipeline."""

import base64
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import delete, select, update

from scops.common.archive.opening import open_archive
from scops.common.bus.ports import Cause
from scops.common.contract import wire
from scops.common.contract.ids import EventId, JobId, ScopeId
from scops.common.contract.messages import crawl as crawl_messages
from scops.common.contract.messages.content import Link, LinkList, PageExtracted, PageKind
from scops.common.contract.messages.crawl import (
    CancelJob,
    ConfirmedPage,
    CrawlScope,
    FetchPage,
    JobRecord,
    PageFetched,
    PageGone,
    PagesVerified,
    PageUnmodified,
)
from scops.common.contract.messages.index import HeadsVerified, IndexOutcome, VersionIndexed
from scops.common.contract.messages.types import (
    BodyRef,
    OrderKey,
    RuleKind,
    Scope,
    ScopeRef,
    ScopeRule,
)
from scops.common.contract.service_table import Lane, Role
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.common.runtime.holder import Holder
from scops.common.scope.book import ScopeBook
from scops.fetcher import handlers
from scops.fetcher.adapters.papers.searches import HeldSearches
from scops.fetcher.adapters.sql import tables
from scops.fetcher.credentials.sealing import CredentialSeal
from scops.fetcher.frontier.leases import PageLease
from scops.fetcher.frontier.wakeup import WakeupSignals
from scops.fetcher.ports.browser import Browser
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.page_source import PageSource
from scops.fetcher.service import make_ports
from scops.fetcher.settings import FetcherSettings
from scops.fetcher.upkeep import publish_verified, take_up_revisits
from tests.fakes.clock import ManualClock
from tests.fakes.fetcher_steps import FetchStep, StepKind, fetch_next, lease_next
from tests.fakes.listings import InlineListings, InlineSearches
from tests.fakes.page_source import FakePageSource
from tests.fakes.sign_in import FakeSignIn

T = TypeVar("T")
SCOPE = ScopeRef(scope_id=ScopeId("scope"), revision=1)
STEPS_MAX = 5000
CREDENTIAL_KEY = base64.b64encode(bytes(range(32))).decode()


def scope(*patterns: str, seeds: Sequence[str] = (), revision: int = 1, **values: Any) -> Scope:
    """Returns a scope of prefixes; a pattern after `!` is excluded."""
    rules = tuple(
        ScopeRule(
            kind=RuleKind.PREFIX, pattern=pattern.lstrip("!"), exclude=pattern.startswith("!")
        )
        for pattern in patterns
    )
    return Scope(
        scope_id=SCOPE.scope_id, revision=revision, rules=rules, seeds=tuple(seeds), **values
    )


@dataclass
class FetcherWorld:
    """One fetcher; `step` fetches, `events` takes what it published."""

    database: Database
    settings: FetcherSettings = field(default_factory=lambda: FetcherSettings())
    clock: ManualClock = field(default_factory=ManualClock)
    scopes: ScopeBook = field(default_factory=ScopeBook)
    pending: dict[Role, int] = field(default_factory=dict)
    links: dict[str, tuple[str | Link, ...]] = field(default_factory=dict)
    # By canonical URL, what a page calls its own URL, and its feeds.
    stated: dict[str, str] = field(default_factory=dict)
    feeds: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # By canonical URL, the search indexes that a page's scripts name.
    indexes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    browser: Browser | None = None
    # Where scholarly services are, by name.
    papers: dict[str, str] = field(default_factory=dict)
    # A web that is asked in the place of the scripted one.
    web: PageSource | None = None

    def __post_init__(self) -> None:
        self.scopes.vouched_time = self.clock.now()
        self.source = FakePageSource(self.clock)
        self.sign_in = FakeSignIn()
        self.archive = open_archive("memory://", "main")
        self.ports = self.new_ports()
        self._causes = 0

    def new_ports(
        self,
        seed: int = 0,
        *,
        database: Database | None = None,
        signals: WakeupSignals | None = None,
        holder: Holder | None = None,
    ) -> FetcherPorts:
        """Returns the ports of another process on the same state."""
        return make_ports(
            self.settings,
            database=database or self.database,
            source=self.web or self.source,
            sign_in=self.sign_in,
            archive=self.archive,
            listing_reader=InlineListings(),
            index_searcher=InlineSearches(),
            papers=HeldSearches(
                self.papers, clock=self.clock, environment={"PAPERS_EMAIL": "test@example.org"}
            ),
            scopes=self.scopes,
            clock=self.clock,
            chance=random.Random(seed),
            backlog=self._backlog,
            signals=signals,
            holder=holder,
            seal=CredentialSeal((CREDENTIAL_KEY,)),
            browser=self.browser,
        )

    async def _backlog(self, role: Role) -> int:
        return self.pending.get(role, 0)

    async def open(self) -> "FetcherWorld":
        """Creates the tables."""
        async with self.database.transaction() as connection:
            await connection.run_sync(tables.metadata.create_all)
        return self

    @classmethod
    @asynccontextmanager
    async def opened(
        cls,
        address: str | Address = "sqlite://",
        *,
        settings: FetcherSettings | None = None,
        **ports: Any,
    ) -> "AsyncIterator[FetcherWorld]":
        """Yields a world on a database of its own; ports such as its browser are given by name."""
        database = Database(address, name="fetcher")
        yield await cls(database, settings or FetcherSettings(), **ports).open()
        await database.close()

    def cause(self, lane: Lane = Lane.BULK) -> Cause:
        """Returns the cause of a message that was not seen before."""
        self._causes += 1
        return Cause(
            event_id=EventId(f"event-{self._causes}"),
            organisation_id="main",
            lane=lane,
            published_time=self.clock.now(),
        )

    async def crawl(
        self, job_id: str = "job", *, page_limit: int = 0, ports: FetcherPorts | None = None
    ) -> None:
        """Accepts a crawl of the scope."""
        command = CrawlScope(
            job_id=JobId(job_id),
            scope=SCOPE,
            accepted_time=self.clock.now(),
            page_limit=page_limit,
        )
        await handlers.handle_crawl_scope(command, self.cause(), ports or self.ports)

    async def cancel(self, job_id: str = "job") -> None:
        """Cancels a job."""
        command = CancelJob(job_id=JobId(job_id))
        await handlers.handle_cancel_job(command, self.cause(), self.ports)

    async def fetch(
        self,
        *urls: str,
        job_id: str = "job",
        lane: Lane = Lane.NOW,
        ports: FetcherPorts | None = None,
    ) -> None:
        """Accepts some pages."""
        command = FetchPage(
            job_id=JobId(job_id), scope=SCOPE, accepted_time=self.clock.now(), urls=urls
        )
        await handlers.handle_fetch_page(command, self.cause(lane), ports or self.ports)

    async def fetch_at_once(self, *urls: str, job_id: str = "job") -> None:
        """Accepts some pages and asks for them, until nothing is left to ask for."""
        await self.fetch(*urls, job_id=job_id)
        await self.steps()

    async def lease(self) -> PageLease:
        """Leases the next page, which there must be."""
        lease = await lease_next(self.ports)
        assert isinstance(lease, PageLease)
        return lease

    async def step(self) -> FetchStep:
        """Does one step of the scheduler now."""
        return await fetch_next(self.ports)

    async def steps(self) -> list[FetchStep]:
        """Does steps until nothing is left, moving the clock to what comes next."""
        done = []
        for _ in range(STEPS_MAX):
            step = await self.step()
            if step.kind is not StepKind.IDLE:
                done.append(step)
            elif step.next_time is None:
                return done
            else:
                self.clock.advance((step.next_time - self.clock.now()).total_seconds())
        raise AssertionError("the frontier does not come to rest")

    async def events(self, kind: type[T] | None = None) -> list[Any]:
        """Takes what stands in the outbox, of one type or all; what waits for others leaves too."""
        while await publish_verified(self.ports):
            pass
        async with self.database.transaction() as connection:
            rows = (
                await connection.execute(select(tables.outbox).order_by(tables.outbox.c.position))
            ).all()
            found = [
                (row.position, wire.decode(getattr(crawl_messages, row.message_type), row.data))
                for row in rows
                if kind is None or row.message_type == kind.__name__
            ]
            taken = [position for position, _ in found]
            await connection.execute(
                delete(tables.outbox).where(tables.outbox.c.position.in_(taken))
            )
        return [event for _, event in found]

    async def event(self, kind: type[T]) -> T:
        """Takes the only event of a type."""
        (event,) = await self.events(kind)
        return event  # type: ignore[no-any-return]

    async def extract(
        self,
        event: PageFetched,
        links: Sequence[str | Link] = (),
        *,
        kind: PageKind = PageKind.ARTICLE,
        pipeline_version: str = "1",
    ) -> None:
        """Answers a fetch as the extractor does."""
        await self.take(
            await self.extracted(event, links, kind=kind, pipeline_version=pipeline_version)
        )

    async def take(self, event: PageExtracted) -> None:
        """Gives the fetcher an extraction."""
        await handlers.handle_page_extracted(event, self.cause(), self.ports)

    async def extracted(
        self,
        event: PageFetched,
        links: Sequence[str | Link] = (),
        *,
        kind: PageKind = PageKind.ARTICLE,
        pipeline_version: str = "1",
    ) -> PageExtracted:
        """Returns the extractor's answer to a fetch."""
        stored = await self.archive.put(
            wire.encode(
                LinkList(
                    links=tuple(Link(url=one) if isinstance(one, str) else one for one in links),
                    canonical_url=self.stated.get(event.canonical_url, ""),
                    feed_urls=self.feeds.get(event.canonical_url, ()),
                    search_index_urls=self.indexes.get(event.canonical_url, ()),
                )
            ),
            media_type="application/x-protobuf",
        )
        return PageExtracted(
            page_id=event.page_id,
            fetch_id=event.fetch_id,
            canonical_url=event.canonical_url,
            observed_time=event.observed_time,
            kind=kind,
            text=BodyRef(),
            document=BodyRef(),
            links=stored,
            pipeline_version=pipeline_version,
        )

    async def index(
        self, event: Any, outcome: IndexOutcome = IndexOutcome.ADDED, **values: Any
    ) -> None:
        """Answers a fetch as the indexer does."""
        answer = VersionIndexed(
            page_id=event.page_id,
            fetch_id=event.fetch_id,
            outcome=outcome,
            order_key=OrderKey(observed_from=event.observed_time),
            **values,
        )
        await handlers.handle_version_indexed(answer, self.cause(), self.ports)

    async def run(self) -> list[Any]:
        """Crawls to the end with a pipeline that answers everything at once; returns events."""
        seen: list[Any] = []
        for _ in range(STEPS_MAX):
            while await take_up_revisits(self.ports):
                pass
            moved = await self.steps()
            for event in await self.events():
                seen.append(event)
                await self._answer(event)
            if not moved:
                return seen
        raise AssertionError("the crawl does not end")

    async def _answer(self, event: Any) -> None:
        if isinstance(event, PageFetched):
            await self.extract(event, self.links.get(event.canonical_url, ()))
            await self.index(event)
        elif isinstance(event, PageUnmodified):
            await self.index(event, IndexOutcome.REFRESHED)
        elif isinstance(event, PagesVerified):
            await self.verify(*event.pages)
        elif isinstance(event, PageGone):
            await self.index(event, IndexOutcome.CLOSED)

    async def verify(self, *pages: ConfirmedPage, unsettled: Sequence[ConfirmedPage] = ()) -> None:
        """Answers pages that are as they were as the indexer does."""
        answer = HeadsVerified(
            fetch_ids=tuple(page.fetch_id for page in pages),
            unsettled_fetch_ids=tuple(page.fetch_id for page in unsettled),
        )
        await handlers.handle_heads_verified(answer, self.cause(), self.ports)

    async def job(self, job_id: str = "job") -> JobRecord:
        """Returns a job with its outcomes."""
        (found,) = await self.ports.catalogue.jobs([JobId(job_id)])
        return found

    async def outcomes(self, job_id: str = "job") -> dict[str, str]:
        """Returns `outcome` or `outcome(reason)` of each page of a job, by URL."""
        return {
            row.url: f"{row.outcome}({row.reason})" if row.reason else row.outcome
            for row in (await self.job(job_id)).outcomes
        }

    async def page(self, url: str) -> Any:
        """Returns the row of a page."""
        async with self.database.reading() as connection:
            return (
                await connection.execute(
                    select(tables.page)
                    .join(tables.alias, tables.alias.c.page_id == tables.page.c.page_id)
                    .where(tables.alias.c.url == url)
                )
            ).first()

    async def rows_of_pages(self) -> list[Any]:
        """Returns every page."""
        return await self.rows(tables.page)

    async def lose_links(self, url: str) -> None:
        """Makes the archive lack the stored links of a page."""
        async with self.database.transaction() as connection:
            await connection.execute(
                update(tables.page)
                .where(tables.page.c.canonical_url == url)
                .values(links_digest="0" * 64)
            )

    async def hosts(self) -> list[Any]:
        """Returns every host."""
        return await self.rows(tables.host)

    async def ledger_rows(self, page_id: str) -> list[Any]:
        """Returns the rows of a page in every job."""
        return [row for row in await self.rows(tables.job_page) if row.page_id == page_id]

    async def rows(self, table: Any) -> list[Any]:
        """Returns every row of a table."""
        async with self.database.reading() as connection:
            return list((await connection.execute(select(table))).all())
