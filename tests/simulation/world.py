"""The whole pipeline in one place: real handlers and SQL, a simulated web, bus and clock."""

import random
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from scops.change_detector import router as change_router
from scops.change_detector import service as change_service
from scops.change_detector.settings import ChangeDetectorSettings
from scops.common.archive.opening import open_archive
from scops.common.bus.consume.received import Consumer
from scops.common.bus.consume.retry import RetryPolicy
from scops.common.bus.consume.router import ServiceRouter
from scops.common.bus.consume.store_pause import StorePause
from scops.common.bus.ports import Cause, Caused, Handler, ManyHandler, Outgoing
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import TransientError
from scops.common.contract.ids import EventId, JobId, ScopeId
from scops.common.contract.messages.explanation import (
    AnswerResponse,
    Citation,
    ResolvedCitation,
)
from scops.common.contract.messages.retrieval import RetrieveResponse
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRef, ScopeRule
from scops.common.contract.service_table import BY_TYPE, Lane, Role
from scops.common.db.outbox import relay
from scops.common.processes.pool import ChildPool
from scops.common.query.ports import JOB_STATUS, QueryClient
from scops.common.runtime.gate import Gate
from scops.common.runtime.platform import Platform, SharedResources
from scops.common.runtime.service import Step, query_bindings
from scops.common.runtime.steady_clock import SteadyClock
from scops.common.scope.book import ScopeBook
from scops.extractor import router as extractor_router
from scops.extractor.ports import ExtractorPorts
from scops.fetcher import router as fetcher_router
from scops.fetcher import service as fetcher_service
from scops.fetcher.adapters.papers.searches import HeldSearches
from scops.fetcher.adapters.sql import tables as fetcher_tables
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.settings import FetcherSettings
from scops.fetcher.upkeep import (
    VERIFIED_PAGES_MAX,
    forget_due,
    publish_verified,
    recrawl_due,
    seek_lost,
    take_up_revisits,
)
from scops.gateway import router as gateway_router
from scops.gateway.adapters.sql import tables as gateway_tables
from scops.indexer import router as indexer_router
from scops.indexer.adapters.sql_index_rows import SqlIndexRows
from scops.indexer.ports import IndexerPorts
from scops.indexer.settings import IndexerSettings
from scops.indexer.upkeep.sweeper import sweep
from scops.libraries.embedder.opening import open_embedder
from scops.libraries.index.manifest_reader import ManifestReader
from scops.libraries.index.sqlite.upkeep import MaintainedSqliteStore
from scops.libraries.mentions.rules import RuleExtractor
from tests.fakes.clock import START, ManualClock
from tests.fakes.consuming import consume
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.fetcher_steps import fetch_next
from tests.fakes.listings import InlineListings, InlineSearches
from tests.fakes.query_client import LocalQueryClient
from tests.fakes.sign_in import FakeSignIn
from tests.simulation.bus import SimBus, Stored
from tests.simulation.front import Asked, EffectQueries, Front
from tests.simulation.parser import SimParser
from tests.simulation.ports import EffectArchive, EffectStore, SimVectors
from tests.simulation.readers import Readers
from tests.simulation.site import HOSTS, SimSite
from tests.simulation.stage import Actor, Stage
from tests.simulation.states import States
from tests.simulation.times import SkewedClock

WORKERS = (Role.FETCHER, Role.EXTRACTOR, Role.CHANGE_DETECTOR, Role.INDEXER, Role.GATEWAY)
SCOPE = ScopeId("all")
ORGANISATION = "main"
FETCHERS = 2
# Pages that may come under one lease of their host.
RUNS_MAX = (1, 2, 16)
# Pages that are as they were leave in events of few or many.
VERIFIED_AT_ONCE = (1, 2, 3, VERIFIED_PAGES_MAX)
# Enough for every page in a moment, so that the recrawl meets whatever else happens.
RECRAWLS = {"recrawl_per_day": 1_000_000, "recrawl_stale_min": 0.0, "recrawl_hours_min": 0.0}


def prefix(pattern: str, *, exclude: bool = False) -> ScopeRule:
    return ScopeRule(kind=RuleKind.PREFIX, pattern=pattern, exclude=exclude)


async def _once(step: Step) -> None:
    await step()


@dataclass
class World:
    """One seeded world; `open` before use."""

    seed: int
    states: States = field(default_factory=States)
    rng: random.Random = field(init=False)
    clock: ManualClock = field(default_factory=ManualClock)
    jobs: list[JobId] = field(default_factory=list)
    revision: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.stage = Stage(self.rng)
        self.bus = SimBus(self.stage, self.clock, self.rng, WORKERS)
        self.site = SimSite(self.stage, self.clock, self.rng)
        self.book = ScopeBook()
        self.parser = SimParser()
        self.embedder = HashingEmbedder()
        self.policy = RetryPolicy()
        self.clocks: list[SkewedClock] = []
        self.loops: dict[str, Step] = {}
        # Whether the gateway may have commands that were not published.
        self.commands_wait = False
        self._store_pauses: dict[str, StorePause] = {}
        self._handlers: dict[tuple[Role, type[Any]], Handler] = {}
        self._replicas: dict[tuple[Role, type[Any]], list[Handler]] = {}
        self.many: dict[tuple[Role, type[Any]], ManyHandler] = {}
        self._replicas_of_many: dict[tuple[Role, type[Any]], list[ManyHandler]] = {}
        # Items that were handled with others, by consumer and message.
        self.together: Counter[tuple[Role, type[Any]]] = Counter()
        # Some installations keep versions for a day only.
        self.retention_days = self.rng.choice((0, 0, 1))
        self.forgets = self.retention_days > 0
        # In some the pipeline is behind as soon as a stage has more than this.
        self.pending_max = self.rng.choice((500, 500, 3))
        # How often a handler fails for no reason that lasts: of a frame, some items and not others.
        self.faults = self.rng.choice((0.0, 0.0, 0.05))
        self._pauses: dict[str, float] = {}
        if self.seed % 2:
            # Hosts are asked without a pause: they are free before their page is kept.
            self._pauses = {"host_delay_seconds": 0.0, "response_factor": 0.0}
            self.site.delay = timedelta()

    async def open(self) -> None:
        """Creates state, ports and the first scope."""
        effect = self.stage.effect
        await self.states.enter(self.stage)
        self.fetcher_db = self.states.databases["fetcher"]
        self.change_db = self.states.databases["change"]
        self.index_db = self.states.databases["index"]
        self.archive = EffectArchive(
            open_archive("memory://", ORGANISATION), effect, self.stage.refuse, self.clock
        )
        plain = MaintainedSqliteStore(
            None,
            embedder_id=self.embedder.embedder_id,
            dimensions=self.embedder.dimensions,
            inline=True,
        )
        self.store = EffectStore(plain, effect, self.stage.refuse)
        self.scope(*(prefix(host.removeprefix("http://")) for host in HOSTS))
        self.book.complete, self.book.vouched_time = True, self.clock.now()
        self.readers = Readers(
            store=self.store,
            index_db=self.index_db,
            archive=self.archive,
            embedder=self.embedder,
            book=self.book,
            clock=self.clock,
            rng=self.rng,
        )

        self.front = Front(
            database=self.states.databases["gateway"],
            queries=self.readers.served(self._asked_by),
            archive=self.archive,
            clock=self.clock,
            rng=self.rng,
        )
        for role in WORKERS:
            await self.boot(role)

    def _asked_by(self, queries: QueryClient) -> QueryClient:
        return EffectQueries(queries, self.stage, self.clock)

    async def close(self) -> None:
        """Ends every task and database."""
        for actor in list(self.stage.actors):
            await self.stage.crash(actor)
        self.states.leave()
        await self.store.inner.close()

    # -- processes ---------------------------------------------------------------------------

    async def boot(self, role: Role) -> None:
        """Makes a process of a role anew: what it kept in memory is gone."""
        if role is Role.FETCHER:
            await self._boot_fetchers()
            return
        build = {
            Role.EXTRACTOR: self._boot_extractor,
            Role.CHANGE_DETECTOR: self._boot_change_detector,
            Role.INDEXER: self._boot_indexer,
            Role.GATEWAY: self._boot_gateway,
        }
        build[role]()

    async def _boot_fetchers(self) -> None:
        """Makes replicas on one state, each on a machine with a clock of its own."""
        self.clocks = [SkewedClock(self.clock) for _ in range(FETCHERS)]
        self.steady = [
            SteadyClock(clock, reference=self._database_time, elapsed=self._elapsed)
            for clock in self.clocks
        ]
        await self.follow_time()
        self.fetchers = [self._fetcher(clock) for clock in self.steady]
        self.fetcher: FetcherPorts = self.fetchers[0]
        self._forget_replicas(Role.FETCHER)
        for ports in self.fetchers:
            self._subscribe(fetcher_router.build_router(ports))
        ledger = {JOB_STATUS: fetcher_router.ANSWERS[JOB_STATUS]}
        self.readers.add(query_bindings(ledger, self.fetcher))

    def _fetcher(self, clock: SteadyClock) -> FetcherPorts:
        return fetcher_service.make_ports(
            FetcherSettings.load().model_copy(
                update={**RECRAWLS, **self._pauses, "pending_max": self.pending_max}
            ),
            database=self.fetcher_db,
            source=self.site,
            sign_in=FakeSignIn(),
            archive=self.archive,
            listing_reader=InlineListings(),
            index_searcher=InlineSearches(),
            papers=HeldSearches({}, clock=clock),
            scopes=self.book,
            clock=clock,
            chance=self.rng,
            backlog=self._backlog,
            organisation_id=ORGANISATION,
            settled=clock.settled,
        )

    async def follow_time(self) -> None:
        """Lets each replica look at the time of the database, as its loop does."""
        for clock in self.steady:
            await clock.follow()

    async def _database_time(self) -> datetime:
        return self.clock.now()

    def _elapsed(self) -> float:
        return (self.clock.now() - START).total_seconds()

    def _boot_extractor(self) -> None:
        self._forget_replicas(Role.EXTRACTOR)
        ports = ExtractorPorts(archive=self.archive, parser=self.parser)
        self._subscribe(extractor_router.build_router(ports, concurrency=1))

    def _boot_change_detector(self) -> None:
        self._forget_replicas(Role.CHANGE_DETECTOR)
        sizes = {"chunk_tokens_min": 12, "chunk_tokens_max": 24}
        settings = ChangeDetectorSettings.load().model_copy(update=sizes)
        ports = change_service.build_ports(settings, self._platform())
        self.change = ports
        self._subscribe(change_router.build_router(ports, concurrency=1))
        service = change_service.build(settings, self._platform())
        self.loops |= {
            f"{service.role}:{loop.name}": loop.step for loop in service.loops if loop.step
        }

    def _boot_indexer(self) -> None:
        self._forget_replicas(Role.INDEXER)
        settings = IndexerSettings.load()
        self.indexer = IndexerPorts(
            archive=self.archive,
            manifests=ManifestReader(self.archive),
            vectors=SimVectors(self.embedder),
            mentions=RuleExtractor(),
            rows=SqlIndexRows(self.index_db),
            store=self.store,
            clock=self.clock,
            settings=settings,
        )
        self._subscribe(indexer_router.build_router(self.indexer, concurrency=1))

    def _boot_gateway(self) -> None:
        self._forget_replicas(Role.GATEWAY)
        self._subscribe(gateway_router.build_router(self.front.ports))

    def _platform(self) -> Platform:
        return Platform(
            common=CommonSettings.load(),
            clock=self.clock,
            archive=self.archive,
            publisher=self.bus,
            query_client=LocalQueryClient((), clock=self.clock),
            scope_book=self.book,
            random=self.rng,
            shared=SharedResources(CommonSettings.load(), {open_embedder: self.embedder}),
            children=ChildPool.of_settings(CommonSettings.load()),
            database=lambda name: self.change_db,
            backlog=self._backlog,
        )

    def _forget_replicas(self, role: Role) -> None:
        self._replicas = {key: value for key, value in self._replicas.items() if key[0] != role}
        self._replicas_of_many = {
            key: value for key, value in self._replicas_of_many.items() if key[0] != role
        }

    def _subscribe(self, router: ServiceRouter) -> None:
        for message, handler in router.handlers.items():
            key = (router.role, message)
            others = self._replicas.setdefault(key, [])
            others.append(handler)
            self._handlers[key] = partial(self._handle_by_any, others)
        for message, many in router.many.items():
            key = (router.role, message)
            many_others = self._replicas_of_many.setdefault(key, [])
            many_others.append(many)
            self.many[key] = partial(self._handle_together_by_any, many_others, key)

    async def _handle_by_any(
        self, replicas: list[Handler], message: Any, cause: Cause
    ) -> Sequence[Any]:
        if self.rng.random() < self.faults:
            raise TransientError("It goes another time.")
        return await self.rng.choice(replicas)(message, cause)

    async def _handle_together_by_any(
        self, replicas: list[ManyHandler], key: tuple[Role, type[Any]], items: Sequence[Caused]
    ) -> Sequence[Sequence[Any] | None]:
        """Handles several, or fails before, or after, all that it does."""
        if self.rng.random() < self.faults:
            raise TransientError("They go one by one.")
        made = await self.rng.choice(replicas)(items)
        self.together[key] += sum(one is not None for one in made)
        if self.rng.random() < self.faults:
            raise TransientError("They go one by one again.")
        return made

    async def _backlog(self, role: Role) -> int:
        return self.bus.pending(role)

    # -- what people do ----------------------------------------------------------------------

    def scope(self, *rules: ScopeRule, deleted: bool = False) -> ScopeRef:
        """Gives the scope new rules; every service has them at once."""
        self.revision += 1
        seeds = tuple(f"{host}/" for host in HOSTS)
        self.book.apply(
            Scope(
                scope_id=SCOPE,
                organisation_id=ORGANISATION,
                name="all",
                revision=self.revision,
                rules=rules,
                seeds=seeds,
                deleted=deleted,
                retention_days=self.retention_days,
            )
        )
        return self.ref

    @property
    def ref(self) -> ScopeRef:
        return ScopeRef(scope_id=SCOPE, revision=self.revision)

    async def crawl(self) -> JobId:
        """Asks for a crawl of the scope."""
        return await self.fetch()

    async def fetch(self, *urls: str) -> JobId:
        """Asks for some pages now; without any, for a crawl."""
        await self.follow_scope()
        job_id = await self.front.create_job(SCOPE, urls=urls)
        self.jobs.append(job_id)
        self.commands_wait = True
        return job_id

    async def cancel(self, job_id: JobId) -> None:
        """Asks to cancel a job."""
        await self.front.cancel_job(job_id)
        self.commands_wait = True

    async def send(self, command: Any, lane: Lane) -> None:
        """Publishes a command that the gateway's relay was left out of: perhaps twice."""
        event = EventId(f"gateway-{self.rng.getrandbits(64):x}")
        outgoing = Outgoing(
            message=command, event_id=event, organisation_id=ORGANISATION, lane=lane
        )
        for _ in range(self.rng.choice((1, 1, 2))):
            await self.bus.publish(outgoing)

    async def search(self, query: str, *, limit: int = 10, **options: Any) -> RetrieveResponse:
        """Asks the retriever."""
        return await self.readers.search(query, self.ref, limit=limit, **options)

    async def answer(self, query: str) -> AnswerResponse:
        """Asks the explainer, as the gateway does."""
        return await self.readers.answer(query, self.ref, self.change)

    async def ask_gateway(self, *, answers: bool) -> Asked:
        """Asks the gateway for an answer, or for passages."""
        scope = self.book.get(self.ref)
        self.readers.find(self.change)
        if answers:
            return await self.front.answer("What is the value of one?", scope)
        return await self.front.search("the value of one", scope)

    async def follow_scope(self) -> None:
        """Has the gateway store the scope as it was changed last."""
        await self.front.follow(self.book.get(self.ref))

    async def resolve(self, citations: Sequence[Citation]) -> Sequence[ResolvedCitation]:
        """Asks where the spans of citations stand by now."""
        return await self.readers.resolve(citations, self.change)

    # -- work --------------------------------------------------------------------------------

    async def deliver(self, stored: Stored) -> Actor:
        """Starts handling a delivery in a task of its own."""
        stored = self.bus.together(stored)
        delivery = self.bus.take(stored)
        consumer = Consumer(
            role=stored.role,
            contract=BY_TYPE[stored.contract.message],
            lane=stored.lane,
            framed=stored.framed,
            handler=self._handlers[stored.role, stored.contract.message],
            many=self.many.get((stored.role, stored.contract.message)),
        )
        work = consume(
            delivery,
            consumer,
            publisher=self.bus,
            clock=self.clock,
            policy=self.policy,
            pause=self.pause_of(stored),
        )
        return await self.stage.start(f"{stored.role}:{stored.contract.snake_name}", work)

    def pause_of(self, stored: Stored) -> StorePause:
        """Returns what holds back a durable whose work a store refuses."""
        if stored.durable not in self._store_pauses:
            labels = (stored.role.value, stored.contract.snake_name, "simulated")
            self._store_pauses[stored.durable] = StorePause(
                labels, checked=Gate(), on_refused=lambda: None
            )
        return self._store_pauses[stored.durable]

    def chores(self) -> dict[str, Callable[[], Coroutine[Any, Any, Any]]]:
        """Returns what happens without a message, by the name of its process."""
        publish = partial(relay, self.fetcher_db, fetcher_tables.outbox, self.bus, clock=self.clock)
        return {
            "fetcher:worker": partial(
                fetch_next, self.rng.choice(self.fetchers), run_max=self.rng.choice(RUNS_MAX)
            ),
            "fetcher:relay": publish,
            "fetcher:verified": partial(
                publish_verified,
                self.rng.choice(self.fetchers),
                limit=self.rng.choice(VERIFIED_AT_ONCE),
            ),
            "gateway:relay": partial(
                relay,
                self.states.databases["gateway"],
                gateway_tables.outbox,
                self.bus,
                clock=self.clock,
            ),
            "gateway:ledger": self.front.compare,
            "fetcher:lost": partial(seek_lost, self.fetcher),
            "fetcher:revisits": partial(take_up_revisits, self.rng.choice(self.fetchers)),
            "fetcher:recrawl": partial(recrawl_due, self.fetcher),
            "fetcher:housekeeping": partial(forget_due, self.fetcher),
            "indexer:sweep": partial(sweep, self.indexer),
            **{name: partial(_once, step) for name, step in self.loops.items()},
        }

    async def start(self, chore: str) -> Actor:
        """Starts a chore in a task of its own."""
        return await self.stage.start(chore, self.chores()[chore]())
