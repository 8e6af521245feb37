"""Worlds one after the other, a seed each; the one that fails tells how to see it again."""

import gc
from collections.abc import Awaitable, Callable

from tests.simulation.states import States
from tests.simulation.world import World

TRACE_LINES = 60


async def live_each(seeds: range, live: Callable[[World], Awaitable[None]]) -> None:
    """Lives through a world of each seed, on databases that they share."""
    # Collected after them alone: what they allocate lives as long as they do. What was there
    # before, which is most of it, is not gone through.
    gc.freeze()
    gc.disable()
    states = States()
    for seed in seeds:
        world = World(seed, states)
        try:
            await live(world)
        except BaseException:
            print(f"\nseed {seed} failed; replay: pytest tests/simulation --seed {seed}")
            print("\n".join(world.stage.trace[-TRACE_LINES:]))
            raise
        finally:
            await world.close()
    await states.close()
    gc.collect()
    gc.enable()
