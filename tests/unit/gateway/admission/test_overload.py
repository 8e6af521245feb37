"""Four times as much as can be done, asked of one event loop in time that is made: who is let in
is answered about as fast as one who asks alone.

The loop does one piece of work after another: what a call costs to refuse, and the steps of each
search, between which others have their turn. So whatever is let in slows down everything else,
arrivals too, as it does in a process.
"""

import asyncio
import random
import selectors
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from scops.gateway.admission.slots import NoSlot, Slots

MOST = 64
PRINCIPALS = 8
# What refusing costs, and each of the steps of a search: as measured, about one in fifteen.
REFUSAL_SECONDS = 0.0007
STEPS, STEP_SECONDS = 6, 0.002
OVER = 4.0
DEADLINE_SECONDS = 20.0
# Until it is known what there is too much of.
LEARN_SECONDS, SECONDS = 15.0, 30.0
RETRY_SECONDS = 2.0


class _Skipping(selectors.SelectSelector):
    """Waits for nobody: time goes on to what is due next."""

    skipped = 0.0

    def select(self, timeout: float | None = None) -> Any:
        self.skipped += timeout or 0.0
        return super().select(0)


class MadeTime(asyncio.SelectorEventLoop):
    """An event loop whose time is only what is waited for."""

    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.skipped


class Machine:
    """A process: one piece of work at a time, in the order in which they come."""

    def __init__(self, seed: int) -> None:
        self._turn = asyncio.Lock()
        self._chance = random.Random(seed)
        self._now = asyncio.get_running_loop().time
        self.slots = Slots(MOST, self._now)
        self.answered: list[float] = []
        self.refused = 0

    async def work(self, seconds: float) -> None:
        async with self._turn:
            await asyncio.sleep(seconds)

    async def call(self, number: int) -> bool:
        """Asks; returns whether it was answered."""
        begun = self._now()
        await self.work(REFUSAL_SECONDS)
        try:
            async with self.slots.slot(f"user-{number % PRINCIPALS}", DEADLINE_SECONDS / 2):
                for _ in range(STEPS):
                    await self.work(self._chance.uniform(0.5, 1.5) * STEP_SECONDS)
        except NoSlot:
            self.refused += 1
            return False
        self.answered.append(self._now() - begun)
        return True

    async def closed(self, clients: int, seconds: float) -> float:
        """Has clients ask again and again; returns the answers a second."""
        ends = self._now() + seconds

        async def ask_on(number: int) -> None:
            while self._now() < ends:
                if not await self.call(number):
                    await asyncio.sleep(RETRY_SECONDS)

        self._forget()
        await asyncio.gather(*(ask_on(number) for number in range(clients)))
        return len(self.answered) / seconds

    async def open_loop(self, rate: float, seconds: float) -> float:
        """Asks at a rate, whatever comes back; returns the answers a second."""
        self._forget()
        begun = self._now()
        async with asyncio.TaskGroup() as asked:
            for number in range(int(rate * seconds)):
                await asyncio.sleep(max(0.0, begun + number / rate - self._now()))
                asked.create_task(self.call(number))
        return len(self.answered) / seconds

    def p95(self) -> float:
        return sorted(self.answered)[int(len(self.answered) * 0.95)]

    def _forget(self) -> None:
        self.answered, self.refused = [], 0


def in_made_time(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    with asyncio.Runner(loop_factory=MadeTime) as runner:
        runner.run(work())


@pytest.mark.parametrize("seed", range(4))
def test_who_is_let_in_is_answered_fast_and_hardly_less_is_done(seed: int) -> None:
    """However it came to be known how fast one is alone: before, and amid those refused."""

    async def asked() -> None:
        machine = Machine(seed)
        capacity = await machine.closed(PRINCIPALS, SECONDS)
        await machine.closed(1, SECONDS)
        alone = machine.p95()
        await machine.open_loop(OVER * capacity, LEARN_SECONDS)
        done = await machine.open_loop(OVER * capacity, SECONDS)

        assert machine.p95() <= 2.0 * alone, (machine.p95(), alone)
        assert done >= 0.7 * capacity, (done, capacity)
        assert machine.refused >= 2 * len(machine.answered)

    in_made_time(asked)


@pytest.mark.parametrize("seed", range(2))
def test_a_flood_that_was_there_from_the_start_is_learnt_too(seed: int) -> None:
    """Nobody has ever asked alone; what is measured amid the others is not far off."""

    async def asked() -> None:
        machine = Machine(seed)
        rate = OVER / (STEPS * STEP_SECONDS)
        await machine.open_loop(rate, LEARN_SECONDS)
        await machine.open_loop(rate, SECONDS)
        amid = machine.p95()
        await machine.closed(1, SECONDS)

        assert amid <= 3.0 * machine.p95(), (amid, machine.p95())

    in_made_time(asked)


def test_a_burst_is_answered_whole() -> None:
    """A hundred at once, of a process that was idle: nobody is refused."""

    async def asked() -> None:
        machine = Machine(0)
        await machine.closed(1, SECONDS)
        machine._forget()
        await asyncio.gather(*(machine.call(number) for number in range(100)))

        assert (100, 0) == (len(machine.answered), machine.refused)

    in_made_time(asked)


def test_what_has_become_slower_for_good_is_served_by_more_than_one_again() -> None:
    """A store that answers late, and many at once: within seconds there are slots enough."""

    async def asked() -> None:
        machine = Machine(1)
        await machine.closed(1, SECONDS)

        async def call(number: int) -> None:
            await machine.work(REFUSAL_SECONDS)
            try:
                async with machine.slots.slot(f"user-{number % PRINCIPALS}", DEADLINE_SECONDS):
                    await asyncio.sleep(8 * STEPS * STEP_SECONDS)
            except NoSlot:
                machine.refused += 1

        async with asyncio.TaskGroup() as calls:
            for number in range(200 * 30):
                await asyncio.sleep(0.005)
                calls.create_task(call(number))

        assert machine.slots.limit >= PRINCIPALS, machine.slots.limit

    in_made_time(asked)
