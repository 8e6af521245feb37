"""Rows of the scopes that are dropped some days after the last research run that used them."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, delete, exists, or_, select, update

from scops.common.contract.ids import ScopeId
from scops.common.db.connection import Connection
from scops.common.db.types import EPOCH
from scops.common.db.upsert import insert_ignore
from scops.gateway.adapters.sql.research_tables import research, research_keeping
from scops.gateway.research.keeping import HELD, ScopeKeeping
from scops.gateway.research.research import Research, ResearchState

KEPT = research_keeping.c
OPEN_RUN = exists().where(
    research.c.organisation_id == KEPT.organisation_id,
    research.c.scope_id == KEPT.scope_id,
    research.c.state == ResearchState.RUNNING.value,
)


def _of(organisation_id: str, scope_id: ScopeId) -> tuple[Any, Any]:
    return KEPT.organisation_id == organisation_id, KEPT.scope_id == scope_id


def _is_due(now: datetime) -> tuple[Any, ...]:
    is_free = or_(KEPT.claimed_until.is_(None), KEPT.claimed_until <= now)
    return KEPT.due_at <= now, is_free, ~OPEN_RUN


async def wish(connection: Connection, wanted: ScopeKeeping) -> bool:
    """Adds a row; returns whether there was none."""
    row = {
        "organisation_id": wanted.organisation_id,
        "scope_id": wanted.scope_id,
        "principal": wanted.principal_id,
        "keep_days": wanted.keep_days,
        "due_at": wanted.due_time,
        "claimed_until": None,
    }
    return await insert_ignore(connection, research_keeping, row)


async def hold(
    connection: Connection, organisation_id: str, scope_id: ScopeId, *, until: datetime
) -> ScopeKeeping | None:
    """Puts off when a scope is dropped, unless that has begun."""
    mine = _of(organisation_id, scope_id)
    found = select(research_keeping).where(*mine).with_for_update()
    row = (await connection.execute(found)).one_or_none()
    if row is None:
        return None
    if row.claimed_until is None and row.due_at < until:
        await connection.execute(update(research_keeping).where(*mine).values(due_at=until))
    return _keeping(row)


async def used(connection: Connection, run: Research) -> None:
    """Keeps the scope of a run that begins as long as that one wishes, or one before it."""
    mine = _of(run.organisation_id, run.scope_id)
    if run.keep_days is None:
        await connection.execute(delete(research_keeping).where(*mine))
        return
    found = select(research_keeping).where(*mine).with_for_update()
    row = (await connection.execute(found)).one_or_none()
    if row is not None:
        days = max(row.keep_days, run.keep_days)
        due = run.created_time + HELD + timedelta(days=days)
        values = {"keep_days": days, "due_at": due}
        await connection.execute(update(research_keeping).where(*mine).values(values))


async def unused(
    connection: Connection, organisation_id: str, scope_id: ScopeId, *, now: datetime
) -> None:
    """Notes that a run of a scope has ended."""
    mine = _of(organisation_id, scope_id)
    found = select(research_keeping).where(*mine).with_for_update()
    row = (await connection.execute(found)).one_or_none()
    if row is not None:
        due = now + timedelta(days=row.keep_days)
        await connection.execute(update(research_keeping).where(*mine).values(due_at=due))


async def some(
    connection: Connection, organisation_id: str, scope_ids: Collection[ScopeId]
) -> dict[ScopeId, ScopeKeeping]:
    """Returns the rows of some scopes."""
    statement = select(research_keeping).where(
        KEPT.organisation_id == organisation_id, KEPT.scope_id.in_(sorted(scope_ids))
    )
    rows = (await connection.execute(statement)).all()
    return {ScopeId(row.scope_id): _keeping(row) for row in rows}


async def due(connection: Connection, *, now: datetime, limit: int) -> tuple[ScopeKeeping, ...]:
    """Returns rows whose time is over."""
    statement = select(research_keeping).where(*_is_due(now)).order_by(KEPT.due_at).limit(limit)
    return tuple(_keeping(row) for row in (await connection.execute(statement)).all())


async def begin_drop(
    connection: Connection, kept: ScopeKeeping, *, now: datetime, until: datetime
) -> bool:
    """Claims a row whose time is over, where nobody has."""
    mine = (*_of(kept.organisation_id, kept.scope_id), *_is_due(now))
    taken = update(research_keeping).where(*mine).values(claimed_until=until)
    return (await connection.execute(taken)).rowcount == 1


async def end_drop(connection: Connection, kept: ScopeKeeping, *, now: datetime) -> None:
    """Takes away a row that was claimed, and tells the runs of its scope."""
    mine = _of(kept.organisation_id, kept.scope_id)
    gone = delete(research_keeping).where(*mine, KEPT.claimed_until.is_not(None))
    if (await connection.execute(gone)).rowcount != 1:
        return
    runs = update(research).where(
        research.c.organisation_id == kept.organisation_id,
        research.c.scope_id == kept.scope_id,
        research.c.state != ResearchState.RUNNING.value,
        research.c.dropped_at.is_(None),
    )
    await connection.execute(runs.values(dropped_at=now))


async def let_stand(connection: Connection, kept: ScopeKeeping) -> None:
    """Takes away a row."""
    mine = _of(kept.organisation_id, kept.scope_id)
    await connection.execute(delete(research_keeping).where(*mine))


async def release(connection: Connection) -> None:
    """Has what somebody was dropping taken up at once."""
    # A claim stays one: what was begun is ended, whatever became of the scope.
    held = KEPT.claimed_until.is_not(None)
    await connection.execute(update(research_keeping).where(held).values(claimed_until=EPOCH))


def _keeping(row: Row[Any]) -> ScopeKeeping:
    return ScopeKeeping(
        organisation_id=row.organisation_id,
        scope_id=ScopeId(row.scope_id),
        principal_id=row.principal,
        keep_days=row.keep_days,
        due_time=row.due_at,
        is_dropping=row.claimed_until is not None,
    )
