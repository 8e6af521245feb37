"""How a stream is read, and when it is opened again: as docs/api/python.md publishes it."""

import random
from collections.abc import Callable
from typing import Any

from scops.client.attempts import ATTEMPTS_MAX, pause_seconds
from scops.client.calls import Call, Coming, Opening, Part, Pause, Renewal, Streaming, StreamPlan
from scops.client.errors import Exhausted, NotAuthenticated, Unavailable


def parts(
    streaming: Streaming[Any],
    request_of: Callable[[Call], Any],
    *,
    seconds: float | None,
    clock: Callable[[], float],
    chance: random.Random,
) -> StreamPlan:
    """Reads a stream; one that lasts is opened again where it breaks off.

    Any other is opened again only while nothing of it was told.

    Args:
        request_of: makes the request of a call.
        seconds: for all of it; None for no end.
        clock: tells seconds that never go back.
        chance: spreads the pauses of many clients.

    Raises:
        ScopsError: it cannot be opened, or not again.
    """
    call, limit = streaming.call, None if seconds is None else clock() + seconds
    failures, has_renewed, has_told, told = 0, False, False, None
    while True:
        left = None if limit is None else max(limit - clock(), 0.0)
        try:
            yield Opening(call, request_of(call), left)
            while (message := (yield Coming())) is not None:
                failures = 0
                if streaming.cursor:
                    cursor = getattr(message, streaming.cursor)
                    fields = {**streaming.call.fields, streaming.cursor: cursor}
                    call = Call(call.service, call.method, fields, call.is_harmless)
                item = streaming.read(message)
                # Opened again, a stream may begin with what was told before.
                if streaming.is_told(item) and item != told:
                    has_told, told = True, item
                    yield Part(item)
            return
        except NotAuthenticated:
            if has_renewed or (has_told and not streaming.lasts) or not (yield Renewal()):
                raise
            has_renewed = True
        except (Exhausted, Unavailable) as error:
            failures += 1
            if failures == ATTEMPTS_MAX or (has_told and not streaming.lasts):
                raise
            if isinstance(error, Exhausted) and error.retry_after is None:
                raise
            yield Pause(pause_seconds(error, failures, chance))
