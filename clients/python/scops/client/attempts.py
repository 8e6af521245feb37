"""When a call that failed is made again: the policy that docs/api/python.md publishes."""

import random
from collections.abc import Callable, Generator
from typing import Any

from scops.client.calls import Attempt, Call, Pause, Renewal
from scops.client.errors import Exhausted, NotAuthenticated, ScopsError, Unavailable

ATTEMPTS_MAX = 5
FIRST_PAUSE_SECONDS = 0.2
PAUSE_GROWTH = 2.0
PAUSE_SECONDS_MAX = 10.0
# The gateway serves no call longer; a longer time is for all attempts together.
ATTEMPT_SECONDS_MAX = 60.0


def attempts(
    call: Call,
    request: Any,
    *,
    is_harmless: bool,
    seconds: float,
    clock: Callable[[], float],
    chance: random.Random,
) -> Generator[Attempt | Pause | Renewal, Any, Any]:
    """Makes a call until it is answered, and returns the response.

    Args:
        request: its message.
        is_harmless: whether it may be done twice.
        seconds: for all attempts and the pauses between them.
        clock: tells seconds that never go back.
        chance: spreads the pauses of many clients.

    Raises:
        ScopsError: the last attempt failed, or no other one can help.
    """
    limit, has_renewed = clock() + seconds, False
    for number in range(1, ATTEMPTS_MAX + 1):
        left = max(limit - clock(), 0.0)
        try:
            return (yield Attempt(call, request, min(left, ATTEMPT_SECONDS_MAX)))
        except NotAuthenticated:
            if has_renewed or number == ATTEMPTS_MAX or not (yield Renewal()):
                raise
            has_renewed = True
        except (Exhausted, Unavailable) as error:
            pause = pause_seconds(error, number, chance)
            over = number == ATTEMPTS_MAX or clock() + pause >= limit
            if over or not _may_repeat(error, is_harmless):
                raise
            yield Pause(pause)
    raise AssertionError("the last attempt returns or raises")


def _may_repeat(error: ScopsError, is_harmless: bool) -> bool:
    if isinstance(error, Exhausted):
        # Refused before anything was done; without a time, waiting does not help.
        return error.retry_after is not None
    return is_harmless


def pause_seconds(error: ScopsError, number: int, chance: random.Random) -> float:
    """Returns the seconds before the next attempt: what was said, or more with every attempt."""
    grown = FIRST_PAUSE_SECONDS * PAUSE_GROWTH ** (number - 1) * chance.uniform(0.5, 1.5)
    return max(error.retry_after or 0.0, min(grown, PAUSE_SECONDS_MAX))
