"""Drops what was observed of a page before an instant; runs in the caller's transaction.

Runs follow each other, so that those whose last observation is older are the beginning of the
timeline: what stands after them is untouched, and a text that was seen again since stays.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, literal, select, update

from scops.change_detector.adapters.tables import (
    dropped_version,
    observation,
    page_address,
    page_memory,
    pin,
    rechunk,
    run,
    template_block,
    template_page,
    verdict,
    version,
)
from scops.change_detector.timeline.records import PURGED
from scops.change_detector.timeline.runs import ObservationKind
from scops.common.contract.ids import PageId
from scops.common.db.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedPage:
    """What went of a page.

    Attributes:
        through: the latest beginning of a run that is purged; None where there is none.
        digests: of blobs that its versions referred to.
    """

    through: datetime | None
    digests: frozenset[str] = frozenset()
    versions: int = 0
    observations: int = 0


async def drop_page(
    connection: Connection, page_id: PageId, *, before: datetime, now: datetime
) -> DroppedPage:
    """Makes tombstones without words of versions last seen before an instant.

    Doing it again changes nothing and has the same `through`.
    """
    old = (run.c.page_id == page_id) & (run.c.last_observed < before)
    newest = select(func.max(run.c.observed_from), func.max(run.c.last_observed)).where(old)
    through, last = (await connection.execute(newest)).one()
    if through is None:
        return DroppedPage(through=None)
    observations = await _drop_observations(connection, page_id, last)
    digests, versions = await _blank_versions(connection, page_id, through, now=now)
    await connection.execute(delete(run).where(old, run.c.kind == ObservationKind.GONE.value))
    open_runs = update(run).where(old, run.c.observed_to.is_(None))
    # Nothing that is observed before it comes in any more, so that the next run begins later.
    await connection.execute(open_runs.values(observed_to=before))
    await _forget_templates(connection, page_id)
    for of_page in (rechunk, page_memory):
        await connection.execute(delete(of_page).where(of_page.c.page_id == page_id))
    return DroppedPage(
        through=through, digests=digests, versions=versions, observations=observations
    )


async def _drop_observations(connection: Connection, page_id: PageId, last: datetime) -> int:
    old = (observation.c.page_id == page_id) & (observation.c.observed_time <= last)
    fetches = select(observation.c.fetch_id).where(old)
    await connection.execute(delete(verdict).where(verdict.c.fetch_id.in_(fetches)))
    return (await connection.execute(delete(observation).where(old))).rowcount


async def _blank_versions(
    connection: Connection, page_id: PageId, through: datetime, *, now: datetime
) -> tuple[frozenset[str], int]:
    old = (version.c.page_id == page_id) & (version.c.observed_from <= through)
    fresh = old & (version.c.dropped_reason != PURGED)
    found = (await connection.execute(select(version).where(fresh))).all()
    digests = {d for v in found for d in (v.manifest_digest, v.text_digest, v.document_digest)}
    ids = select(version.c.version_id).where(old)
    await connection.execute(delete(pin).where(pin.c.version_id.in_(ids)))
    await connection.execute(delete(dropped_version).where(dropped_version.c.version_id.in_(ids)))
    await connection.execute(
        update(version)
        .where(fresh)
        .values(
            dropped_time=now,
            dropped_reason=PURGED,
            title="",
            summary=b"",
            text_digest="",
            document_digest="",
            manifest_digest="",
            manifest_size=0,
        )
    )
    return frozenset(digests - {""}), len(found)


async def _forget_templates(connection: Connection, page_id: PageId) -> None:
    """Forgets what the blocks of the host say; the pages that stand tell it again."""
    found = select(page_address).where(page_address.c.page_id == page_id)
    address = (await connection.execute(found)).first()
    if address is None:
        return
    await connection.execute(
        update(template_block)
        .where(
            template_block.c.organisation_id == address.organisation_id,
            template_block.c.host == address.host,
        )
        .values(text="")
    )
    sample = select(template_page.c.page_id).where(
        template_page.c.organisation_id == address.organisation_id,
        template_page.c.host == address.host,
    )
    # By key: beside an OR, PostgreSQL looks at every page.
    again = page_address.c.page_id.in_(sample.union_all(select(literal(page_id))))
    await connection.execute(
        update(page_address).where(again).values(learned=False, news=page_address.c.news + 1)
    )
