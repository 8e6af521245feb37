"""Asks services of the same process, through the same encoding, limits and errors as NATS."""

from collections.abc import Sequence
from datetime import datetime

from scops.common.contract import wire
from scops.common.query.answering import answer
from scops.common.query.deadline import TimeLimit, earliest, wall_limit
from scops.common.query.nats_client import nobody_answers
from scops.common.query.ports import QueryMethod, Request, Response
from scops.common.runtime.clock import Clock
from scops.common.runtime.service import QueryBinding


class LocalQueryClient:
    """The `QueryClient` port over bindings.

    Args:
        limit: how time is limited; the simulation, which has its own time, passes one that does
            not look at the event loop's.
    """

    def __init__(
        self, bindings: Sequence[QueryBinding], *, clock: Clock, limit: TimeLimit = wall_limit
    ) -> None:
        self._bindings = {binding.method.subject: binding for binding in bindings}
        self._clock = clock
        self._limit = limit

    def add(self, bindings: Sequence[QueryBinding]) -> None:
        """Adds the questions of a service; services that ask each other are built in turn."""
        self._bindings.update({binding.method.subject: binding for binding in bindings})

    async def call(
        self, method: QueryMethod[Request, Response], request: Request, *, deadline: datetime
    ) -> Response:
        binding = self._bindings.get(method.subject)
        if binding is None:
            raise nobody_answers(method.role, method.subject)
        data = await answer(
            binding,
            wire.encode(request),
            earliest(deadline),
            clock=self._clock,
            limit=self._limit,
        )
        return wire.decode(method.response, data)
