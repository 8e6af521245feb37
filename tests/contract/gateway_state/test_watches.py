"""Watches, how far each has looked and what was sent, with two replicas, on both databases."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import MetaData

from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.change import NewsPlace
from scops.common.contract.messages.types import ChangeClass
from scops.common.db.database import Database
from scops.gateway.adapters.sql.tables import metadata
from scops.gateway.adapters.sql.watches import SqlWatches
from scops.gateway.watches.schedule import Every, WatchSchedule
from scops.gateway.watches.store import AttemptOutcome
from scops.gateway.watches.watch import (
    AlertDelivery,
    DeliveryState,
    EndReason,
    News,
    PageFailure,
    Watch,
    WatchBounds,
    WatchCondition,
    WatchId,
    WatchState,
    WatchTurn,
)

OpenPair = Callable[[str, MetaData], Awaitable[tuple[Database, Database]]]
Stores = tuple[SqlWatches, SqlWatches]
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
UNTIL = AT + timedelta(minutes=1)
W1 = WatchId("w-1")
BEGIN, NEXT = NewsPlace(recorded_time=AT), NewsPlace(recorded_time=AT + SECOND, page_id=PageId("p"))


@pytest.fixture
async def stores(open_pair: OpenPair) -> Stores:
    """The stores of two replicas on one state."""
    first, second = await open_pair("gateway", metadata)
    return SqlWatches(first), SqlWatches(second)


def watch(name: str = "w-1", **values: object) -> Watch:
    given = {
        "watch_id": WatchId(name),
        "organisation_id": "main",
        "principal_id": "user:ann",
        "scope_id": ScopeId("docs"),
        "condition": WatchCondition(
            news=frozenset({News.GONE}),
            words=("fee",),
            change_classes=(ChangeClass.CRITICAL,),
        ),
        "shown_address": "https://hooks.example/…",
        "sealed": b"sealed",
        "bounds": WatchBounds(key_id="k", limited_to=frozenset({ScopeId("docs")})),
        "created_time": AT,
        "updated_time": AT,
        "place": BEGIN,
    }
    return Watch(**given | values)  # type: ignore[arg-type]


def delivery(name: str = "d-1", **values: object) -> AlertDelivery:
    given = {
        "delivery_id": name,
        "watch_id": W1,
        "after": BEGIN,
        "until": NEXT,
        "change_count": 2,
        "created_time": AT,
        "due_time": AT,
    }
    return AlertDelivery(**given | values)  # type: ignore[arg-type]


async def claimed(
    store: SqlWatches, now: datetime = AT, newest: datetime | None = None
) -> tuple[WatchTurn, ...]:
    until = now + timedelta(minutes=1)
    return await store.claim(now=now, until=until, newest=newest, limit=9)


async def kept(store: SqlWatches) -> Watch:
    found = await store.get(W1)
    assert found is not None
    return found


async def given_up(store: SqlWatches, one: AlertDelivery, **values: object) -> None:
    outcome = {"state": DeliveryState.DEAD, "at": AT, "failure": "500"}
    await store.settle(one, AttemptOutcome(**outcome | values))  # type: ignore[arg-type]


async def test_a_watch_is_read_as_it_was_kept(stores: Stores) -> None:
    """By its owner's name alone, newest first, and no more than each may have."""
    first, second = stores
    schedule = WatchSchedule(every=Every.WEEK, weekday=3, time_zone="Europe/Berlin")
    assert await first.create(watch(schedule=schedule), limit=2)
    assert await first.create(watch("w-2"), limit=2)
    assert not await first.create(watch("w-3"), limit=2)

    assert watch(schedule=schedule) == await kept(second)
    found = await second.newest("main", "user:ann", before="", limit=9)
    assert ["w-2", "w-1"] == [one.watch_id for one in found]
    assert () == await second.newest("other", "user:ann", before="", limit=9)
    assert () == await second.newest("main", "user:eve", before="", limit=9)


async def test_who_waits_for_news_is_due_when_there_is_some(stores: Stores) -> None:
    """Nobody before that, and one replica alone; a paused watch never."""
    first, second = stores
    await first.create(watch(), limit=0)
    await first.create(watch("w-2", state=WatchState.PAUSED), limit=0)
    assert await second.waits_for_news()
    assert () == await claimed(first)
    assert () == await claimed(first, newest=AT)
    (turn,) = await claimed(first, newest=AT + SECOND)

    assert (watch(), None) == (turn.watch, turn.delivery)
    assert () == await claimed(second, newest=AT + SECOND)
    assert [turn] == [*await claimed(second, UNTIL, newest=AT + SECOND)]


async def test_a_digest_is_due_at_its_time_alone(stores: Stores) -> None:
    """Whatever is new."""
    store, _ = stores
    await store.create(watch(due_time=UNTIL), limit=0)

    assert not await store.waits_for_news()
    assert () == await claimed(store, newest=UNTIL)
    assert 1 == len(await claimed(store, UNTIL))


async def test_news_between_two_places_are_told_by_one_delivery(stores: Stores) -> None:
    """Whoever comes second, and whoever has an old claim, finds the watch moved."""
    first, second = stores
    await first.create(watch(), limit=0)

    assert await first.begin(delivery())
    assert not await second.begin(delivery("d-2"))
    await second.pass_by(watch(), NewsPlace(recorded_time=UNTIL), due_time=None)
    assert NEXT == (await kept(second)).place
    assert (delivery(),) == await second.deliveries(W1, limit=9)


async def test_a_delivery_survives_who_began_it(stores: Stores) -> None:
    """It is due again when the claim has run out, or is let go of, and is the same one."""
    first, second = stores
    await first.create(watch(), limit=0)
    await claimed(first, newest=UNTIL)
    await first.begin(delivery())
    assert () == await claimed(second, UNTIL - SECOND)
    assert [delivery()] == [one.delivery for one in await claimed(second, UNTIL)]
    await first.release()

    assert [delivery()] == [one.delivery for one in await claimed(first, UNTIL)]


async def test_a_failed_attempt_is_made_again_and_a_sent_one_is_over(stores: Stores) -> None:
    """At the time said; then the watch waits for what is next."""
    first, second = stores
    await first.create(watch(failures=1), limit=0)
    await first.begin(delivery())
    (turn,) = await claimed(first)
    again = AttemptOutcome(state=DeliveryState.OPEN, at=AT, due_time=UNTIL, failure="500")
    assert turn.delivery is not None
    await first.settle(turn.delivery, again)
    assert () == await claimed(second)
    (turn,) = await claimed(second, UNTIL)
    assert turn.delivery is not None
    assert (1, "500") == (turn.delivery.attempts, turn.delivery.failure)
    sent = AttemptOutcome(state=DeliveryState.SENT, at=UNTIL)
    await second.settle(turn.delivery, sent)
    await given_up(first, turn.delivery)

    (over,) = await first.deliveries(W1, limit=9)
    assert (DeliveryState.SENT, 2, "") == (over.state, over.attempts, over.failure)
    assert (None, 0) == ((await kept(first)).due_time, (await kept(first)).failures)
    assert () == await claimed(first, UNTIL)


async def test_passing_by_and_postponing_let_go_of_the_watch(stores: Stores) -> None:
    """Each for the time that it says."""
    first, second = stores
    await first.create(watch(), limit=0)
    await claimed(first, newest=UNTIL)
    await first.postpone(W1, due_time=AT + SECOND)
    (turn,) = await claimed(second, AT + SECOND)
    await second.pass_by(turn.watch, NEXT, due_time=None)

    assert () == await claimed(first, UNTIL, newest=NEXT.recorded_time)
    assert 1 == len(await claimed(first, UNTIL, newest=UNTIL))


async def test_a_watch_that_ended_sends_what_was_given_up_when_it_is_resumed(
    stores: Stores,
) -> None:
    """Dead letters are kept until then, and it looks on from where it was."""
    store, _ = stores
    await store.create(watch(), limit=0)
    await store.begin(delivery())
    await given_up(store, delivery(), ends=EndReason.RECEIVER_FAILING)
    ended = await kept(store)
    assert (WatchState.ENDED, EndReason.RECEIVER_FAILING, 1) == (
        ended.state,
        ended.end_reason,
        ended.failures,
    )
    assert () == await claimed(store, UNTIL, newest=UNTIL)
    changed = replace(watch(), updated_time=UNTIL)
    resumed = await store.change(changed, paused=False, place=NewsPlace(recorded_time=UNTIL))

    assert resumed is not None
    assert (WatchState.ACTIVE, EndReason.NONE, 0, NEXT) == (
        resumed.state,
        resumed.end_reason,
        resumed.failures,
        resumed.place,
    )
    (turn,) = await claimed(store, UNTIL)
    assert turn.delivery is not None
    assert ("d-1", 0) == (turn.delivery.delivery_id, turn.delivery.attempts)


async def test_what_changes_during_a_pause_is_passed_by(stores: Stores) -> None:
    """What was under way before it goes on."""
    store, _ = stores
    await store.create(watch(), limit=0)
    await store.begin(delivery())
    await store.change(watch(), paused=True, place=BEGIN)
    assert () == await claimed(store, UNTIL)
    changed = replace(watch(), updated_time=UNTIL, display_name="new")
    now = NewsPlace(recorded_time=UNTIL)
    resumed = await store.change(changed, paused=False, place=now)

    assert resumed is not None
    assert (WatchState.ACTIVE, now, UNTIL, "new") == (
        resumed.state,
        resumed.place,
        resumed.due_time,
        resumed.display_name,
    )
    assert None is await store.change(watch("w-9"), paused=None, place=now)


async def test_a_change_of_words_leaves_state_and_place(stores: Stores) -> None:
    """And so a turn that is under way."""
    store, _ = stores
    await store.create(watch(), limit=0)
    await store.pass_by(watch(), NEXT, due_time=None)
    told = WatchCondition(words=("price",))
    changed = await store.change(replace(watch(), condition=told), paused=None, place=BEGIN)

    assert changed == await kept(store)
    assert (told, NEXT) == (changed.condition, changed.place)


async def test_failures_are_kept_once_a_day_where_somebody_wants_them(stores: Stores) -> None:
    """By reason; told by when they were recorded, and of one page if asked."""
    first, second = stores
    failure = PageFailure(
        organisation_id="main",
        page_id=PageId("p-1"),
        reason="TIMEOUT",
        detail="It did not answer.",
        failed_time=AT,
        recorded_time=AT + SECOND,
    )
    other = replace(failure, page_id=PageId("p-2"), recorded_time=UNTIL)
    await first.create(watch(), limit=0)
    assert not await first.note_failure(failure)
    errors = WatchCondition(news=frozenset({News.ERROR}))
    await first.create(watch("w-2", condition=errors), limit=0)
    assert [True, False] == [await one.note_failure(failure) for one in stores]
    assert await second.note_failure(other)

    async def told(after: datetime, page_id: PageId | None = None) -> list[PageFailure]:
        until = UNTIL
        return [*await second.failures("main", after=after, until=until, page_id=page_id, limit=9)]

    assert UNTIL == await second.newest_failure("main")
    assert None is await second.newest_failure("other")
    assert [failure, other] == await told(AT)
    assert [other] == await told(AT + SECOND) == await told(AT, PageId("p-2"))

    # Some at a time, however many there are.
    forgotten = [await first.forget(before=UNTIL + SECOND, limit=1) for _ in range(3)]
    assert [1, 1, 0] == forgotten
    assert [] == await told(AT)


async def test_nothing_is_left_of_a_deleted_watch(stores: Stores) -> None:
    """Nor does an attempt under way bring anything back."""
    store, _ = stores
    await store.create(watch(), limit=0)
    await store.begin(delivery())
    assert await store.delete(W1)
    await store.settle(delivery(), AttemptOutcome(state=DeliveryState.SENT, at=AT))
    assert not await store.begin(delivery("d-2"))

    assert not await store.delete(W1)
    assert () == await store.deliveries(W1, limit=9)


async def test_what_ended_long_ago_is_forgotten(stores: Stores) -> None:
    """And nothing newer."""
    store, _ = stores
    await store.create(watch(), limit=0)
    await store.begin(delivery())
    await store.settle(delivery(), AttemptOutcome(state=DeliveryState.SENT, at=AT))
    assert 0 == await store.forget(before=AT, limit=9)

    assert 1 == await store.forget(before=AT + SECOND, limit=9)
    assert () == await store.deliveries(W1, limit=9)
