"""What got lost on the bus: found by what waits, not by a clock, and repeated until it ends."""

from collections.abc import Mapping

import pytest

from scops.common.bus.ports import DurableProgress
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.messages.crawl import CrawlFinished, PageFetched
from scops.common.contract.service_table import Role
from scops.fetcher.frontier.passage import STAGES, WAY, Passage
from scops.fetcher.upkeep import republish_lost
from tests.fakes.clock import START
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"
NEXT = "https://a.test/next"
HOUR = 3600


async def indexed_without_links(world: FetcherWorld) -> PageFetched:
    """Crawls to the point where the index has answered, and the fetcher was told no links."""
    world.source.serve(ROOT, page_answer("root"))
    world.source.serve(NEXT, page_answer("next"))
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    await world.crawl()
    await world.step()
    event = await world.event(PageFetched)
    await world.steps()
    await world.events()
    await world.index(event)
    return event


async def test_lost_links_are_asked_for_again(world: FetcherWorld) -> None:
    """The job waits for links of a page whose outcome is known: its fetch is published again."""
    event = await indexed_without_links(world)
    world.clock.advance(61)
    await republish_lost(world.ports)
    again = await world.event(PageFetched)
    await world.extract(again, [NEXT])
    await world.run()

    assert (event.fetch_id, 2) == (again.fetch_id, again.attempt)
    assert {ROOT: "indexed", NEXT: "indexed"} == await world.outcomes()


async def test_links_that_never_come_end_with_the_page_s_outcome(world: FetcherWorld) -> None:
    """It is indexed, which nobody doubts; that its links are missing is told."""
    await indexed_without_links(world)
    for _ in range(3):
        world.clock.advance(61)
        await republish_lost(world.ports)
        await world.event(PageFetched)
    world.clock.advance(61)
    await republish_lost(world.ports)

    assert {ROOT: "indexed(links_lost)"} == await world.outcomes()
    assert 1 == len(await world.events(CrawlFinished))
    assert 0 == await republish_lost(world.ports)


async def test_an_outage_of_hours_ends_no_page(world: FetcherWorld) -> None:
    """While something waits downstream nothing is lost, however long it takes."""
    world.source.serve(ROOT, page_answer("root"))
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    await world.crawl()
    await world.steps()
    event = await world.event(PageFetched)
    await world.extract(event)
    world.pending[Role.INDEXER] = 1
    for _ in range(4 * 24):
        world.clock.advance(HOUR / 4)
        await republish_lost(world.ports)
    waiting = await world.outcomes()
    world.pending.clear()
    await world.index(event)

    assert {ROOT: "open"} == waiting
    assert {ROOT: "indexed"} == await world.outcomes()


class Streams:
    """A way that is never empty: each stage has a stream of its own, and comes on when told."""

    def __init__(self) -> None:
        self.newest = dict.fromkeys(STAGES, 100)
        self.done = dict.fromkeys(STAGES, 90)
        self.away = False

    async def progress(self, role: Role) -> Mapping[str, DurableProgress]:
        if self.away:
            raise StoreUnavailable("The bus is away.", reason="BUS_UNAVAILABLE")
        return {"one": DurableProgress(newest=self.newest[role], done=self.done[role])}

    def work(self, count: int) -> None:
        for role in STAGES:
            self.newest[role] += count
            self.done[role] += count


async def test_a_way_that_is_never_empty_is_passed_stage_by_stage() -> None:
    """The marks are passed one after the other, although each stage always has work."""
    streams = Streams()
    passage = Passage(streams.progress)
    looks = []
    for _ in range(len(WAY)):
        looks.append(await passage.look(sent_before=START))
        streams.work(9)
        looks.append(await passage.look(sent_before=None))
        streams.work(1)
    looks.append(await passage.look(sent_before=None))

    assert [None] * 2 * len(WAY) + [START] == looks


@pytest.mark.parametrize("role", STAGES)
async def test_a_stage_that_stands_still_holds_the_marks(role: Role) -> None:
    """Whatever the others do, and however often somebody looks."""
    streams = Streams()
    passage = Passage(streams.progress)
    for _ in range(20):
        await passage.look(sent_before=START)
        stuck = streams.done[role]
        streams.work(100)
        streams.done[role] = min(stuck, 99)

    assert passage.passed is None


async def test_a_stream_made_anew_holds_nothing_from_before() -> None:
    """After the loss of the bus everything counts from one again: the marks are passed."""
    streams = Streams()
    passage = Passage(streams.progress)
    await passage.look(sent_before=START)
    streams.newest = dict.fromkeys(STAGES, 3)
    streams.done = dict.fromkeys(STAGES, 3)

    assert START == await passage.look(sent_before=None)


async def test_a_bus_that_is_away_tells_nothing(world: FetcherWorld) -> None:
    """No fetch is lost because nobody can say what waits."""
    streams = Streams()
    streams.done = dict(streams.newest)
    streams.away = True
    world.ports.passage.progress = streams.progress
    await indexed_without_links(world)
    world.clock.advance(61)
    away = await republish_lost(world.ports)
    streams.away = False

    assert (0, 1) == (away, await republish_lost(world.ports))


async def test_marks_begin_behind_an_outbox_that_has_left(world: FetcherWorld) -> None:
    """What is recorded and has not left for the bus cannot have been lost on it."""
    world.source.serve(ROOT, page_answer("root"))
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    await world.fetch(ROOT)
    await world.steps()
    world.clock.advance(61)
    early = await republish_lost(world.ports)
    await world.events()

    assert (0, 1) == (early, await republish_lost(world.ports))
