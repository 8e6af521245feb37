"""What their owners change of watches, in SQL."""

from typing import Any

from sqlalchemy import exists, select, update

from scops.common.contract.messages.change import NewsPlace
from scops.common.db.connection import Connection
from scops.gateway.adapters.sql.watch_rows import owned_values, place_values, watch_of
from scops.gateway.adapters.sql.watch_tables import watch, watch_delivery
from scops.gateway.watches.watch import DeliveryState, EndReason, Watch, WatchState


async def change(
    connection: Connection, changed: Watch, *, paused: bool | None, place: NewsPlace
) -> Watch | None:
    """Stores what its owner may change, and returns the watch as it is then."""
    mine = watch.c.watch_id == changed.watch_id
    found = await connection.execute(select(watch.c.state).where(mine).with_for_update())
    before = found.scalar_one_or_none()
    if before is None:
        return None
    values = owned_values(changed)
    if paused is not None:
        values |= _state_values(WatchState(before), paused=paused, place=place)
    if paused is False and before == WatchState.ENDED.value:
        await _revive(connection, changed)
    has_open = select(exists().where(watch_delivery.c.watch_id == changed.watch_id, OPEN))
    is_open = (await connection.execute(has_open)).scalar_one()
    now = changed.updated_time
    values["due_at"] = now if is_open else changed.schedule.due_after(now)
    await connection.execute(update(watch).where(mine).values(values))
    return watch_of((await connection.execute(select(watch).where(mine))).one())


def _state_values(before: WatchState, *, paused: bool, place: NewsPlace) -> dict[str, Any]:
    """Returns how it changes a watch that it is to be paused, or to send."""
    if paused:
        return {} if before is WatchState.ENDED else {"state": WatchState.PAUSED.value}
    values = {
        "state": WatchState.ACTIVE.value,
        "end_reason": EndReason.NONE.value,
        "failures": 0,
    }
    # What changed while nothing was to be told is not told.
    return values | (place_values("place", place) if before is WatchState.PAUSED else {})


async def _revive(connection: Connection, changed: Watch) -> None:
    """Has what was given up for a watch attempted anew."""
    dead = (
        watch_delivery.c.watch_id == changed.watch_id,
        watch_delivery.c.state == DeliveryState.DEAD.value,
    )
    fresh = {
        "state": DeliveryState.OPEN.value,
        "attempts": 0,
        "due_at": changed.updated_time,
        "ended_at": None,
    }
    await connection.execute(update(watch_delivery).where(*dead).values(fresh))


OPEN = watch_delivery.c.state == DeliveryState.OPEN.value
