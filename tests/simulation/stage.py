"""Runs tasks one at a time and stops each between any two of its effects.

An effect is whatever outlives a process: a commit, a put, a publish, an acknowledgement. The
ports of the simulated world await `Stage.effect` around each; the driver decides who goes on,
in which order, and who crashes there.
"""

import asyncio
import random
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from scops.common.contract.errors import StoreRefusal, StoreUnavailable


class Crash(BaseException):
    """The process of a task ended; nothing after this point of the task happens."""


@dataclass(eq=False)
class Actor:
    """A running task of one simulated process."""

    name: str
    task: asyncio.Task[Any] | None = None
    gate: asyncio.Future[None] | None = None
    effect: str = ""
    crashed: bool = False


@dataclass
class Stage:
    """The tasks in flight, and the trace of what happened.

    Attributes:
        refusing: stores that take nothing, among `STORES`.
    """

    rng: random.Random
    actors: list[Actor] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)
    # Stores that take and give nothing now: the first word of their effects.
    refusing: set[str] = field(default_factory=set)
    refusals: int = 0
    _moved: asyncio.Event = field(default_factory=asyncio.Event)
    _by_task: dict[asyncio.Task[Any], Actor] = field(default_factory=dict)

    async def effect(self, name: str) -> None:
        """Parks the calling task until the driver lets it go on, or crashes it."""
        task = asyncio.current_task()
        actor = self._by_task.get(task) if task else None
        if actor is None:
            return
        if actor.crashed:
            raise Crash(actor.name)
        actor.effect = name
        actor.gate = asyncio.get_running_loop().create_future()
        self._moved.set()
        await actor.gate
        self.refuse(name)

    def refuse(self, name: str) -> None:
        """Raises, in a task of the world, what an adapter does whose store refuses its work.

        Raises:
            StoreUnavailable: the store of this effect refuses.
        """
        store = name.replace(".", " ").partition(" ")[0]
        if store in self.refusing and asyncio.current_task() in self._by_task:
            self.refusals += 1
            raise StoreUnavailable(f"{store} refuses {name}.")

    async def start(self, name: str, work: Coroutine[Any, Any, Any]) -> Actor:
        """Starts a task and lets it run to its first effect."""
        actor = Actor(name)
        actor.task = asyncio.get_running_loop().create_task(work)
        self._by_task[actor.task] = actor
        actor.task.add_done_callback(lambda _: self._moved.set())
        self.actors.append(actor)
        self.trace.append(f"start {name}")
        await self._until_parked(actor)
        return actor

    async def resume(self, actor: Actor) -> None:
        """Lets a parked task run to its next effect or its end."""
        self.trace.append(f"{actor.name}: {actor.effect}")
        gate, actor.gate = actor.gate, None
        if gate is not None:
            gate.set_result(None)
        await self._until_parked(actor)

    async def crash(self, actor: Actor) -> None:
        """Ends a parked task where it stands."""
        self.trace.append(f"{actor.name}: CRASH at {actor.effect}")
        actor.crashed = True
        gate, actor.gate = actor.gate, None
        if gate is not None:
            gate.set_exception(Crash(actor.name))
        await self._until_parked(actor)

    async def finish(self, actor: Actor) -> None:
        """Lets one task run to its end, the others standing still."""
        while actor in self.actors:
            await self.resume(actor)

    def choose(self) -> Actor | None:
        """Picks a parked task at random."""
        return self.rng.choice(self.actors) if self.actors else None

    async def _until_parked(self, actor: Actor) -> None:
        assert actor.task is not None
        while actor.gate is None and not actor.task.done():
            self._moved.clear()
            await self._moved.wait()
        if actor.task.done():
            self.actors.remove(actor)
            del self._by_task[actor.task]
            self._raise_unexpected(actor)

    def _raise_unexpected(self, actor: Actor) -> None:
        assert actor.task is not None
        error = actor.task.exception()
        # Without a message it is a loop's, or a caller's: both try again later.
        if error is not None and not isinstance(error, Crash | StoreRefusal):
            raise error
