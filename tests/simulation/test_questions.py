"""Questions at the gateway while everything that can go wrong does."""

from collections import Counter

from tests.simulation.driver import Driver
from tests.simulation.seeds import live_each
from tests.simulation.world import World

STEPS, STEPS_A_QUESTION = 80, 4


async def test_every_question_ends_with_an_answer_or_a_clear_error(seeds: range) -> None:
    """Amid crawls, changes, crashes and refusals; each is checked when it ends."""
    codes: Counter[str] = Counter()
    cited: set[int] = set()

    async def live_through(world: World) -> None:
        await world.open()
        driver = Driver(world, mischief=0.1)
        await world.crawl()
        await driver.calm()
        await world.crawl()
        for step in range(STEPS):
            if step % STEPS_A_QUESTION == 0:
                await driver.ask()
            await driver.step()
        await driver.calm()
        await driver.invariants.all_is_done()
        await driver.ask()
        await driver.calm()
        for asked in world.front.asked:
            code = "" if asked.outcome is None else asked.outcome.code
            codes[code] += 1
            if getattr(getattr(asked.outcome, "response", None), "citations", ()):
                cited.add(world.seed)

    # A tenth of the worlds: each of them asks twenty questions.
    await live_each(seeds[: max(len(seeds) // 10, 3)], live_through)

    assert codes["OK"] > codes.total() / 3, codes
    assert cited
