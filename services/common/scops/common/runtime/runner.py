"""Brings services to life in one process, keeps them so, and ends them without losing acks.

    new ──▶ starting ──▶ running ──▶ stopping ──▶ terminated
                │           │           │
                └───────────┴───────────┴──────▶ failed

Start: open every service and watch the scopes; questions, loops and consumers start only when
every readiness check has passed once, so that nothing is handled on an old schema or without a
store. Run: while a check fails, no message is pulled, and the loops of the services that the check
concerns take no step.
Stop: consumers pull nothing more and services take on nothing new, what is in hand is finished
within the graceful timeout, then questions and loops end, then the services close.
"""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import nullcontext
from enum import StrEnum
from functools import partial

from scops.common.bus.admin.durability import durability_check
from scops.common.bus.admin.watchdog import Watchdog
from scops.common.bus.consume.broker import BusConsumers
from scops.common.bus.consume.lag import LagGauges
from scops.common.bus.consume.store_pause import note_refusal
from scops.common.bus.nats_bus import NatsBus
from scops.common.contract.errors import ScopsError
from scops.common.contract.ids import monotonic_seconds
from scops.common.observe.log import get_logger
from scops.common.observe.metrics import CHECK_PASSING, LOOP_RESTARTS, READY
from scops.common.query.desk import Desk
from scops.common.query.nats_server import NatsQueryServer
from scops.common.runtime.clock import Clock
from scops.common.runtime.platform import Platform
from scops.common.runtime.prompt_loop import patiently
from scops.common.runtime.service import Loop, ReadinessCheck, Service
from scops.common.runtime.tasks import cancel_all
from scops.common.scope.projection import ScopeWatch

log = get_logger(__name__)
LOOP_DELAY_FIRST_SECONDS = 0.5
LOOP_DELAY_SECONDS_MAX = 30.0
# A loop that ran this long before it failed starts again without a longer delay.
LOOP_SOUND_SECONDS = 60.0
READY_POLL_SECONDS = 0.05
READY_TELL_SECONDS = 0.5
READY_POLL_SECONDS_MAX = 5.0
PROBE_TIMEOUT_SECONDS = 5.0
# What holds up the end longer than this is left behind.
CLOSE_SECONDS_MAX = 10.0
SCOPES_CHECK = "scopes"
CLOSED = "The connection to the bus is closed for good: check SCOPS_NATS_USER and its password"
# Between two looks at streams, durables and readiness; not less where handlers fail often.
LOOK_SECONDS = 10.0
LOOK_SECONDS_MIN = 1.0


class State(StrEnum):
    """The life cycle of a process."""

    NEW = "new"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    TERMINATED = "terminated"
    FAILED = "failed"


class Runner:
    """Runs some services on a platform and a connected bus, both of which it does not close."""

    def __init__(self, services: Sequence[Service], platform: Platform, bus: NatsBus) -> None:
        self._services = services
        self._platform = platform
        self._bus = bus
        self._common = platform.common
        self._clock: Clock = platform.clock
        self._consumers = BusConsumers(
            bus.address.url,
            [service.router for service in services if service.router is not None],
            common=self._common,
            publisher=platform.publisher,
            clock=self._clock,
            on_retried=lambda: self._look.set(),
        )
        self._watchdog = Watchdog(
            bus.jetstream,
            self._consumers.durables,
            [service.role for service in services],
            common=self._common,
            on_present=self._consumers.admit,
        )
        self._lag = LagGauges(bus.jetstream, self._consumers.durables, clock=self._clock)
        self._scopes = ScopeWatch(
            bus.client,
            bus.jetstream,
            platform.scope_book,
            organisation_id=self._common.organisation_id,
        )
        self._servers: list[NatsQueryServer] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._opened: list[Service] = []
        # Set when something failed that a check may explain.
        self._look = asyncio.Event()
        self._checks = self._all_checks()
        self.state = State.NEW

    async def start(self) -> None:
        """Opens everything; the work begins in the background once all checks pass.

        Raises:
            ScopsError: a service cannot be opened, or the bus does not answer.
        """
        self.state = State.STARTING
        try:
            for service in self._services:
                await service.open()
                self._opened.append(service)
            await self._consumers.start()
            tasks = [task for service in self._services for task in service.child_tasks]
            self._platform.children.warm(tasks)
        except BaseException:
            self.state = State.FAILED
            raise
        every = partial(Loop.every, LOOK_SECONDS, pause=self._clock.sleep)
        self._background(Loop(name="scopes", run=self._scopes.run))
        self._background(every(self._lag.show, name="lag"))
        self._background(every(self._note_readiness, name="readiness"))
        self._background(Loop(name="life", run=self._live))
        for loop in self._platform.loops:
            self._background(loop)

    async def until_running(self) -> None:
        """Waits until every check has passed and consumers have started."""
        while self.state is State.STARTING:
            await self._clock.sleep(READY_POLL_SECONDS)

    async def stop(self) -> None:
        """Stops everything in order; what is in hand gets the graceful timeout."""
        self.state = State.STOPPING
        READY.set(0)
        limit = monotonic_seconds() + self._common.graceful_timeout_seconds
        await self._cancel_tasks("life")
        await asyncio.gather(
            self._consumers.drain(timeout_seconds=self._common.graceful_timeout_seconds),
            *(self._finish(service) for service in self._opened),
        )
        # Later services ask earlier ones.
        for server in reversed(self._servers):
            await server.stop(timeout_seconds=max(limit - monotonic_seconds(), READY_POLL_SECONDS))
        await self._cancel_tasks()
        await _bounded(self._consumers.stop(), what="consumers")
        for service in reversed(self._opened):
            await _bounded(service.close(), what=service.role.value)
        self._opened.clear()
        self.state = State.TERMINATED

    async def alive(self) -> dict[str, str]:
        """Returns what only a restart cures."""
        if self.state is State.FAILED:
            return {"state": "The start failed"}
        if self._bus.client.is_closed or self._consumers.is_closed:
            return {"bus": CLOSED}
        return {}

    async def ready(self) -> dict[str, str]:
        """Returns every problem that keeps this process from its work."""
        problems = await self.failing_checks()
        if missing := await self._watchdog.problem():
            problems["durables"] = missing
        if full := self._bus.publisher.problem():
            problems["room"] = full
        if self.state is not State.RUNNING:
            problems["state"] = f"The process is {self.state}"
        READY.set(0 if problems else 1)
        for name in {check.name for check in self._checks} | {"durables"}:
            CHECK_PASSING.labels(name).set(0 if name in problems else 1)
        return problems

    async def failing_checks(self) -> dict[str, str]:
        """Returns the readiness checks that do not pass, with what is missing."""
        found = {check.name: await _probe(check) for check in self._checks}
        return {name: problem for name, problem in found.items() if problem is not None}

    def _all_checks(self) -> list[ReadinessCheck]:
        own = [
            ReadinessCheck(name="bus", probe=self._bus.problem),
            ReadinessCheck(name=SCOPES_CHECK, probe=self._scopes.problem),
        ]
        if self._bus.address.monitor_url:
            own.append(
                durability_check(
                    self._bus.address.monitor_url,
                    connections=lambda: int(self._bus.client.stats["reconnects"]),
                    trusted=self._bus.trusted,
                )
            )
        shared = self._platform.checks
        return [*own, *shared, *(check for service in self._services for check in service.checks)]

    async def _start_servers(self) -> None:
        for service in self._services:
            desk = Desk(
                service.queries,
                clock=self._clock,
                organisation_id=self._common.organisation_id,
            )
            server = NatsQueryServer(self._bus.client, desk, near=self._bus.near)
            await server.start()
            self._servers.append(server)

    async def _live(self) -> None:
        """Begins once all checks pass, then holds back the work whenever one does not.

        Each turn says anew whether there is work: one that failed half-way leaves nothing shut.
        """
        if self.state is State.STARTING:
            await self._until_ready()
            await self._watchdog.check()
            await self._begin()
        while True:
            if problems := await self._obstacles():
                log.warning("consumers_paused", problems=problems)
                self._consumers.pause()
                await self._until_ready()
                log.info("consumers_resumed")
            self._hold_loops({})
            self._consumers.resume()
            await self._next_look()
            await self._watchdog.check()

    def _hold_loops(self, problems: Mapping[str, str]) -> None:
        """Shuts the gates of the loops that a problem concerns, and opens the others."""
        own = {check.name for service in self._services for check in service.checks}
        # Without scopes the loops that need them wait by themselves; one brings them back.
        shared = problems.keys() - own - {SCOPES_CHECK}
        for service in self._services:
            is_held = shared or not problems.keys().isdisjoint(c.name for c in service.checks)
            for loop in service.loops:
                if is_held and not loop.runs_unready:
                    loop.gate.shut()
                else:
                    loop.gate.open()

    async def _note_readiness(self) -> None:
        """Keeps the metrics of readiness true where nobody asks for /readyz."""
        await self.ready()

    async def _begin(self) -> None:
        await self._start_servers()
        for service in self._services:
            for loop in service.loops:
                with nullcontext() if loop.is_prompt else patiently():
                    self._background(loop, service.role.value)
        self.state = State.RUNNING
        log.info("running", roles=[service.role.value for service in self._services])

    async def _next_look(self) -> None:
        """Waits for the interval to pass; not that long where a handler has just failed."""
        self._look.clear()
        await self._clock.sleep(min(LOOK_SECONDS_MIN, LOOK_SECONDS))
        try:
            async with asyncio.timeout(LOOK_SECONDS - LOOK_SECONDS_MIN):
                await self._look.wait()
        except TimeoutError:
            return

    async def _until_ready(self) -> None:
        """Waits, with growing delays, until nothing stands in the way of handling messages."""
        delay = READY_POLL_SECONDS
        logged: dict[str, str] = {}
        while problems := await self._obstacles():
            self._hold_loops(problems)
            # The first moments of a start are no news.
            if problems != logged and delay > READY_TELL_SECONDS:
                log.warning("not_ready", problems=problems)
                logged = problems
            await self._clock.sleep(delay)
            delay = min(delay * 1.5, READY_POLL_SECONDS_MAX)
            if self.state is State.RUNNING:
                await self._watchdog.check()

    async def _obstacles(self) -> dict[str, str]:
        """Returns why a message should not be handled now: it would fail for the same reason."""
        problems = await self.failing_checks()
        if self.state is State.RUNNING and not self._watchdog.may_publish:
            problems["streams"] = await self._watchdog.problem() or ""
        return problems

    def _background(self, loop: Loop, role: str = "common") -> None:
        self._tasks.append(asyncio.create_task(self._keep_running(loop, role), name=loop.name))

    async def _keep_running(self, loop: Loop, role: str) -> None:
        delay = LOOP_DELAY_FIRST_SECONDS
        while True:
            started = self._clock.now()
            try:
                await loop.run()
                if self.state is State.STOPPING:
                    return
                log.warning("loop_ended", loop=loop.name, role=role)
            except ScopsError as error:
                note_refusal(error)
                log.warning("loop_failed", loop=loop.name, role=role, error=str(error))
            except Exception as error:
                # The edge of the process: a bug in one loop must not take the others with it.
                log.exception("loop_failed", loop=loop.name, role=role, error=repr(error))
            LOOP_RESTARTS.labels(role, loop.name).inc()
            if (self._clock.now() - started).total_seconds() > LOOP_SOUND_SECONDS:
                delay = LOOP_DELAY_FIRST_SECONDS
            await self._clock.sleep(delay)
            delay = min(delay * 2, LOOP_DELAY_SECONDS_MAX)

    async def _finish(self, service: Service) -> None:
        try:
            async with asyncio.timeout(self._common.graceful_timeout_seconds):
                await service.finish()
        except TimeoutError:
            log.warning("work_not_finished", role=service.role.value)
        except Exception as error:
            # The others finish all the same.
            log.exception("finish_failed", role=service.role.value, error=repr(error))

    async def _cancel_tasks(self, name: str | None = None) -> None:
        chosen = [task for task in self._tasks if name is None or task.get_name() == name]
        await cancel_all(chosen)
        self._tasks = [task for task in self._tasks if task not in chosen]


async def _probe(check: ReadinessCheck) -> str | None:
    """Returns what a check finds; one that fails or hangs is a problem of its own."""
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_SECONDS):
            return await check.probe()
    except TimeoutError:
        return f"The check did not end within {PROBE_TIMEOUT_SECONDS:.0f} s"
    except ScopsError as error:
        note_refusal(error)
        return str(error)
    except Exception as error:
        # A check that is broken is a problem to be shown, not the end of the health server.
        log.exception("check_failed", check=check.name)
        return f"The check failed: {error!r}"


async def _bounded(closing: Awaitable[None], *, what: str) -> None:
    """Closes something; the others close all the same, whatever comes of it."""
    try:
        async with asyncio.timeout(CLOSE_SECONDS_MAX):
            await closing
    except Exception as error:
        log.exception("close_failed", part=what, error=repr(error))
