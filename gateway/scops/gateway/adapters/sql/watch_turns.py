"""Turns of watches in SQL: claimed by one gateway, each place of the news passed once."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import and_, delete, or_, select, update

from scops.common.contract.messages.change import NewsPlace
from scops.common.db.connection import Connection
from scops.common.db.locks import forget_rows
from scops.common.db.upsert import insert_ignore
from scops.gateway.adapters.sql.watch_rows import (
    delivery_of,
    delivery_values,
    place_values,
    watch_of,
)
from scops.gateway.adapters.sql.watch_tables import page_failure, watch, watch_delivery
from scops.gateway.watches.store import AttemptOutcome
from scops.gateway.watches.watch import (
    AlertDelivery,
    DeliveryState,
    EndReason,
    WatchId,
    WatchState,
    WatchTurn,
)

OPEN = watch_delivery.c.state == DeliveryState.OPEN.value


async def claim(
    connection: Connection,
    *,
    now: datetime,
    until: datetime,
    newest: datetime | None,
    limit: int,
) -> tuple[WatchTurn, ...]:
    """Takes active watches that are due, for nobody else before `until`."""
    is_due = watch.c.due_at <= now
    if newest is not None:
        is_due = or_(is_due, and_(watch.c.due_at.is_(None), watch.c.place_at < newest))
    is_free = or_(watch.c.claimed_until.is_(None), watch.c.claimed_until <= now)
    found = (
        select(watch)
        .where(watch.c.state == WatchState.ACTIVE.value, is_due, is_free)
        .order_by(watch.c.due_at, watch.c.watch_id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    taken = [watch_of(row) for row in (await connection.execute(found)).all()]
    ids = [one.watch_id for one in taken]
    mine = watch.c.watch_id.in_(ids)
    await connection.execute(update(watch).where(mine).values(claimed_until=until))
    oldest = await _oldest_open(connection, ids)
    return tuple(WatchTurn(watch=one, delivery=oldest.get(one.watch_id)) for one in taken)


async def _oldest_open(
    connection: Connection, watch_ids: Sequence[WatchId]
) -> dict[WatchId, AlertDelivery]:
    found = (
        select(watch_delivery)
        .where(watch_delivery.c.watch_id.in_(watch_ids), OPEN)
        .order_by(watch_delivery.c.delivery_id.desc())
    )
    rows = (await connection.execute(found)).all()
    return {WatchId(row.watch_id): delivery_of(row) for row in rows}


async def begin(connection: Connection, delivery: AlertDelivery) -> bool:
    """Keeps a delivery, and moves its watch behind it; False where it has moved already."""
    # Due at once, should its sender die before it has settled it.
    due_at = delivery.due_time
    moved = await move(connection, delivery.watch_id, delivery.after, delivery.until, due_at=due_at)
    return moved and await insert_ignore(connection, watch_delivery, delivery_values(delivery))


async def move(
    connection: Connection, watch_id: WatchId, place: NewsPlace, to: NewsPlace, **values: Any
) -> bool:
    """Moves an active watch from a place of the news to another, unless it has moved already."""
    stands = (
        watch.c.watch_id == watch_id,
        watch.c.state == WatchState.ACTIVE.value,
        watch.c.place_at == place.recorded_time,
        watch.c.place_page == place.page_id,
    )
    moved = update(watch).where(*stands).values(**place_values("place", to), **values)
    return (await connection.execute(moved)).rowcount == 1


async def postpone(
    connection: Connection, watch_id: WatchId, *, due_time: datetime, failure: str
) -> None:
    """Has a watch taken up again later."""
    later = update(watch).where(watch.c.watch_id == watch_id)
    await connection.execute(later.values(due_at=due_time, claimed_until=None))
    values: dict[str, Any] = {"due_at": due_time} | ({"failure": failure} if failure else {})
    mine = (watch_delivery.c.watch_id == watch_id, OPEN)
    await connection.execute(update(watch_delivery).where(*mine).values(values))


async def settle(connection: Connection, delivery: AlertDelivery, outcome: AttemptOutcome) -> None:
    """Records an attempt; a delivery that has been settled meanwhile stays."""
    of_watch = watch.c.watch_id == delivery.watch_id
    locked = select(watch.c.failures).where(of_watch).with_for_update()
    failures = (await connection.execute(locked)).scalar_one_or_none()
    if failures is None:
        return
    values: dict[str, Any] = {
        "state": outcome.state.value,
        "attempts": delivery.attempts + outcome.counts,
        "failure": outcome.failure,
        "due_at": outcome.due_time or delivery.due_time,
        "ended_at": None if outcome.state is DeliveryState.OPEN else outcome.at,
    }
    mine = (watch_delivery.c.delivery_id == delivery.delivery_id, OPEN)
    done = await connection.execute(update(watch_delivery).where(*mine).values(values))
    if done.rowcount != 1:
        return
    changed: dict[str, Any] = {"claimed_until": None, "due_at": outcome.due_time}
    if outcome.state is DeliveryState.SENT:
        changed["failures"] = 0
    elif outcome.state is DeliveryState.DEAD:
        changed["failures"] = failures + 1
    if outcome.state is not DeliveryState.OPEN and await _has_open(connection, delivery.watch_id):
        changed["due_at"] = outcome.at
    await connection.execute(update(watch).where(of_watch).values(changed))
    if outcome.ends is not EndReason.NONE:
        await end_watch(connection, delivery.watch_id, outcome.ends, at=outcome.at)


async def _has_open(connection: Connection, watch_id: WatchId) -> bool:
    return bool(await _oldest_open(connection, [watch_id]))


async def end_watch(
    connection: Connection, watch_id: WatchId, reason: EndReason, *, at: datetime
) -> None:
    """Ends a watch by itself; what is open of it waits for it to be resumed."""
    values = {
        "state": WatchState.ENDED.value,
        "end_reason": reason.value,
        "updated_at": at,
        "claimed_until": None,
        "due_at": None,
    }
    stands = (watch.c.watch_id == watch_id, watch.c.state != WatchState.ENDED.value)
    await connection.execute(update(watch).where(*stands).values(values))


async def release(connection: Connection) -> None:
    """Lets go of every claim."""
    held = watch.c.claimed_until.is_not(None)
    await connection.execute(update(watch).where(held).values(claimed_until=None))


async def forget(connection: Connection, *, before: datetime, limit: int) -> int:
    """Forgets some deliveries that ended and failures recorded before an instant; see the port."""
    ended = (
        select(watch_delivery.c.delivery_id)
        .where(watch_delivery.c.ended_at < before)
        .order_by(watch_delivery.c.ended_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    gone = [row.delivery_id for row in (await connection.execute(ended)).all()]
    await connection.execute(delete(watch_delivery).where(watch_delivery.c.delivery_id.in_(gone)))
    old = page_failure.c.recorded_at < before
    return max(len(gone), await forget_rows(connection, page_failure, old, limit=limit))
