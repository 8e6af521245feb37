"""The fetcher's composition root."""

import random
from collections.abc import Callable
from datetime import datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

from scops.common.archive.ports import Archive
from scops.common.contract import ids
from scops.common.contract.ids import JobId
from scops.common.contract.service_table import Role
from scops.common.db.database import Database
from scops.common.db.schema import schema_check
from scops.common.egress.address import AddressPolicy, parse_allowed_ranges, parse_networks
from scops.common.runtime.clock import Clock
from scops.common.runtime.holder import Holder
from scops.common.runtime.platform import Backlog, Platform, Progress
from scops.common.runtime.relay import OutboxRelay
from scops.common.runtime.service import Loop, Service, query_bindings
from scops.common.runtime.steady_clock import FOLLOW_SECONDS, SteadyClock
from scops.common.scope.book import ScopeBook
from scops.common.scope.hosts import EVERY_HOST, HostLists
from scops.fetcher import router
from scops.fetcher.adapters.browser.chromium import Chromium, found_browser
from scops.fetcher.adapters.browser.rendering import RenderLimits
from scops.fetcher.adapters.cached_backlog import CachedBacklog
from scops.fetcher.adapters.child_listings import ChildListings
from scops.fetcher.adapters.child_searches import ChildSearches
from scops.fetcher.adapters.http.client import GuardedClient
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.adapters.http.page_source import PRODUCT_TOKEN, HttpPageSource, user_agent
from scops.fetcher.adapters.http.sign_in import HttpSignIn
from scops.fetcher.adapters.key_command import printed_by
from scops.fetcher.adapters.papers.searches import HeldSearches
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.credentials import SqlCredentials
from scops.fetcher.adapters.sql.discovery.plain_files import SqlPlainFiles
from scops.fetcher.adapters.sql.discovery.pushes import SqlPushes
from scops.fetcher.adapters.sql.discovery.subscriptions import SqlSubscriptions
from scops.fetcher.adapters.sql.discovery.taken_listings import SqlTakenListings
from scops.fetcher.adapters.sql.frontier.frontier import SqlFrontier
from scops.fetcher.adapters.sql.frontier.results import SqlResults
from scops.fetcher.adapters.sql.ledger.ledger import SqlLedger
from scops.fetcher.adapters.sql.ledger.verified import SqlVerifiedFetches
from scops.fetcher.adapters.sql.pages.captures import SqlCaptures
from scops.fetcher.adapters.sql.pages.catalogue import SqlCatalogue
from scops.fetcher.adapters.sql.pages.imports import SqlImports
from scops.fetcher.adapters.sql.pages.page_links import SqlPageLinks
from scops.fetcher.adapters.sql.pages.purges import SqlPurgeWalk
from scops.fetcher.adapters.sql.pages.renderings import SqlRenderings
from scops.fetcher.adapters.sql.recrawl.planner import Planner
from scops.fetcher.adapters.sql.recrawl.priors import PriorsCache
from scops.fetcher.adapters.sql.recrawl.schedule import SqlSchedule
from scops.fetcher.adapters.sql.recrawl.validators import SqlValidatorTrust
from scops.fetcher.adapters.sql.transaction import StateRules
from scops.fetcher.credentials.sealing import CredentialSeal, parse_keys
from scops.fetcher.fetch.visit import admits, credential_contexts, lists, renders, rules_key
from scops.fetcher.frontier.passage import Passage, progress_by
from scops.fetcher.frontier.wakeup import WakeupSignals
from scops.fetcher.frontier.workers import Workers
from scops.fetcher.metrics import note_sizes
from scops.fetcher.politeness.delays import HostDelays, parse_delays
from scops.fetcher.ports.browser import Browser
from scops.fetcher.ports.fetcher import FetcherPorts, always_settled
from scops.fetcher.ports.files import IndexSearcher, ListingReader
from scops.fetcher.ports.page_source import PageSource
from scops.fetcher.ports.papers import PaperSearches
from scops.fetcher.ports.sign_in import SignInSource
from scops.fetcher.purging import purge_some
from scops.fetcher.recrawl.crawl_budgets import CrawlBudgets
from scops.fetcher.settings import FetcherSettings, parse_services
from scops.fetcher.subscribing import ask_hubs, leave_dropped
from scops.fetcher.upkeep import (
    forget_due,
    index_hosts,
    publish_verified,
    recrawl_due,
    seal_anew,
    seek_lost,
    take_up_revisits,
)

MIGRATIONS = Path(__file__).parent / "migrations"
DATABASE = "fetcher"
# The file by which a process knows that those before it on its data folder are dead.
HOLDER = "fetcher.holder"
# The folder of the data folder in which those who ask scholarly services share their pace.
PACES = "imports"
FORGET_SECONDS = 3600.0
LOST_CHECK_SECONDS = 15.0
SIZES_SECONDS = 15.0
RECRAWL_SECONDS = 120.0
PURGE_SECONDS = 1.0
REVISITS_SECONDS = 1.0
# How long a page that is as it was waits for others at most.
VERIFIED_SECONDS = 1.0
POOL_SECONDS = 1800.0
SEAL_SECONDS = 3600.0
HUBS_SECONDS = 2.0
DROPPED_SECONDS = 30.0


def build(settings: FetcherSettings, platform: Platform) -> Service:
    """Builds the fetcher on a process's shared ports."""
    signals = WakeupSignals()
    database = platform.database(DATABASE)
    reference = database.clock if database.has_clock else None
    clock = SteadyClock(platform.clock, reference=reference)
    # A role with nothing but addresses keeps no folder: its leases run out.
    folder = None if database.address.is_server else platform.common.data_dir / "state" / HOLDER
    holder = Holder(folder)
    hosts = platform.common.host_lists
    source, sign_in = _page_source(settings, clock, hosts), _sign_in(settings, clock, hosts)
    browser = _browser(settings)
    papers = HeldSearches(
        parse_services(settings.paper_services),
        clock=clock,
        folder=folder.parent.parent / PACES if folder is not None else None,
        hosts=hosts,
        proxy=settings.proxy.get_secret_value(),
    )
    ports = make_ports(
        settings,
        database=database,
        source=source,
        sign_in=sign_in,
        archive=platform.archive,
        listing_reader=ChildListings(platform.children),
        index_searcher=ChildSearches(platform.children),
        scopes=platform.scope_book,
        clock=clock,
        chance=platform.random,
        backlog=CachedBacklog(platform.backlog, clock=clock),
        progress=platform.progress,
        organisation_id=platform.common.organisation_id,
        signals=signals,
        settled=clock.settled,
        holder=holder,
        hosts=hosts,
        seal=_seal(settings),
        browser=browser,
        papers=papers,
    )
    workers = Workers(ports, signals)
    outbox = OutboxRelay(
        database=database,
        outbox=tables.outbox,
        publisher=platform.publisher,
        clock=clock,
        wakeup=signals.outbox,
    )

    async def close() -> None:
        await source.close()
        await sign_in.close()
        await papers.close()
        if browser is not None:
            await browser.close()
        holder.leave()
        await outbox.publish_rest()

    return Service(
        role=Role.FETCHER,
        router=router.build_router(ports),
        queries=query_bindings(router.ANSWERS, ports),
        loops=(*workers.loops(), outbox.loop(), _following(clock), *_loops(ports)),
        checks=(
            schema_check(database, MIGRATIONS, name=DATABASE, written=tables.page),
            *platform.archive_writable,
        ),
        open=holder.enter,
        finish=workers.finish,
        close=close,
    )


def make_ports(
    settings: FetcherSettings,
    *,
    database: Database,
    source: PageSource,
    sign_in: SignInSource,
    archive: Archive,
    listing_reader: ListingReader,
    index_searcher: IndexSearcher,
    scopes: ScopeBook,
    clock: Clock,
    chance: random.Random,
    backlog: Backlog,
    progress: Progress | None = None,
    organisation_id: str = "main",
    signals: WakeupSignals | None = None,
    settled: Callable[[float], bool] = always_settled,
    holder: Holder | None = None,
    hosts: HostLists = EVERY_HOST,
    seal: CredentialSeal | None = None,
    browser: Browser | None = None,
    papers: PaperSearches,
) -> FetcherPorts:
    """Puts the SQL state and the other ports together; tests and the simulation call it too."""

    def mint_job(now: datetime) -> JobId:
        return JobId(ids.uuid7(now, chance.randbytes(10)))

    delays = HostDelays(
        settings.host_delay_seconds, parse_delays(settings.delays), settings.response_factor
    )
    rules = StateRules(
        admits=partial(admits, scopes),
        rules_key=partial(rules_key, scopes),
        contexts=partial(credential_contexts, scopes),
        mint_job=mint_job,
        budgets=CrawlBudgets(scopes, per_day=settings.recrawl_per_day),
        delays=delays,
        settings=settings,
        signals=signals or WakeupSignals(),
        holder=holder or Holder(),
        renders=partial(renders, scopes, has_browser=browser is not None),
    )
    planner = Planner(PriorsCache(settings))
    return FetcherPorts(
        frontier=SqlFrontier(database, rules, planner),
        results=SqlResults(database, rules),
        ledger=SqlLedger(database, rules),
        verified=SqlVerifiedFetches(database, rules),
        schedule=SqlSchedule(database, rules, planner),
        purges=SqlPurgeWalk(database, rules),
        imports=SqlImports(database, rules),
        captures=SqlCaptures(database, rules),
        pushes=SqlPushes(database, rules, planner),
        subscriptions=SqlSubscriptions(database, rules, partial(lists, scopes)),
        credentials=SqlCredentials(database, seal or CredentialSeal()),
        catalogue=SqlCatalogue(database, organisation_id=organisation_id, delays=delays),
        page_links=SqlPageLinks(database, organisation_id=organisation_id),
        files=SqlPlainFiles(database),
        listings=SqlTakenListings(database),
        listing_reader=listing_reader,
        index_searcher=index_searcher,
        validators=SqlValidatorTrust(database),
        renderings=SqlRenderings(
            database, organisation_id=organisation_id, per_day=settings.rendered_per_day
        ),
        source=source,
        sign_in=sign_in,
        addresses=_address_policy(settings, hosts),
        archive=archive,
        scopes=scopes,
        clock=clock,
        random=chance,
        backlog=backlog,
        passage=Passage(progress or progress_by(backlog)),
        settings=settings,
        delays=delays,
        settled=settled,
        agent=PRODUCT_TOKEN,
        organisation_id=organisation_id,
        browser=browser,
        papers=papers,
    )


def _seal(settings: FetcherSettings) -> CredentialSeal:
    if settings.credential_key_command:
        return CredentialSeal(parse_keys(printed_by(settings.credential_key_command)))
    return CredentialSeal(parse_keys(settings.credential_keys.get_secret_value()))


def _page_source(settings: FetcherSettings, clock: Clock, hosts: HostLists) -> HttpPageSource:
    return HttpPageSource(
        limits=_limits(settings),
        addresses=_address_policy(settings, hosts),
        clock=clock,
        user_agent=_agent(settings),
        proxy=settings.proxy.get_secret_value(),
    )


def _browser(settings: FetcherSettings) -> Chromium | None:
    place = found_browser(settings.browser.get_secret_value())
    if not place:
        return None
    limits = RenderLimits(html_bytes=settings.body_bytes_max)
    return Chromium(place, pages_at_once=settings.browser_pages, limits=limits)


def _sign_in(settings: FetcherSettings, clock: Clock, hosts: HostLists) -> HttpSignIn:
    limits = _limits(settings)
    client = GuardedClient(
        limits=limits,
        addresses=_address_policy(settings, hosts),
        proxy=settings.proxy.get_secret_value(),
    )
    return HttpSignIn(client, limits=limits, clock=clock, user_agent=_agent(settings))


def _limits(settings: FetcherSettings) -> HttpLimits:
    return HttpLimits(
        total_seconds=settings.request_seconds_max,
        wire_bytes_max=settings.body_bytes_max,
        decoded_bytes_max=settings.body_bytes_max,
        connections_max=settings.workers + settings.now_workers,
    )


def _agent(settings: FetcherSettings) -> str:
    return user_agent(version("scops"), settings.contact_url)


def _address_policy(settings: FetcherSettings, hosts: HostLists) -> AddressPolicy:
    return AddressPolicy(
        allowed=parse_allowed_ranges(settings.allowed_private),
        denied=parse_networks(settings.denied_networks),
        hosts=hosts,
    )


def _following(clock: SteadyClock) -> Loop:
    return Loop.every(FOLLOW_SECONDS, clock.follow, name="clock", pause=clock.sleep)


def _loops(ports: FetcherPorts) -> tuple[Loop, ...]:
    every = partial(Loop.every, pause=ports.clock.sleep)

    async def show_sizes() -> None:
        now = ports.clock.now()
        note_sizes(await ports.catalogue.sizes(now=now), now=now)

    async def recrawl() -> None:
        if ports.scopes.complete:
            await recrawl_due(ports)

    async def pool() -> None:
        await ports.schedule.pool(now=ports.clock.now())

    return (
        every(LOST_CHECK_SECONDS, partial(seek_lost, ports), name="lost", waits_first=True),
        every(FORGET_SECONDS, partial(forget_due, ports), name="forget"),
        every(FORGET_SECONDS, partial(index_hosts, ports), name="hosts"),
        every(VERIFIED_SECONDS, partial(publish_verified, ports), name="verified"),
        every(REVISITS_SECONDS, partial(take_up_revisits, ports), name="revisits"),
        every(PURGE_SECONDS, partial(purge_some, ports), name="purge"),
        every(SIZES_SECONDS, show_sizes, name="sizes"),
        every(RECRAWL_SECONDS, recrawl, name="recrawl", waits_first=True),
        every(POOL_SECONDS, pool, name="pools"),
        every(SEAL_SECONDS, partial(seal_anew, ports), name="seals"),
        every(HUBS_SECONDS, partial(ask_hubs, ports), name="hubs", waits_first=True),
        every(DROPPED_SECONDS, partial(leave_dropped, ports), name="dropped", waits_first=True),
    )
