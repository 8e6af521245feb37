"""Where the questions of one role are answered in a process: some at once, some waiting.

Questions come to it over the bus, and from services of the same process without the bus.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from scops.common.access.bearing import ASSERTED, bearing
from scops.common.contract.errors import InvalidInput, ScopsError, TransientError
from scops.common.contract.organisations import MAIN, check_mine
from scops.common.observe.log import bound_ids, get_logger
from scops.common.observe.trail import following, trail_of
from scops.common.query import codec
from scops.common.query.answering import answer
from scops.common.query.deadline import wall_limit
from scops.common.runtime.clock import Clock
from scops.common.runtime.service import QueryBinding

log = get_logger(__name__)
# Questions that one role answers at once in one process.
CONCURRENCY = 16
# Questions that may wait for a free slot; further ones are told to come back.
WAITING_PER_SLOT = 8

Result = TypeVar("Result")


class Desk:
    """Answers the questions of one role.

    Args:
        concurrency: questions answered at once; eight times as many may wait.
        organisation_id: whose questions it answers; it refuses those of others.
    """

    def __init__(
        self,
        bindings: Sequence[QueryBinding],
        *,
        clock: Clock,
        concurrency: int = CONCURRENCY,
        organisation_id: str = MAIN,
    ) -> None:
        self.bindings = {binding.method.subject: binding for binding in bindings}
        self._clock = clock
        self._organisation_id = organisation_id
        self._slots = asyncio.Semaphore(concurrency)
        self._admitted_max = concurrency * (1 + WAITING_PER_SLOT)
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def is_full(self) -> bool:
        """Whether no further question may wait here."""
        return len(self._tasks) >= self._admitted_max

    def begin(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """Begins work on a question in a task of its own, which goes on if nobody awaits it."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def answer(
        self, subject: str, headers: Mapping[str, str], data: bytes, *, has_room: bool = True
    ) -> bytes:
        """Returns the encoded answer, when its turn has come.

        Args:
            has_room: whether there was room when the question arrived; without it, it is refused.

        Raises:
            ScopsError: what the role raised, that the question is malformed or another
                organisation's, that there was no room, or that its deadline passed; nothing else.
        """
        with (
            following(trail_of(headers)),
            bearing(headers.get(ASSERTED, "")),
            bound_ids(organisation=headers.get(codec.ORGANISATION, ""), method=subject),
        ):
            try:
                if not has_room:
                    raise _overloaded(self.bindings[subject])
                said = headers.get(codec.ORGANISATION, "")
                check_mine(said, organisation_id=self._organisation_id, what="The question")
                deadline = codec.read_deadline(headers)
                async with self._slots:
                    return await answer(
                        self.bindings[subject], data, deadline, clock=self._clock, limit=wall_limit
                    )
            except ScopsError as error:
                _log_error(error)
                raise

    async def close(self, *, timeout_seconds: float) -> None:
        """Waits for the questions in progress, then cancels them."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=timeout_seconds)
            for task in late:
                task.cancel()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        # Who asked may have stopped waiting: nobody else looks at what became of it.
        if not task.cancelled():
            task.exception()


# The desks of a process, by the subject of their questions.
NearDesks = dict[str, Desk]


def _log_error(error: ScopsError) -> None:
    if not isinstance(error, InvalidInput):
        log.warning("question_refused", reason=error.reason, error=str(error))


def _overloaded(binding: QueryBinding) -> TransientError:
    return TransientError(
        f"The {binding.method.role} has too many questions waiting. Ask again shortly.",
        reason="OVERLOADED",
        retry_after_seconds=1.0,
    )
