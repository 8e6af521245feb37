"""Reads what the change-detector has on record of a page: observations, versions, memory."""

from typing import Any

from sqlalchemy import select

from scops.change_detector.adapters.sql_memories import SqlPageMemories
from scops.change_detector.adapters.tables import observation, verdict, version
from scops.change_detector.volatile.memory import block_name
from scops.common.contract import wire
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import BlockMemory
from scops.common.contract.messages.types import ChangeSummary
from scops.common.contract.service_table import Role
from scops.common.db.database import Database
from scops.common.observe.page_trace import TraceEntry

# Versions that older pipelines answered the same fetch with are rows of their own.
_OBSERVED = select(
    observation, verdict.c.kind.label("verdict"), verdict.c.late, verdict.c.opened
).outerjoin(verdict, verdict.c.fetch_id == observation.c.fetch_id)


async def trace_versions(database: Database, page_id: PageId) -> list[TraceEntry]:
    """Returns each observation with its verdict, each version with its blobs, volatile blocks."""
    async with database.reading() as connection:
        observed = await connection.execute(_OBSERVED.where(observation.c.page_id == page_id))
        versions = await connection.execute(select(version).where(version.c.page_id == page_id))
        entries = [_observed(row) for row in observed.all()]
        entries += [_kept(row) for row in versions.all()]
    found = await SqlPageMemories(database).read(page_id)
    told = [one for one in found.memory.blocks if one.loud or one.volatile_time is not None]
    return entries + [_volatile(one, page_id) for one in told]


def _observed(row: Any) -> TraceEntry:
    return TraceEntry(
        time=row.observed_time,
        service=Role.CHANGE_DETECTOR,
        what="observation",
        fetch_id=row.fetch_id,
        facts={
            "kind": row.kind,
            "verdict": row.verdict or "none yet",
            "late": row.late,
            "opened": row.opened,
            "reason": row.reason,
            "moved_to": row.moved_to,
            "pipeline": row.pipeline_version,
        },
        blobs={"text": row.text_digest} if row.text_digest else {},
    )


def _kept(row: Any) -> TraceEntry:
    summary = wire.decode(ChangeSummary, row.summary)
    digests = {"text": row.text_digest, "manifest": row.manifest_digest}
    return TraceEntry(
        time=row.observed_from,
        service=Role.CHANGE_DETECTOR,
        what="version",
        facts={
            "version": row.version_id,
            "revision": row.revision,
            "chunks": row.chunk_count,
            "change": summary.change_class,
            "restores": row.restored_version_id,
            "dropped": row.dropped_time,
            "dropped_reason": row.dropped_reason,
        },
        blobs=digests | ({"document": row.document_digest} if row.document_digest else {}),
    )


def _volatile(block: BlockMemory, page_id: PageId) -> TraceEntry:
    """Since when a block's changes are no news, and how that is turned round."""
    name, turn = block_name(block), "quiet" if block.loud else "loud"
    return TraceEntry(
        time=block.volatile_time or block.flipped_time,
        service=Role.CHANGE_DETECTOR,
        what="loud block" if block.loud else "volatile block",
        facts={
            "block": name,
            "kind": block.kind,
            "flips": block.flips,
            "last": block.flipped_time,
            "untold": block.untold,
            "reverse": f"scops page volatile {page_id} --{turn} {name}",
        },
    )
