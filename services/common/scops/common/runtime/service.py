"""The service record: what a role is made of, as data that one runner brings to life."""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from scops.common.bus.ports import Cause, Handler
from scops.common.contract.ids import monotonic_seconds
from scops.common.contract.service_table import Role
from scops.common.processes.tasks import ChildTask
from scops.common.processes.turns import Turns, working_for
from scops.common.query.ports import QueryMethod
from scops.common.runtime.gate import Gate
from scops.common.scope.urls import host_key

# What a router's table of messages names: called with (message, cause, ports=ports).
Handle = Callable[..., Awaitable[Sequence[Any]]]
# What a router's table of questions names: called with (request, ports=ports).
Answer = Callable[..., Awaitable[Any]]
# A write that a check has made is proof for so long; object stores charge for each.
WRITES_SECONDS = 20.0
# Messages that wait for a turn of their site, beside those that are handled: a site that has more
# on their way than this delays others. Each is a few hundred bytes; bodies and texts are blobs.
WAITING_MAX = 60
QUICK_TIMES = 2
# What a loop repeats; True, or a count above 0, asks for the next step at once.
Step = Callable[[], Awaitable[int | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A message that a service consumes, on both lanes.

    Attributes:
        concurrency: messages handled at once per lane in one process; where `fair`, twice as many
            of quick sites and half as many of costly ones.
        ack_wait_seconds: the server redelivers after this; the wrapper extends it by
            `in_progress` while the handler works.
        fair: messages about pages wait in hand for a turn of their site (`Turns`), not in the
            order of the stream.
    """

    message: type[Any]
    handler: Handler
    concurrency: int = 4
    ack_wait_seconds: int = 30
    fair: bool = False

    @property
    def slots(self) -> int:
        """Messages in hand at once per lane in one process, those that wait included."""
        return QUICK_TIMES * self.concurrency + WAITING_MAX if self.fair else self.concurrency

    def lane_handler(self) -> Handler:
        """Returns the handler of one lane, with turns of its own where they are fair."""
        if not self.fair:
            return self.handler
        turns = Turns(QUICK_TIMES * self.concurrency, costly_max=max(1, self.concurrency // 2))
        return partial(_in_turn, turns, self.handler)


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
        step: one round of a loop that repeats one, for whoever drives it by hand.
    """

    name: str
    run: Callable[[], Awaitable[None]]
    gate: Gate = field(default_factory=Gate)
    runs_unready: bool = False
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


def subscriptions(
    handlers: Mapping[type[Any], Handle],
    ports: Any,
    *,
    concurrency: int = 4,
    ack_wait_seconds: int = 30,
    fair: bool = False,
) -> tuple[Subscription, ...]:
    """Binds a router's table of messages to the ports of its service.

    Args:
        concurrency: see `Subscription`; of each message.
        ack_wait_seconds: see `Subscription`.
        fair: see `Subscription`; of the messages that are about a page.
    """
    return tuple(
        Subscription(
            message=message,
            handler=partial(handle, ports=ports),
            concurrency=concurrency,
            ack_wait_seconds=ack_wait_seconds,
            fair=fair,
        )
        for message, handle in handlers.items()
    )


def query_bindings(
    answers: Mapping[QueryMethod[Any, Any], Answer], ports: Any
) -> tuple[QueryBinding, ...]:
    """Binds a router's table of questions to the ports of its service."""
    return tuple(
        QueryBinding(method=method, answer=partial(answer, ports=ports))
        for method, answer in answers.items()
    )


async def _in_turn(turns: Turns, handler: Handler, message: Any, cause: Cause) -> Sequence[Any]:
    with working_for(_site_of(message)):
        async with turns.turn():
            return await handler(message, cause)


def _site_of(message: Any) -> str:
    """Returns what politeness counts the host of a message's page by; empty where it names none."""
    url = getattr(getattr(message, "verdict", message), "canonical_url", "")
    return host_key(url) if url else ""


async def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A role, ready to run.

    Attributes:
        child_tasks: what a child process of the platform imports when the service starts, so that
            no page or question waits for that.
        open: called before anything else; may raise what makes a start impossible.
        finish: called first at a stop: takes on nothing new and returns when what is in hand is
            done; cancelled at the graceful timeout. Loops that return meanwhile have ended.
        doors: returns where it can be reached once it is open, by protocol.
        close: called last, after loops and consumers have stopped; the bus is still there.
    """

    role: Role
    subscriptions: tuple[Subscription, ...] = ()
    queries: tuple[QueryBinding, ...] = ()
    loops: tuple[Loop, ...] = ()
    checks: tuple[ReadinessCheck, ...] = ()
    child_tasks: tuple[ChildTask, ...] = ()
    doors: Callable[[], Mapping[str, str]] = dict
    open: Callable[[], Awaitable[None]] = field(default=_nothing)
    finish: Callable[[], Awaitable[None]] = field(default=_nothing)
    close: Callable[[], Awaitable[None]] = field(default=_nothing)
