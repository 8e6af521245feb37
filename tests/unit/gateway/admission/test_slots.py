"""Slots: how many there are, who gets one, who waits, and who is refused."""

import asyncio
import random
from contextlib import AsyncExitStack

import pytest

from scops.gateway.admission.slots import (
    PATIENCE_SECONDS,
    SLOTS_FIRST,
    SLOTS_MIN,
    WAIT_SECONDS_MAX,
    NoSlot,
    Slots,
)

MOST = 64


class Watch:
    """Seconds that a test moves."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


async def hold(slots: Slots, stack: AsyncExitStack, principal: str, count: int) -> int:
    """Takes slots until none is free; returns how many."""
    for taken in range(count):
        try:
            await stack.enter_async_context(slots.slot(principal, 0.001))
        except NoSlot:
            return taken
    return count


async def test_one_who_calls_alone_may_take_all() -> None:
    """And no more."""
    slots = Slots(MOST, Watch())
    async with AsyncExitStack() as stack:
        assert int(SLOTS_FIRST) == await hold(slots, stack, "ann", MOST)
    assert 0 == slots.taken


async def test_a_burst_waits_its_turn() -> None:
    """Everybody of it is served, in order."""
    slots, served = Slots(MOST, Watch()), []

    async def call(number: int) -> None:
        async with slots.slot("ann", WAIT_SECONDS_MAX):
            await asyncio.sleep(0.001)
            served.append(number)

    await asyncio.gather(*(call(number) for number in range(100)))

    assert list(range(100)) == sorted(served)
    assert served[0] < served[-1]


async def test_a_free_slot_goes_to_who_holds_the_fewest() -> None:
    """However many calls of another wait before; no slot stays free meanwhile."""
    slots, order = Slots(MOST, Watch()), []

    async def call(principal: str) -> None:
        async with slots.slot(principal, WAIT_SECONDS_MAX):
            order.append(principal)
            await asyncio.sleep(0.001)

    async with AsyncExitStack() as stack:
        await hold(slots, stack, "ann", int(SLOTS_FIRST) - 1)
        single = await stack.enter_async_context(AsyncExitStack())
        await hold(slots, single, "ann", 1)
        waiting = [asyncio.create_task(call(name)) for name in ("ann", "ann", "bob", "eve")]
        await asyncio.sleep(0.01)
        await single.aclose()
        await asyncio.gather(*waiting)

    assert ["bob", "eve", "ann", "ann"] == order


async def test_one_who_asks_too_much_keeps_nobody_else_out() -> None:
    """When it is no burst, who has no other call may wait; a few of them."""
    watch = Watch()
    slots = Slots(MOST, watch)
    async with AsyncExitStack() as stack:
        await hold(slots, stack, "ann", MOST)
        watch.seconds += PATIENCE_SECONDS
        many = [asyncio.create_task(hold(slots, stack, f"user-{n}", 1)) for n in range(MOST)]
        bob = asyncio.create_task(waits(slots, "bob"))
        await asyncio.sleep(0)
        assert SLOTS_FIRST // 2 == len(slots._waiting)
        with pytest.raises(NoSlot):
            await waits(slots, "ann")
        await asyncio.gather(*many)
        with pytest.raises(NoSlot):
            await bob
        late = asyncio.create_task(waits(slots, "eve"))
        await asyncio.sleep(0.01)
        assert not late.done()
    await late


async def waits(slots: Slots, principal: str) -> None:
    """Takes a slot, waiting for it."""
    async with slots.slot(principal, WAIT_SECONDS_MAX):
        pass


async def test_what_is_no_burst_is_refused_at_once() -> None:
    """Once there was no slot for a while; and let in again when there is one."""
    watch = Watch()
    slots = Slots(MOST, watch)
    async with AsyncExitStack() as stack:
        await hold(slots, stack, "ann", MOST)
        watch.seconds += PATIENCE_SECONDS
        begun = asyncio.get_running_loop().time()
        with pytest.raises(NoSlot):
            await stack.enter_async_context(slots.slot("ann", WAIT_SECONDS_MAX))
        assert asyncio.get_running_loop().time() - begun < WAIT_SECONDS_MAX / 2
    async with slots.slot("ann", WAIT_SECONDS_MAX):
        assert 1 == slots.taken


async def test_whoever_leaves_while_waiting_keeps_no_slot() -> None:
    """Cancelled, too late, or at the very moment that one was given."""
    chance, slots = random.Random(4), Slots(4, Watch())

    async def call(principal: str) -> None:
        async with slots.slot(principal, chance.choice([0.0005, 0.002, 1.0])):
            await asyncio.sleep(chance.random() / 500)

    calls = [asyncio.create_task(call(chance.choice("abc"))) for _ in range(300)]
    for one in chance.sample(calls, 100):
        await asyncio.sleep(0.0005)
        one.cancel()
    ended = await asyncio.gather(*calls, return_exceptions=True)

    assert 0 == slots.taken
    assert not slots._waiting
    assert all(one is None or isinstance(one, NoSlot | asyncio.CancelledError) for one in ended)


async def test_the_number_follows_the_time_that_calls_take() -> None:
    """It settles where calls take about as long as alone, for what is behind them."""
    for workers in (3, 12):
        watch = Watch()
        slots = Slots(MOST, watch)
        for _ in range(400):
            await turn(slots, watch, workers)
        assert workers * 0.6 <= slots.limit <= workers * 2.5, (workers, slots.limit)


async def turn(slots: Slots, watch: Watch, workers: int) -> None:
    """Fills the slots, and ends their calls in the time that so many workers take for them."""
    async with AsyncExitStack() as stack:
        held = await hold(slots, stack, "ann", MOST)
        assert held <= slots.limit
        watch.seconds += 0.05 * max(1.0, held / workers)


async def test_calls_that_fail_teach_nothing_and_some_slots_always_stay() -> None:
    """A store that is away does not shut the door."""
    watch = Watch()
    slots = Slots(MOST, watch)
    for _ in range(100):
        with pytest.raises(ValueError, match="away"):
            async with slots.slot("ann", 1.0):
                watch.seconds += 10
                raise ValueError("away")
    unharmed = slots.limit
    for number in range(4000):
        async with slots.slot("ann", 1.0):
            watch.seconds += 0.01 if number < 100 else 10

    assert SLOTS_FIRST == unharmed
    assert slots.limit >= SLOTS_MIN


async def test_a_slow_machine_is_learnt_as_a_fast_one_is() -> None:
    """Also where all slots together take so long that each call seems to wait for a model."""
    watch = Watch()
    slots = Slots(MOST, watch)
    for _ in range(60):
        async with AsyncExitStack() as stack:
            held = await hold(slots, stack, "ann", MOST)
            watch.seconds += 0.4 * held

    assert SLOTS_MIN == int(slots.limit)


async def test_calls_that_wait_for_a_model_are_not_held_up() -> None:
    """However many they are at once, one takes as long as alone."""
    watch = Watch()
    slots = Slots(MOST, watch)
    for _ in range(60):
        async with AsyncExitStack() as stack:
            await hold(slots, stack, "ann", MOST)
            watch.seconds += 8.0

    assert slots.limit >= SLOTS_FIRST


async def test_a_moment_between_two_calls_is_no_free_slot() -> None:
    """Four times as much as can be done, for a while: who is let in has hardly waited."""
    watch, chance = Watch(), random.Random(7)
    slots = Slots(MOST, watch)
    working: list[tuple[float, asyncio.Event]] = []
    waited: list[float] = []
    refused = 0

    async def call(principal: str) -> None:
        nonlocal refused
        begun = watch()
        try:
            async with slots.slot(principal, WAIT_SECONDS_MAX):
                if begun > 4 * PATIENCE_SECONDS:
                    waited.append(watch() - begun)
                done = asyncio.Event()
                working.append((watch() + 0.02 * max(1.0, slots.taken / 2), done))
                await done.wait()
        except NoSlot:
            refused += 1

    async with asyncio.TaskGroup() as calls:
        for _ in range(40_000):
            watch.seconds += 0.001
            if chance.random() < 0.4:
                calls.create_task(call(f"user-{chance.randrange(8)}"))
            for entry in [entry for entry in working if entry[0] <= watch()]:
                working.remove(entry)
                entry[1].set()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        for _, done in working:
            done.set()
        slots._waiting.clear()

    assert len(waited) > 500
    assert refused > 2 * len(waited)
    assert sorted(waited)[int(len(waited) * 0.95)] <= 0.1
