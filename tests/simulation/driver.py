"""Drives a world: at random with mischief, or calmly to the end."""

from contextlib import suppress
from datetime import datetime, timedelta

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import JobId
from scops.common.contract.service_table import Role
from tests.fakes.fetcher_steps import FetchStep, StepKind
from tests.simulation.bus import Stored
from tests.simulation.invariants import Invariants
from tests.simulation.site import HOSTS
from tests.simulation.stage import Actor
from tests.simulation.world import WORKERS, World, prefix

ACTORS_MAX = 6
CHORES = {
    "sweep": "indexer:sweep",
    "lost": "fetcher:lost",
    "recrawl": "fetcher:recrawl",
    "ledger": "gateway:ledger",
}
STORES = ("archive", "store", "fetcher", "change", "index", "gateway", "publish")
# Services that answer no question.
QUESTIONS = "ask"
CALM_STEPS_MAX = 30_000
JOBS_MAX = 1_000
# What happens besides messages, chores and calls; the first ones more often.
MISCHIEF = (
    *("crash", "change") * 4,
    *("kill", "search", "sweep", "lost", "recrawl", "wish", "late") * 2,
    *("loop", "loop", "refuse", "relent", "relent", "answer", "skew", "durable", "bus"),
    *("question", "question", "ledger"),
)
LOSSES = ("durable", "bus")
SKEWS_SECONDS = (-86_400.0, -75.0, 0.0, 75.0, 3_600.0, 86_400.0)
LATE_SECONDS = (5.0, 40.0, 40.0, 700.0)
# Longer than versions are kept where that is a day; longer than any request may last.
DAY_SECONDS = 90_000.0
# Each makes a job, and every step looks at every job.
RECRAWLS_MAX = 3
# While nothing else happens, time jumps at most this far.
JUMP_SECONDS = 900.0


class Driver:
    """Chooses what happens next.

    Args:
        mischief: probability that a step is one of mischief: a crash, a change, a new wish.
        loses: whether messages get lost; not where whoever sends them again is out of this world.
    """

    def __init__(self, world: World, *, mischief: float = 0.0, loses: bool = True) -> None:
        self.world = world
        self.invariants = Invariants(world)
        self.mischief = mischief
        self._kinds = [kind for kind in MISCHIEF if loses or kind not in LOSSES]
        self._recrawls = 0
        self._rng = world.rng
        self._idle_until: datetime | None = None
        self._frontier_moved = True
        self._outbox_moved = True
        self._verified_moved = True

    # -- one step ----------------------------------------------------------------------------

    async def step(self) -> None:
        """Lets one thing happen, then checks the invariants that it may have broken."""
        self.world.clock.advance(self._rng.choice((0.0, 0.001, 0.02, 0.4)))
        if self._rng.random() < self.mischief:
            await self._make_mischief()
            return
        actor = await self._work()
        if actor is None:
            await self._jump()
            return
        await self.invariants.after(actor.effect if actor.gate else "")
        self._note(actor)

    async def _work(self) -> Actor | None:
        stage = self.world.stage
        due = [
            stored
            for stored in self.world.bus.deliverable()
            if self.world.pause_of(stored).gate.is_open
        ]
        if stage.actors and (self._rng.random() < 0.8 or len(stage.actors) >= ACTORS_MAX):
            actor = self._rng.choice(stage.actors)
            await stage.resume(actor)
            return actor
        if due:
            return await self.world.deliver(self._rng.choice(due))
        chore = self._chore()
        if chore:
            return await self.world.start(chore)
        if stage.actors:
            actor = self._rng.choice(stage.actors)
            await stage.resume(actor)
            return actor
        return None

    def _chore(self) -> str | None:
        """Returns a chore that may find work; idle looks cost time and find nothing."""
        running = {actor.name for actor in self.world.stage.actors}
        if self.world.commands_wait and "gateway:relay" not in running:
            self.world.commands_wait = False
            return "gateway:relay"
        if self._outbox_moved and "fetcher:relay" not in running:
            self._outbox_moved = False
            return "fetcher:relay"
        now = self.world.clock.now()
        due = self._idle_until is not None and self._idle_until <= now
        workers = sum(1 for name in running if name == "fetcher:worker")
        if workers < 2 and (due or self._frontier_moved):
            self._frontier_moved = False
            self._idle_until = None
            return "fetcher:worker"
        # Last, so that several pages that are as they were leave in one message.
        if self._verified_moved and "fetcher:verified" not in running:
            self._verified_moved = False
            return "fetcher:verified"
        return None

    def _note(self, actor: Actor) -> None:
        """Learns from what an actor did where there may be work now."""
        if actor.name == "gateway:ledger":
            self.world.commands_wait = True
        if actor.effect == "fetcher.commit" and actor.name != "fetcher:relay":
            self._outbox_moved = True
            self._frontier_moved |= actor.name not in {"fetcher:worker", "fetcher:verified"}
        task = actor.task
        if actor.name == "fetcher:verified" and task is not None and task.done():
            # It was refused, or there may be more.
            self._verified_moved |= actor.crashed or bool(task.exception() or task.result())
        if actor.name != "fetcher:worker" or task is None or not task.done() or actor.crashed:
            return
        self._verified_moved = True
        step = None if task.exception() else task.result()
        if isinstance(step, FetchStep) and step.kind is StepKind.IDLE:
            self._idle_until = step.next_time
        else:
            self._frontier_moved = True

    async def _jump(self) -> None:
        """Moves time to the next thing that is due."""
        now = self.world.clock.now()
        times = [time for time in (self.world.bus.next_due(), self._idle_until) if time]
        later = [time for time in times if time > now]
        target = min(later, default=now + timedelta(seconds=JUMP_SECONDS))
        self.world.clock.advance((target - now).total_seconds())
        await self.world.follow_time()
        self._frontier_moved = True

    def look_again(self) -> None:
        """Has every chore looked at: something was done beside the driver."""
        self._outbox_moved = self._frontier_moved = self.world.commands_wait = True
        self._verified_moved = True

    # -- mischief ----------------------------------------------------------------------------

    async def _make_mischief(self) -> None:
        world = self.world
        kind = self._rng.choice(self._kinds)
        world.stage.trace.append(f"mischief {kind}")
        if kind == "crash" and world.stage.actors:
            await world.stage.crash(self._rng.choice(world.stage.actors))
        elif kind == "kill":
            await self.kill(self._rng.choice(WORKERS))
        elif kind == "change":
            world.stage.trace.append(world.site.mutate())
        elif kind == "search":
            await world.stage.start("search", self._search())
        elif kind == "answer":
            await world.stage.start("answer", self._answer())
        elif kind == "question":
            await self.ask()
        elif kind in CHORES and (kind != "recrawl" or self._recrawls < RECRAWLS_MAX):
            self._recrawls += kind == "recrawl"
            await world.start(CHORES[kind])
        elif kind == "late":
            asking = any(actor.name == "fetcher:worker" for actor in world.stage.actors)
            choices = LATE_SECONDS if asking else (*LATE_SECONDS, DAY_SECONDS)
            world.clock.advance(self._rng.choice(choices))
            await world.follow_time()
        elif kind == "wish" and len(world.jobs) < 5:
            await self._wish()
        else:
            await self._disturb(kind)
        self.look_again()

    async def _disturb(self, kind: str) -> None:
        """Stores refuse, clocks are set wrong, the bus forgets, and loops come round."""
        world = self.world
        if kind == "loop":
            await world.start(self._rng.choice(["fetcher:housekeeping", *sorted(world.loops)]))
        elif kind == "answer":
            await world.stage.start("answer", self._answer())
        elif kind == "refuse":
            world.stage.refusing.add(self._rng.choice((*STORES, QUESTIONS)))
        elif kind == "relent":
            world.stage.refusing.clear()
        elif kind == "skew":
            clock = self._rng.choice(world.clocks)
            clock.ahead = timedelta(seconds=self._rng.choice(SKEWS_SECONDS))
        elif kind == "durable" and world.bus.owed:
            world.bus.delete_durable(self._rng.choice(world.bus.owed).durable)
        elif kind == "bus":
            world.bus.lose_everything()

    async def _wish(self) -> None:
        world = self.world
        kind = self._rng.choice(("crawl", "crawl", "fetch", "cancel", "rule", "fail", "poison"))
        url = self._rng.choice(sorted(world.site.pages))
        if kind == "crawl":
            await world.crawl()
        elif kind == "fetch":
            # One that the scope does not hold any more is refused at once.
            with suppress(InvalidInput):
                await world.fetch(url)
        elif kind == "cancel" and world.jobs:
            await world.cancel(self._rng.choice(world.jobs))
        elif kind == "rule":
            hosts = [prefix(host.removeprefix("http://")) for host in HOSTS]
            narrowed = prefix("a.example/deep", exclude=True)
            world.scope(*hosts, *([narrowed] if self._rng.random() < 0.5 else []))
            await world.follow_scope()
        elif kind == "fail":
            world.parser.failing.add(url)
        elif kind == "poison" and url not in [f"{host}/" for host in HOSTS]:
            world.site.pages[url].poison = True

    async def _search(self) -> None:
        self.invariants.searched(await self.world.search("the value of one"))

    async def _answer(self) -> None:
        answer = await self.world.answer("What is the value of one?")
        await self.invariants.answered_inside(answer)

    async def ask(self) -> None:
        """Begins a question at the gateway, in a task of its own."""
        await self.world.follow_scope()
        await self.world.stage.start("gateway:question", self._question())

    async def _question(self) -> None:
        asked = await self.world.ask_gateway(answers=self._rng.random() < 0.5)
        await self.invariants.served(asked)

    async def kill(self, role: Role) -> None:
        """Ends a whole process: its tasks, and what it kept in memory."""
        doomed = [actor for actor in self.world.stage.actors if actor.name.startswith(role.value)]
        for actor in doomed:
            await self.world.stage.crash(actor)
        await self.world.boot(role)

    # -- calm --------------------------------------------------------------------------------

    async def calm(self) -> None:
        """Goes on without mischief until nothing is left to do.

        Raises:
            AssertionError: it does not end.
        """
        mischief, self.mischief = self.mischief, 0.0
        self.world.stage.refusing.clear()
        self.look_again()
        for _ in range(CALM_STEPS_MAX):
            if not self._at_rest():
                await self.step()
            elif not await self._unended():
                self.mischief = mischief
                return
            else:
                await self._jump()
                for chore in ("fetcher:revisits", "fetcher:lost"):
                    await self.world.stage.finish(await self.world.start(chore))
                self._outbox_moved = True
        raise AssertionError(f"no end: {self.world.bus.owed[:3]} {await self._unended()}")

    def _at_rest(self) -> bool:
        moved = self._outbox_moved or self._frontier_moved or self.world.commands_wait
        moved = moved or self._verified_moved
        return not (moved or self.world.stage.actors or self.world.bus.owed)

    async def _unended(self) -> list[str]:
        front = self.world.front
        await front.compare()
        open_jobs = await front.ports.jobs.open_jobs(after=JobId(""), limit=JOBS_MAX)
        # Commands may have been sent again.
        self.world.commands_wait = bool(open_jobs)
        # Those of the recrawl as well, which nobody in the world has asked for.
        jobs = await self.world.fetcher.catalogue.jobs(())
        running = [job.job_id for job in jobs if job.state == "running"]
        return [*(job.job_id for job in open_jobs), *running]

    async def until_durable_is_owed(self, durable: str) -> Stored:
        """Works calmly until a durable has something to deliver, and returns it."""
        for _ in range(CALM_STEPS_MAX):
            found = [stored for stored in self.world.bus.owed if stored.durable == durable]
            if found:
                return found[0]
            await self.step()
        raise AssertionError(f"nothing ever came for {durable}")
