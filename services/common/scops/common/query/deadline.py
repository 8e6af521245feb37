"""The deadline of the question being answered; what it asks in turn must end before it."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from datetime import datetime

from scops.common.contract.errors import TransientError
from scops.common.runtime.clock import Clock

# Limits the time spent inside to some seconds by raising TimeoutError.
TimeLimit = Callable[[float], AbstractAsyncContextManager[object]]

answering_until: ContextVar[datetime | None] = ContextVar("answering_until", default=None)


def wall_limit(seconds: float) -> AbstractAsyncContextManager[object]:
    """Limits by the event loop's clock."""
    return asyncio.timeout(seconds)


def earliest(deadline: datetime) -> datetime:
    """Returns a deadline, or the one of the question being answered if that comes first."""
    outer = answering_until.get()
    return deadline if outer is None else min(deadline, outer)


def seconds_left(deadline: datetime, clock: Clock, *, asked: str) -> float:
    """Returns the seconds until a deadline; > 0.

    Raises:
        TransientError: it has passed.
    """
    left = (deadline - clock.now()).total_seconds()
    if left <= 0:
        raise deadline_exceeded(asked)
    return left


def deadline_exceeded(asked: str) -> TransientError:
    """Returns the error of a question that was not answered in time."""
    return TransientError(
        f"{asked} was not answered before its deadline. Ask again, with more time if you can.",
        reason="DEADLINE_EXCEEDED",
        asked=asked,
    )
