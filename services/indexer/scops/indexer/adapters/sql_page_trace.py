"""Reads what the indexer has on record of a page: its versions, its head, its chunks."""

from collections import Counter
from typing import Any

from sqlalchemy import select

from scops.common.contract.ids import PageId
from scops.common.contract.service_table import Role
from scops.common.db.database import Database
from scops.common.observe.page_trace import TraceEntry
from scops.indexer.adapters.tables import CHUNK, HEAD, PAGE_VERSION


async def trace_index(database: Database, page_id: PageId) -> list[TraceEntry]:
    """Returns each version that the index knows, and the head with how its chunks stand."""
    async with database.reading() as connection:
        versions = await connection.execute(
            select(PAGE_VERSION).where(PAGE_VERSION.c.page_id == page_id)
        )
        head = (await connection.execute(select(HEAD).where(HEAD.c.page_id == page_id))).first()
        chunks = await connection.execute(select(CHUNK).where(CHUNK.c.page_id == page_id))
        states = Counter(_state(row) for row in chunks.all())
        entries = [_interval(row) for row in versions.all()]
    return [*entries, _head(head, states)] if head is not None else entries


def _state(row: Any) -> str:
    if not row.stored:
        return "not_stored"
    return "listed" if row.unlisted_since is None else "unlisted"


def _interval(row: Any) -> TraceEntry:
    return TraceEntry(
        time=row.first_observed or row.observed_from,
        service=Role.INDEXER,
        what="interval",
        facts={"version": row.version_id, "until": row.observed_to},
        blobs={"manifest": row.manifest_digest},
    )


def _head(row: Any, states: Counter[str]) -> TraceEntry:
    return TraceEntry(
        time=row.visible_time,
        service=Role.INDEXER,
        what="head",
        facts={
            "version": row.version_id,
            "closed": row.closed_reason if row.closed else "",
            "verified": row.verified_time,
            **{f"chunks_{state}": count for state, count in sorted(states.items())},
        },
        blobs={"manifest": row.manifest_digest} if row.manifest_digest else {},
    )
