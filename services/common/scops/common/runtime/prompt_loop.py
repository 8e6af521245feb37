"""An event loop on which whoever is waited for does not wait behind a crawl.

asyncio runs what is ready in the order in which it became so. A search takes dozens of steps, and
where a crawl has fifty of its own ready at any moment, each step waits for all of them. Here work
that nobody waits for is patient, as the tasks that it makes are: of it one step is run, then
everybody else's again, and what sockets have brought meanwhile.
"""

import asyncio
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Steps of others after which patient work has one, however many of theirs are ready.
PROMPT_STEPS_MAX = 64
# Patient work that has gone on for longer gives way where it can.
TURN_SECONDS = 0.002
STEPS = "_ready"
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
        self.steps = ReadySteps()
        setattr(self, STEPS, self.steps)

    def _add_callback(self, handle: asyncio.Handle) -> None:
        """Takes what the selector tells of a socket, which is no patient step, whoever opened it.

        The selector tells of it in each round until the step has read the socket, and would add it
        again and again to the steps that wait.
        """
        if not handle.cancelled():
            self.steps.append_prompt(handle)


class ReadySteps:
    """Steps of a loop that may be run: in their order, the patient ones behind the others.

    Attributes:
        turn_ends: when the patient step that was taken last should give way, by the monotonic
            clock.
    """

    def __init__(self) -> None:
        self.turn_ends = 0.0
        self._prompt: deque[asyncio.Handle] = deque()
        self._patient: deque[asyncio.Handle] = deque()
        self._prompt_steps = 0

    def __len__(self) -> int:
        """Returns how many are run before the loop looks at its sockets: one of the patient."""
        return len(self._prompt) + bool(self._patient)

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
        is_due = self._patient and self._prompt_steps >= PROMPT_STEPS_MAX
        if self._prompt and not is_due:
            self._prompt_steps += 1
            return self._prompt.popleft()
        self._prompt_steps = 0
        self.turn_ends = time.monotonic() + TURN_SECONDS
        return self._patient.popleft()

    def clear(self) -> None:
        """Forgets all of them."""
        self._prompt.clear()
        self._patient.clear()
