"""News of a scope: in the order in which they were recorded, each once, against the one before."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from scops.change_detector.handlers import news as news_module
from scops.change_detector.handlers.compaction import NEWS_KEPT, Compaction
from scops.change_detector.handlers.news import SETTLED, answer_newest_news, answer_news
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.change import (
    ChangeRule,
    NewestNewsRequest,
    NewsPlace,
    NewsRequest,
    NewsResponse,
    PageNews,
)
from scops.common.contract.messages.types import ScopeRef
from tests.fakes.clock import ManualClock
from tests.fakes.worlds.change import PAGE, ChangeWorld, scope_of

SCOPE = ScopeRef(scope_id=ScopeId("docs"), revision=1)
OTHER = PageId("00000000-0000-7000-8000-000000000002")
OLD = "# Fees\nThe fee is 5 euros.\nPay at the desk."
NEW = "# Fees\nThe fee is 6 euros.\nPay at the desk."
NEWER = "# Fees\nThe fee is 7 euros.\nPay at the desk."
LONG_AGO = NewsPlace(recorded_time=datetime.fromisoformat("2020-01-01T00:00:00+00:00"))


@pytest.fixture
def world(world: ChangeWorld) -> ChangeWorld:
    """A change-detector that knows a scope of example.org."""
    world.ports.scopes.apply(scope_of())
    return world


def advance(world: ChangeWorld, time: timedelta) -> None:
    """Lets time pass."""
    clock = world.ports.clock
    assert isinstance(clock, ManualClock)
    clock.advance(time.total_seconds())


async def news(
    world: ChangeWorld, after: NewsPlace = LONG_AGO, rule: ChangeRule | None = None
) -> NewsResponse:
    """Asks for what was recorded behind a place, once all of it has settled."""
    advance(world, SETTLED)
    return await answer_news(NewsRequest(scope=SCOPE, after=after, rule=rule), world.ports)


def fees(response: NewsResponse) -> list[list[tuple[str, str]]]:
    """Returns the texts of the edits of each change."""
    return [[(edit.from_text, edit.to_text) for edit in one.edits] for one in response.changes]


async def test_each_change_is_told_once_against_the_version_before(world: ChangeWorld) -> None:
    """However often a page changes between two questions."""
    await world.see("one", OLD, 0)
    first = await news(world)
    await world.see("two", NEW, 5)
    advance(world, timedelta(seconds=1))
    await world.see("three", NEWER, 10)
    second = await news(world, first.next)
    third = await news(world, second.next)

    assert [PageNews.ADDED] == [one.news for one in first.changes]
    assert [
        [("The fee is 5 euros.", "The fee is 6 euros.")],
        [("The fee is 6 euros.", "The fee is 7 euros.")],
    ] == fees(second)
    assert ((), False) == (third.changes, third.more)


async def test_what_has_just_been_recorded_waits(world: ChangeWorld) -> None:
    """Another replica may be about to record something before it."""
    await world.see("one", OLD, 0)
    at_once = await answer_news(NewsRequest(scope=SCOPE, after=LONG_AGO), world.ports)
    soon = await news(world, at_once.next)

    assert () == at_once.changes
    assert [PAGE] == [one.page_id for one in soon.changes]


async def test_a_page_that_goes_and_comes_back_is_told_twice(world: ChangeWorld) -> None:
    """As closed, and as one that is there again."""
    await world.see("one", OLD, 0)
    before = await news(world)
    await world.gone("two", 5)
    await world.see("three", NEW, 10)
    told = await news(world, before.next)

    assert [PageNews.CLOSED, PageNews.ADDED] == [one.news for one in told.changes]


async def test_an_unchanged_page_is_no_news(world: ChangeWorld) -> None:
    """Nor a text that was read anew, or what does not count under the reader's rule."""
    await world.see("one", OLD, 0)
    before = await news(world)
    await world.unmodified("two", "one", 5)
    await world.see("three", OLD, 6)
    quiet = await news(world, before.next)
    await world.see("four", NEW, 10)
    ruled = await news(world, quiet.next, ChangeRule(counted_reasons=("negation",)))

    assert () == quiet.changes == ruled.changes


async def test_other_pages_are_looked_past(world: ChangeWorld) -> None:
    """Also where there are more than are looked at once."""
    await world.see("one", OLD, 0, page_id=OTHER, url="https://elsewhere.example/")
    await world.see("two", OLD, 1)
    told = await news(world)

    assert [PAGE] == [one.page_id for one in told.changes]


async def test_many_are_told_in_parts(world: ChangeWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part says where the next one begins."""
    monkeypatch.setattr(news_module, "PAGES_MAX", 1)
    for number, text in enumerate((OLD, NEW, NEWER)):
        await world.see(str(number), text, number)
        advance(world, timedelta(seconds=1))
    parts, after = [], LONG_AGO
    while True:
        parts.append(await news(world, after))
        after = parts[-1].next
        if not parts[-1].more:
            break

    assert [1, 1, 1] == [len(part.changes) for part in parts]


async def test_news_end_at_a_place_and_are_of_one_page(world: ChangeWorld) -> None:
    """Asked again between the same places, it is the same, whatever has come since."""
    other_url = "https://example.org/other"
    await world.see("one", OLD, 0)
    await world.see("two", OLD, 1, page_id=OTHER, url=other_url)
    first = await news(world)
    await world.see("three", NEW, 5)
    advance(world, SETTLED)

    async def asked(**values: Any) -> list[PageId]:
        request = NewsRequest(scope=SCOPE, after=LONG_AGO, **values)
        return [one.page_id for one in (await answer_news(request, world.ports)).changes]

    assert sorted([PAGE, OTHER]) == sorted(await asked(until=first.next))
    assert [OTHER] == await asked(page_id=OTHER)
    assert [PAGE] == await asked(page_id=PAGE, until=first.next)
    assert [PAGE, PAGE] == await asked(page_id=PAGE)
    again = NewsRequest(scope=SCOPE, after=LONG_AGO, until=first.next)
    assert first.next == (await answer_news(again, world.ports)).next


async def test_a_place_within_an_instant_divides_its_pages(world: ChangeWorld) -> None:
    """Those up to it are told before, the others behind it."""
    await world.see("one", OLD, 0)
    await world.see("two", OLD, 1, page_id=OTHER, url="https://example.org/other")
    advance(world, SETTLED)
    recorded = await answer_newest_news(NewestNewsRequest(organisation_id="main"), world.ports)
    assert recorded.recorded_time is not None
    between = NewsPlace(recorded_time=recorded.recorded_time, page_id=min(PAGE, OTHER))
    before = NewsRequest(scope=SCOPE, after=LONG_AGO, until=between)
    behind = NewsRequest(scope=SCOPE, after=between)
    parts = [await answer_news(one, world.ports) for one in (before, behind)]

    assert [[min(PAGE, OTHER)], [max(PAGE, OTHER)]] == [
        [one.page_id for one in part.changes] for part in parts
    ]


async def test_the_newest_news_are_known(world: ChangeWorld) -> None:
    """Of the organisation that is asked about; none where there is none."""
    mine, others = (NewestNewsRequest(organisation_id=name) for name in ("main", "other"))
    nothing = await answer_newest_news(mine, world.ports)
    await world.see("one", OLD, 0)
    now = world.ports.clock.now()

    assert (None, now) == (
        nothing.recorded_time,
        (await answer_newest_news(mine, world.ports)).recorded_time,
    )
    assert None is (await answer_newest_news(others, world.ports)).recorded_time


async def test_old_news_go(world: ChangeWorld) -> None:
    """The loop that compacts timelines forgets them."""
    await world.see("one", OLD, 0)
    advance(world, NEWS_KEPT + timedelta(hours=1))
    await world.see("two", NEW, 5)
    await Compaction(world.ports).step()
    told = await news(world)

    assert [PageNews.CHANGED] == [one.news for one in told.changes]
