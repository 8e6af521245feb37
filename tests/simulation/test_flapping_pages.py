"""Pages that alternate between texts, through every role: what of it is told, and when."""

import re
from datetime import timedelta

import pytest

from scops.change_detector.handlers.news import answer_news
from scops.change_detector.volatile.memory import CALM_LOOKS_MIN
from scops.common.contract.messages.change import NewsPlace, NewsRequest
from scops.common.contract.service_table import Role
from tests.simulation.driver import Driver
from tests.simulation.scenes import ONE, crawled, ended, says
from tests.simulation.seeds import live_each
from tests.simulation.world import World

# Each takes some twenty crawls.
WORLDS = 6
VALUE = re.compile(r" is (\w+) and it")
# More than twice the longest stay of what flaps.
LAST_LOOKS = 2 * CALM_LOOKS_MIN + 2


class Reader:
    """Reads the news of the scope and remembers what page ONE is said to say."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.place = NewsPlace(recorded_time=world.clock.now() - timedelta(days=1))
        self.known = ""

    async def told(self) -> list[str]:
        """Returns the values of ONE that were told since it asked last."""
        await self.world.stage.finish(await self.world.start("change-detector:settling"))
        self.world.clock.advance(60)
        request = NewsRequest(scope=self.world.ref, after=self.place)
        found = await answer_news(request, self.world.change)
        assert not found.more
        self.place = found.next
        edits = [e.to_text for one in found.changes if one.canonical_url == ONE for e in one.edits]
        values = [value for text in edits for value in VALUE.findall(text)]
        self.known = values[-1] if values else self.known
        return values


@pytest.mark.parametrize("seed", range(WORLDS))
async def test_flapping_pages_tell_nothing_twice_and_lose_nothing(seed: int) -> None:
    """Whatever they flap between, how long each stays, and whoever is killed meanwhile."""
    await live_each(range(seed, seed + 1), live_through)


async def live_through(world: World) -> None:
    """A page flaps between two texts, shows one of them in the end, and it is what is known."""
    await world.open()
    driver, chance = Driver(world), world.rng
    pair = chance.sample(["alpha", "beta", "gamma", "delta"], 2)
    turns = [pair[turn % 2] for turn in range(chance.randint(3, 7))]
    reader = Reader(world)
    says(world, ONE, turns[0])
    await crawled(driver)
    await reader.told()
    reader.known = turns[0]
    for number, value in enumerate(turns[1:], start=1):
        says(world, ONE, value)
        is_last = number == len(turns) - 1
        looks = LAST_LOOKS if is_last else chance.randint(1, CALM_LOOKS_MIN - 1)
        for look in range(looks):
            await _crawled(driver)
            told = await reader.told()
            head = (await driver.invariants.texts())[ONE]
            assert head is not None
            assert f"is {value} and it" in head
            if number > 2 and not (is_last and look):
                assert [] == told, turns
            elif look == 0 and number <= 2:
                assert [value] == told, turns

    assert turns[-1] == reader.known, turns


async def _crawled(driver: Driver) -> None:
    """Crawls to the end; now and then the change-detector is killed amid it."""
    world = driver.world
    if world.rng.random() < 0.5:
        await crawled(driver)
        return
    job_id = await world.crawl()
    for _ in range(world.rng.randint(1, 60)):
        await driver.step()
    await driver.kill(Role.CHANGE_DETECTOR)
    await ended(driver, job_id)
