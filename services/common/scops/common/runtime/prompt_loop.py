"""An event loop on which whoever is waited for does not wait behind a crawl.

asyncio runs what is ready in the order in which it became so. A search takes dozens of steps, and
where a crawl has fifty of its own ready at any moment, each step waits for all of them. Here work
that nobody waits for is patient, as the tasks that it makes are: of it one step is run, then
everybody else's again, and what sockets have brought meanwhile.

While a thread works for somebody who is waited for, patient work stands aside for a moment: with
each row of SQLite and each product of matrices the thread gives the interpreter away, and would
wait for it.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar, TypeVarTuple

# Steps of others after which patient work has one, however many of theirs are ready.
PROMPT_STEPS_MAX = 64
# Patient work that has gone on for longer gives way where it can.
TURN_SECONDS = 0.002
# Patient work stands aside no longer, from the start of a thread's work and from its own last turn.
ASIDE_SECONDS = 0.02
STEPS = "_ready"
Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")
_patient: ContextVar[bool] = ContextVar("patient", default=False)


@contextmanager
def patiently() -> Iterator[None]:
    """Makes what is done inside patient, and the tasks that are made inside for good."""
    token = _patient.set(True)
    try:
        yield
    finally:
        _patient.reset(token)


def is_patient() -> bool:
    """Returns whether the running work is."""
    return _patient.get()


async def give_way() -> None:
    """Lets others go on where the running work is patient and has computed for a turn."""
    if not _patient.get():
        return
    loop = asyncio.get_running_loop()
    if isinstance(loop, PromptLoop) and time.monotonic() > loop.steps.turn_ends:
        await asyncio.sleep(0)


class PromptLoop(asyncio.SelectorEventLoop):
    """asyncio's own loop, but for whose turn it is.

    Attributes:
        steps: that may be run.

    `_ready` is where it keeps the steps that may be run, in every release so far; the loop adds to
    it, asks for its length once a round, and takes so many. There is no public place for an order
    of one's own.
    """

    def __init__(self) -> None:
        super().__init__()
        known = isinstance(getattr(self, STEPS, None), deque)
        assert known, "asyncio keeps its steps otherwise than is known"
        self.steps = ReadySteps(self)
        setattr(self, STEPS, self.steps)

    def _add_callback(self, handle: asyncio.Handle) -> None:
        """Takes what the selector tells of a socket, which is no patient step, whoever opened it.

        The selector tells of it in each round until the step has read the socket, and would add it
        again and again to the steps that wait.
        """
        if not handle.cancelled():
            self.steps.append_prompt(handle)

    def run_in_executor(
        self,
        executor: Executor | None,
        func: Callable[[*Arguments], Result],
        *args: *Arguments,
    ) -> asyncio.Future[Result]:
        """Has a thread do some work; patient work stands aside for it where it is not patient."""
        future = super().run_in_executor(executor, func, *args)
        if not _patient.get():
            self.steps.begin_apart()
            future.add_done_callback(self.steps.end_apart)
            # Wakes the loop when patient work has its turn again, whatever else happens.
            self.call_later(ASIDE_SECONDS, _nothing)
        return future


class ReadySteps:
    """Steps of a loop that may be run: in their order, the patient ones behind the others.

    Attributes:
        turn_ends: when the patient step that was taken last should give way, by the monotonic
            clock.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.turn_ends = 0.0
        self._prompt: deque[asyncio.Handle] = deque()
        self._patient: deque[asyncio.Handle] = deque()
        self._prompt_steps = 0
        self._apart = 0
        self._had_turn = time.monotonic()
        self._aside_until = 0.0
        self._no_step = asyncio.Handle(_nothing, (), loop)

    def __len__(self) -> int:
        """Returns how many are run before the loop looks at its sockets: one of the patient."""
        return len(self._prompt) + (bool(self._patient) and not self._stands_aside())

    def append(self, handle: asyncio.Handle) -> None:
        """Adds a step; it is as patient as the work that it goes on with."""
        # A handle keeps the context that it is run in.
        is_patient = handle._context.get(_patient, False)  # type: ignore[attr-defined]
        (self._patient if is_patient else self._prompt).append(handle)

    def append_prompt(self, handle: asyncio.Handle) -> None:
        """Adds a step that does not wait, whatever work it goes on with."""
        self._prompt.append(handle)

    def popleft(self) -> asyncio.Handle:
        """Takes the step whose turn it is."""
        aside = self._stands_aside()
        is_due = self._patient and self._prompt_steps >= PROMPT_STEPS_MAX and not aside
        if self._prompt and not is_due:
            self._prompt_steps += 1
            return self._prompt.popleft()
        self._prompt_steps = 0
        if aside:
            # A thread has begun since the loop asked how many steps there are.
            return self._no_step
        now = time.monotonic()
        self.turn_ends, self._had_turn = now + TURN_SECONDS, now
        return self._patient.popleft()

    def begin_apart(self) -> None:
        """Notes that a thread works for somebody who is waited for."""
        self._apart += 1
        self._aside_until = time.monotonic() + ASIDE_SECONDS

    def end_apart(self, _: object) -> None:
        """Notes that a thread has done so."""
        self._apart -= 1

    def _stands_aside(self) -> bool:
        if not self._apart:
            return False
        return time.monotonic() < min(self._aside_until, self._had_turn + ASIDE_SECONDS)

    def clear(self) -> None:
        """Forgets all of them."""
        self._prompt.clear()
        self._patient.clear()


def _nothing() -> None:
    """What wakes the loop needs nothing to do."""
