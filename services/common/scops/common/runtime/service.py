"""The service record: what a role is made of, as data that one runner brings to life."""

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from scops.common.bus.consume.router import ServiceRouter
from scops.common.contract.ids import monotonic_seconds
from scops.common.contract.service_table import Role
from scops.common.processes.tasks import ChildTask
from scops.common.query.ports import QueryMethod
from scops.common.runtime.gate import Gate

# What a router's table of questions names: called with (request, ports=ports).
Answer = Callable[..., Awaitable[Any]]
# A write that a check has made is proof for so long; object stores charge for each.
WRITES_SECONDS = 20.0
# What a loop repeats; True, or a count above 0, asks for the next step at once.
Step = Callable[[], Awaitable[int | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryBinding:
    """A question that a service answers; `answer` takes the request and gives the response."""

    method: QueryMethod[Any, Any]
    answer: Callable[[Any], Awaitable[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """Work without a message: runs until cancelled, and is started again after an error.

    Attributes:
        gate: shut while a check of its service, or one of the process, does not pass; whoever
            writes `run` passes it before each step.
        runs_unready: it goes on whatever the checks say, such as what tells of them.
        is_prompt: somebody waits for what it does; otherwise it is patient (`prompt_loop`).
        step: one round of a loop that repeats one, for whoever drives it by hand.
    """

    name: str
    run: Callable[[], Awaitable[None]]
    gate: Gate = field(default_factory=Gate)
    runs_unready: bool = False
    is_prompt: bool = False
    step: Step | None = None

    @classmethod
    def every(
        cls,
        seconds: float,
        step: Step,
        *,
        name: str,
        pause: Callable[[float], Awaitable[None]],
        waits_first: bool = False,
        runs_unready: bool = False,
    ) -> Self:
        """Returns a loop that repeats a step, and pauses after each that did not ask for more.

        Args:
            seconds: what `pause` is given.
            pause: `sleep` of a clock, or `wait` of a `Wakeup`.
            waits_first: whether a start begins with a pause.
            runs_unready: see `Loop`.
        """
        gate = Gate()

        async def run() -> None:
            if waits_first:
                await pause(seconds)
            while True:
                await gate.passed()
                if not await step():
                    await pause(seconds)

        return cls(name=name, run=run, gate=gate, runs_unready=runs_unready, step=step)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadinessCheck:
    """A readiness check: returns None when ready, else what is missing and what to do."""

    name: str
    probe: Callable[[], Awaitable[str | None]]


@dataclass(slots=True)
class Remembered:
    """A part of a check that is not asked again for a while after it has passed.

    One that fails is asked each time: what it is about may be mended at any moment.
    """

    seconds: float
    passed_until: float = -math.inf

    async def problem(self, probe: Callable[[], Awaitable[str | None]]) -> str | None:
        """Returns what a probe finds; None without a look where it has passed lately."""
        if monotonic_seconds() < self.passed_until:
            return None
        problem = await probe()
        if problem is None:
            self.passed_until = monotonic_seconds() + self.seconds
        return problem


def query_bindings(
    answers: Mapping[QueryMethod[Any, Any], Answer], ports: Any
) -> tuple[QueryBinding, ...]:
    """Binds a router's table of questions to the ports of its service."""
    return tuple(
        QueryBinding(method=method, answer=partial(answer, ports=ports))
        for method, answer in answers.items()
    )


async def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A role, ready to run.

    Attributes:
        router: what it consumes; None where that is nothing.
        child_tasks: what a child process of the platform imports when the service starts, so that
            no page or question waits for that.
        open: called before anything else; may raise what makes a start impossible.
        finish: called first at a stop: takes on nothing new and returns when what is in hand is
            done; cancelled at the graceful timeout. Loops that return meanwhile have ended.
        doors: returns where it can be reached once it is open, by protocol.
        close: called last, after loops and consumers have stopped; the bus is still there.
    """

    role: Role
    router: ServiceRouter | None = None
    queries: tuple[QueryBinding, ...] = ()
    loops: tuple[Loop, ...] = ()
    checks: tuple[ReadinessCheck, ...] = ()
    child_tasks: tuple[ChildTask, ...] = ()
    doors: Callable[[], Mapping[str, str]] = dict
    open: Callable[[], Awaitable[None]] = field(default=_nothing)
    finish: Callable[[], Awaitable[None]] = field(default=_nothing)
    close: Callable[[], Awaitable[None]] = field(default=_nothing)
