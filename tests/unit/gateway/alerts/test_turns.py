"""What a watch tells, and when: each change once, whatever happens to receiver and gateway."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from scops.common.bus.ports import Cause
from scops.common.contract.errors import TransientError
from scops.common.contract.ids import EventId, FetchId, PageId, ScopeId
from scops.common.contract.messages.change import PageNews
from scops.common.contract.messages.crawl import FetchFailed, KnownPage, PagePlanResponse
from scops.common.contract.service_table import Lane
from scops.common.query.ports import NEWEST_NEWS, NEWS, PAGE_PLAN
from scops.gateway.handlers.alerts import looking
from scops.gateway.handlers.alerts.failures import handle_fetch_failed
from scops.gateway.handlers.alerts.looking import FAILURES_MAX
from scops.gateway.handlers.alerts.sending import KEPT, WatchTurns, forget_old
from scops.gateway.watches.sealing import WatchSeal
from scops.gateway.watches.sender import SendResult
from scops.gateway.watches.watch import DeliveryState, EndReason, News, WatchState
from tests.fakes.worlds.gateway import DOCS
from tests.fakes.worlds.methods import person, served
from tests.unit.gateway.alerts.world import EDIT, NewsWorld, hours, pages

DAILY = {"every": "EVERY_DAY", "time": "18:00"}
FAILED = SendResult(failure="It answered 500.")


async def test_a_change_is_told_once(world: NewsWorld) -> None:
    """With both texts; a second look finds nothing, and asks nothing while nothing is new."""
    await world.watch()
    assert [] == await world.works()
    world.happens()
    (message,) = await world.works(2)
    asked = len(world.asked)

    assert [EDIT] == list(message.alerts[0].edits)
    assert f"{DOCS}fees" == message.alerts[0].url
    assert [] == await world.works(60)
    assert asked == len(world.asked)


async def test_what_was_before_a_watch_is_not_told(world: NewsWorld) -> None:
    """Nor what does not count, or what its scope does not hold."""
    world.happens("p-0")
    world.gateway.clock.advance(1)
    await world.watch(condition={"words": ["fee"]})
    world.happens("p-1", edits=())
    world.happens("p-2", "https://elsewhere.example/")
    world.happens("p-3", access_context="credential-1")
    world.happens("p-4")

    assert [["p-4"]] == pages(await world.works(2))
    assert [] == await world.works(60)


async def test_many_changes_are_several_messages(
    world: NewsWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each change in one of them, in the order in which they were recorded."""
    monkeypatch.setattr(looking, "ALERTS_MAX", 3)
    await world.watch(schedule=DAILY)
    for number in range(9):
        world.happens(f"p-{number}")

    assert [4, 4, 1] == [len(one) for one in pages(await world.works(hours(10)))]
    told = [alert.page_id for message, _ in world.gateway.sender.sent for alert in message.alerts]
    assert [f"p-{number}" for number in range(9)] == told


async def test_a_digest_waits_for_its_time(world: NewsWorld) -> None:
    """Then tells all of it, and of the next day what is new."""
    await world.watch(schedule=DAILY)
    world.happens("p-1")
    world.happens("p-2")
    assert [] == await world.works(hours(5))
    assert [["p-1", "p-2"]] == pages(await world.works(hours(1)))
    assert [] == await world.works(hours(23))
    world.happens("p-3")

    assert [["p-3"]] == pages(await world.works(hours(1)))


async def test_quiet_hours_hold_back_what_is_new(world: NewsWorld) -> None:
    """Until their end, in one message."""
    await world.watch(schedule={"quiet_from": "11:00", "quiet_to": "14:00"})
    world.happens("p-1")
    assert [] == await world.works(hours(1))
    world.happens("p-2")

    assert [["p-1", "p-2"]] == pages(await world.works(hours(1)))


async def test_a_failed_delivery_is_the_same_one_again(world: NewsWorld) -> None:
    """What happens meanwhile comes after it; pauses grow, and a receiver's wish counts."""
    watch = await world.watch()
    wish = SendResult(failure="It answered 503.", retry_after=timedelta(minutes=5))
    world.gateway.sender.results = [FAILED, wish]
    world.happens("p-1")
    (first,) = await world.works(2)
    world.happens("p-2")
    assert [] == await world.works(5)
    (second,) = await world.works(10)
    (open_one,) = await world.gateway.ports.alerts.store.deliveries(watch.watch_id, limit=9)
    assert ("It answered 503.", 2) == (open_one.failure, open_one.attempts)
    assert [] == await world.works(200)
    third, fourth = await world.works(100)

    assert first.delivery_id == second.delivery_id == third.delivery_id != fourth.delivery_id
    assert [["p-1"]] * 3 + [["p-2"]] == pages([first, second, third, fourth])
    states = await world.gateway.ports.alerts.store.deliveries(watch.watch_id, limit=9)
    assert [DeliveryState.SENT] * 2 == [one.state for one in states]


async def test_a_gateway_that_dies_loses_and_repeats_nothing(world: NewsWorld) -> None:
    """Before the look, its claim runs out; behind it, the delivery is the same one."""
    await world.watch()
    world.happens("p-1")
    clock, store = world.gateway.clock, world.gateway.ports.alerts.store
    clock.advance(1)
    until = clock.now() + timedelta(seconds=90)
    await store.claim(now=clock.now(), until=until, newest=clock.now(), limit=9)
    assert [] == await world.works(60)
    assert [["p-1"]] == pages(await world.works(60))
    world.happens("p-2")
    clock.advance(1)
    dying = WatchTurns(world.gateway.ports, "main")
    sender = world.gateway.sender
    sender.hangs = True
    await dying.begin_due()
    while not sender.sent[1:]:
        await asyncio.sleep(0)
    await dying.stop()
    sender.hangs = False
    assert [] == await world.works(60)
    (after,) = await world.works(60)

    assert sender.sent[1][0].delivery_id == after.delivery_id
    assert [["p-2"]] == pages([after])
    assert [] == await world.works(200)


async def _none(_: Any) -> Any:
    raise TransientError("The change-detector is away.")


async def test_a_service_that_is_away_costs_no_attempt(world: NewsWorld) -> None:
    """The watch is taken up again, and is not the receiver's fault."""
    watch = await world.watch()
    world.happens()
    world.gateway.answer(NEWS, _none)
    assert [] == await world.works(2)
    world.gateway.answer(NEWS, world._news)

    assert [["p-1"]] == pages(await world.works(20))
    assert 0 == (await world.kept(watch.watch_id)).failures


async def test_a_digest_goes_out_without_knowing_what_is_newest(world: NewsWorld) -> None:
    """Who looks at each change waits; the others have their time."""
    await world.watch(schedule=DAILY)
    await world.watch()
    world.happens()
    world.gateway.answer(NEWEST_NEWS, _none)

    assert [["p-1"]] == pages(await world.works(hours(6)))
    world.gateway.answer(NEWEST_NEWS, world._newest)
    assert [["p-1"]] == pages(await world.works(1))


async def test_a_receiver_that_fails_again_and_again_ends_its_watch(world: NewsWorld) -> None:
    """After three deliveries that were given up; resumed, it sends all that it missed."""
    watch = await world.watch()
    world.gateway.sender.results = [FAILED] * 18
    for number in range(3):
        world.happens(f"p-{number}")
        for _ in range(8):
            await world.works(hours(12))
    ended = await world.kept(watch.watch_id)
    world.happens("p-3")
    assert [] == await world.works(60)
    shown = await world.serve("GetWatch", name=f"watches/{watch.watch_id}")
    resumed = {"name": f"watches/{watch.watch_id}", "paused": False}
    await world.serve("UpdateWatch", watch=resumed, update_mask="paused")

    assert (WatchState.ENDED, EndReason.RECEIVER_FAILING) == (ended.state, ended.end_reason)
    assert "RECEIVER_FAILING" == shown.watch.end_reason
    assert ["It answered 500."] * 3 == [one.failure for one in shown.deliveries]
    assert [["p-0"], ["p-1"], ["p-2"], ["p-3"]] == pages(await world.works(2))
    assert 0 == (await world.kept(watch.watch_id)).failures


async def test_a_receiver_that_is_gone_ends_its_watch_at_once(world: NewsWorld) -> None:
    """It wants nothing more."""
    watch = await world.watch()
    world.gateway.sender.results = [SendResult(failure="It answered 410.", gone=True)]
    world.happens()
    await world.works(2)

    assert EndReason.RECEIVER_GONE is (await world.kept(watch.watch_id)).end_reason


async def test_who_may_not_read_the_scope_any_more_gets_nothing(world: NewsWorld) -> None:
    """Neither what is new nor what was to be attempted again; its owner sees why."""
    watch = await world.watch()
    world.gateway.sender.results = [FAILED]
    world.happens()
    await world.works(2)
    await world.serve("TransferScope", name="scopes/docs", owner="user:bob")
    grant = {"subject": "user:ann", "role": "SCOPE_ROLE_UNSPECIFIED"}
    share = {"name": "scopes/docs", "grant": grant}
    await served(world.gateway, person("bob"), "ShareScope", share)
    world.happens("p-2")

    assert [] == await world.works(hours(1))
    assert EndReason.NOT_READABLE is (await world.kept(watch.watch_id)).end_reason


async def test_a_paused_watch_tells_nothing_of_the_pause(world: NewsWorld) -> None:
    """Nor does one whose scope is gone."""
    watch = await world.watch()
    named = {"name": f"watches/{watch.watch_id}"}
    await world.serve("UpdateWatch", watch={**named, "paused": True})
    world.happens("p-1")
    assert [] == await world.works(60)
    await world.serve("UpdateWatch", watch={**named, "paused": False}, update_mask="paused")
    world.happens("p-2")
    assert [["p-2"]] == pages(await world.works(2))
    await world.serve("DeleteScope", name="scopes/docs")
    world.happens("p-3")

    assert [] == await world.works(2)
    assert EndReason.NOT_READABLE is (await world.kept(watch.watch_id)).end_reason


async def test_a_key_that_is_lost_ends_the_watch(world: NewsWorld) -> None:
    """Nothing is sent to where nobody can read."""
    watch = await world.watch()
    world.happens()
    alerts = world.gateway.ports.alerts
    object.__setattr__(alerts, "seal", WatchSeal())

    assert [] == await world.works(2)
    assert EndReason.SECRET_UNREADABLE is (await world.kept(watch.watch_id)).end_reason


async def test_a_page_is_watched_in_a_scope_that_holds_it(world: NewsWorld) -> None:
    """It alone."""
    page = KnownPage(page_id=PageId("p-1"), canonical_url=f"{DOCS}fees", access_context="public")
    world.gateway.says(PAGE_PLAN, PagePlanResponse(page=page))
    await world.watch(scope="", page="pages/p-1")
    world.happens("p-2")
    world.happens("p-1")

    assert [["p-1"]] == pages(await world.works(2))
    assert ("p-1", ScopeId("docs")) == (world.asked[-1].page_id, world.asked[-1].scope.scope_id)


@pytest.mark.parametrize("url", [f"{DOCS}fees", "https://elsewhere.example/"])
async def test_errors_are_told_to_who_asks_for_them(world: NewsWorld, url: str) -> None:
    """Once, of pages of the scope, beside other news."""
    page = KnownPage(page_id=PageId("p-1"), canonical_url=url, access_context="public")
    world.gateway.says(PAGE_PLAN, PagePlanResponse(page=page))
    await world.watch(condition={"news": ["error", "gone"]})
    now = world.gateway.clock.now()
    failed = FetchFailed(
        page_id=PageId("p-1"),
        fetch_id=FetchId("f"),
        reason="TIMEOUT",
        detail="Slow.",
        failed_time=now,
    )
    cause = Cause(event_id=EventId("e"), organisation_id="main", lane=Lane.BULK, published_time=now)
    world.gateway.clock.advance(1)
    for _ in range(2):
        await handle_fetch_failed(failed, cause, world.gateway.ports)
    messages = await world.works(1)
    world.happens("p-2", news=PageNews.CLOSED, edits=())
    later = await world.works(2)

    told = [(one.news, one.failure) for message in messages for one in message.alerts]
    assert ([(News.ERROR, "Slow.")] if url.startswith(DOCS) else []) == told
    assert [["p-2"]] == pages(later)


async def test_every_page_that_could_not_be_fetched_is_told_of(world: NewsWorld) -> None:
    """However many there are at once, in several messages, each once; other news with them."""
    page = KnownPage(page_id=PageId("p"), canonical_url=f"{DOCS}p", access_context="public")
    world.gateway.says(PAGE_PLAN, PagePlanResponse(page=page))
    await world.watch(condition={"news": ["error", "gone"]})
    count = 2 * FAILURES_MAX + 1
    for number in range(count):
        world.gateway.clock.advance(0.01)
        now = world.gateway.clock.now()
        failed = FetchFailed(
            page_id=PageId(f"p-{number}"),
            fetch_id=FetchId(f"f-{number}"),
            reason="TIMEOUT",
            detail="Slow.",
            failed_time=now,
        )
        event = EventId(f"e-{number}")
        cause = Cause(event_id=event, organisation_id="main", lane=Lane.BULK, published_time=now)
        await handle_fetch_failed(failed, cause, world.gateway.ports)
    world.happens("gone", news=PageNews.CLOSED, edits=())
    messages = await world.works(1) + await world.works(hours(1))

    told = sorted(page for message in pages(messages) for page in message)
    assert sorted(["gone", *(f"p-{number}" for number in range(count))]) == told


async def test_old_deliveries_are_forgotten(world: NewsWorld) -> None:
    """As late as news are."""
    watch = await world.watch()
    world.happens()
    await world.works(2)
    store = world.gateway.ports.alerts.store
    assert not await forget_old(world.gateway.ports)
    assert 1 == len(await store.deliveries(watch.watch_id, limit=9))
    world.gateway.clock.advance(KEPT.total_seconds() + 1)
    await forget_old(world.gateway.ports)

    assert () == await store.deliveries(watch.watch_id, limit=9)
