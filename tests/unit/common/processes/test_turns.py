"""Turns: shared out by time, and quick sites never wait for long turns."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress

import pytest

from scops.common.processes.turns import (
    LONG_SECONDS,
    POLL_SECONDS,
    SITES_MAX,
    Turns,
    leave_turn,
    working_for,
)


class Seconds:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Scene:
    """Work of sites in the order in which it had its turn; each piece ends when it is told to."""

    def __init__(self, count: int) -> None:
        self.clock = Seconds()
        self.turns = Turns(count, costly_max=max(1, count // 2), seconds_now=self.clock)
        self.begun: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def ask(self, *names: str) -> None:
        """Starts work; the letters of a name are its site, the digits tell pieces apart."""
        for name in names:
            self._ends[name] = asyncio.Event()
            self._tasks[name] = asyncio.create_task(self._work(name))
        await settle()

    async def end(self, name: str, *, after: float = 0.0) -> None:
        """Ends a piece of work that began, some seconds later."""
        assert name in self.begun, (name, self.begun)
        self.clock.now += after
        self._ends[name].set()
        await settle()

    async def cancel(self, name: str) -> None:
        """Breaks a piece of work off, whether it began or not."""
        self._tasks[name].cancel()
        with suppress(asyncio.CancelledError):
            await self._tasks[name]
        await settle()

    async def _work(self, name: str) -> None:
        with working_for(name.rstrip("0123456789")):
            async with self.turns.turn():
                self.begun.append(name)
                await self._ends[name].wait()


async def settle() -> None:
    """Lets everything go on that can."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_one_site_has_all_turns_and_no_more() -> None:
    """A crawl of one site alone is as fast as the machine."""
    scene = Scene(2)
    await scene.ask("a1", "a2", "a3")
    assert ["a1", "a2"] == scene.begun
    await scene.end("a1")
    assert ["a1", "a2", "a3"] == scene.begun


async def test_who_used_least_comes_first() -> None:
    """However much a site has asked for before."""
    scene = Scene(1)
    await scene.ask("slow1", "slow2", "slow3")
    await scene.end("slow1", after=0.9)
    await scene.ask("quick1", "quick2", "quick3")
    await scene.end("slow2", after=0.9)
    await scene.end("quick1", after=0.1)
    await scene.end("quick2", after=0.1)
    assert ["slow1", "slow2", "quick1", "quick2", "quick3"] == scene.begun


async def test_time_is_shared_equally() -> None:
    """Of two sites that always wait, the one with turns of a tenth has ten times as many."""
    scene = Scene(1)
    names = [f"{site}{n}" for site in ("long", "short") for n in range(60)]
    await scene.ask(*names)
    seconds = {"long": 0.5, "short": 0.05}
    used = dict.fromkeys(seconds, 0.0)
    for position in range(60):
        site = scene.begun[position].rstrip("0123456789")
        used[site] += seconds[site]
        await scene.end(scene.begun[position], after=seconds[site])
    assert used["long"] == pytest.approx(used["short"], abs=0.6)


async def test_a_site_that_was_away_has_no_credit() -> None:
    """It does not push others aside for all the time that it did not ask."""
    scene = Scene(1)
    await scene.ask("early1")
    await scene.end("early1", after=0.1)
    for n in range(20):
        await scene.ask(f"late{n}")
        await scene.end(f"late{n}", after=0.5)
    await scene.ask("late20", *(f"early{n}" for n in range(2, 30)), "late21")
    before = len(scene.begun)
    while "late21" not in scene.begun:
        await scene.end(scene.begun[-1], after=0.5)
    assert len(scene.begun) - before < 5


async def test_a_quick_site_does_not_wait_for_long_turns() -> None:
    """Also where all turns were taken before anybody knew how long they take."""
    scene = Scene(2)
    await scene.ask("hostile1", "hostile2", "hostile3", "hostile4")
    await scene.ask("honest1", "honest2")
    assert ["hostile1", "hostile2"] == scene.begun
    # They become long while nothing else happens.
    scene.clock.now += LONG_SECONDS
    await asyncio.sleep(2 * POLL_SECONDS)
    assert ["hostile1", "hostile2", "honest1"] == scene.begun


async def test_costly_sites_hold_half_of_the_turns_where_others_ask() -> None:
    """All of them together, so that many hosts gain nothing."""
    scene = Scene(4)
    for site in ("x", "y", "z"):
        await scene.ask(f"{site}1")
        await scene.end(f"{site}1", after=9.0)
    await scene.ask("honest1")
    await scene.ask(*(f"{site}{n}" for n in (2, 3) for site in ("x", "y", "z")))
    begun = [name for name in scene.begun if not name.endswith("1")]
    assert 2 == len(begun)
    await scene.ask("honest2")
    assert "honest2" == scene.begun[-1]


async def test_long_turns_are_bounded() -> None:
    """Beside the turns there are half as many that have become long, and no more."""
    scene = Scene(2)
    for site in range(9):
        await scene.ask(f"{'abcdefghi'[site]}1")
        scene.clock.now += 2.0
        scene.turns._go_on()
    await settle()
    assert 3 == len(scene.begun)


async def test_work_that_is_cancelled_leaves_its_turn() -> None:
    """Whether it waits, was just given one, or works."""
    scene = Scene(1)
    await scene.ask("a1", "b1", "c1", "d1")
    await scene.cancel("b1")
    await scene.cancel("a1")
    assert ["a1", "c1"] == scene.begun
    await scene.cancel("c1")
    assert ["a1", "c1", "d1"] == scene.begun


@pytest.mark.parametrize("moment", ["given", "waiting"])
async def test_a_turn_given_to_the_cancelled_goes_to_the_next(moment: str) -> None:
    """The moment between giving and taking loses no turn."""
    scene = Scene(1)
    await scene.ask("a1", "b1", "c1")
    cancel: Callable[[], Coroutine[None, None, None]] = lambda: scene.cancel("b1")  # noqa: E731
    if moment == "given":
        scene._ends["a1"].set()
        await asyncio.sleep(0)
        await cancel()
    else:
        await cancel()
        await scene.end("a1")
    assert ["a1", "c1"] == scene.begun


async def test_sites_are_forgotten() -> None:
    """Those that have nothing under way, the longest unheard first."""
    scene = Scene(1)
    await scene.ask("held1")
    for n in range(3 * SITES_MAX):
        with working_for(f"site{n}."):
            scene.turns._site(f"site{n}.")
    assert len(scene.turns._sites) <= SITES_MAX
    assert "held" in scene.turns._sites


async def test_who_only_waits_leaves_its_turn_to_others() -> None:
    """Once, for the time that it took until then; what is left to do goes on beside the others."""
    clock = Seconds()
    turns = Turns(1, costly_max=1, seconds_now=clock)
    stored, seen = asyncio.Event(), list[str]()

    async def work(name: str) -> None:
        with working_for(name):
            async with turns.turn():
                seen.append(f"{name} works")
                clock.now += LONG_SECONDS / 2
                leave_turn()
                await stored.wait()
                leave_turn()
                seen.append(f"{name} ends")

    tasks = [asyncio.create_task(work(name)) for name in "abc"]
    await settle()
    assert ["a works", "b works", "c works"] == seen
    stored.set()
    await asyncio.gather(*tasks)

    assert 6 == len(seen)
    # All of them have been given back: as many as before are there for others.
    async with turns.turn():
        late = asyncio.create_task(work("d"))
        await settle()
        assert 6 == len(seen)
    await late


def test_without_a_turn_there_is_none_to_leave() -> None:
    """Work that no message asked for calls the same."""
    leave_turn()
