"""The service record: what a role is made of, as data that one runner brings to life."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from scops.common.bus.ports import Handler
from scops.common.contract.service_table import Role
from scops.common.query.ports import QueryMethod


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A message that a service consumes, on both lanes.

    Attributes:
        concurrency: messages handled at once per lane in one process.
        ack_wait_seconds: the server redelivers after this; the wrapper extends it by
            `in_progress` while the handler works.
    """

    message: type[Any]
    handler: Handler
    concurrency: int = 4
    ack_wait_seconds: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryBinding:
    """A question that a service answers; `answer` takes the request and gives the response."""

    method: QueryMethod[Any, Any]
    answer: Callable[[Any], Awaitable[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """Work without a message: runs until cancelled, and is started again after an error."""

    name: str
    run: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A readiness check: returns None when ready, else what is missing and what to do."""

    name: str
    probe: Callable[[], Awaitable[str | None]]


async def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A role, ready to run.

    Attributes:
        open: called before anything else; may raise what makes a start impossible.
        finish: called first at a stop: takes on nothing new and returns when what is in hand is
            done; cancelled at the graceful timeout. Loops that return meanwhile have ended.
        close: called last, after loops and consumers have stopped; the bus is still there.
    """

    role: Role
    subscriptions: tuple[Subscription, ...] = ()
    queries: tuple[QueryBinding, ...] = ()
    loops: tuple[Loop, ...] = ()
    checks: tuple[Check, ...] = ()
    open: Callable[[], Awaitable[None]] = field(default=_nothing)
    finish: Callable[[], Awaitable[None]] = field(default=_nothing)
    close: Callable[[], Awaitable[None]] = field(default=_nothing)
