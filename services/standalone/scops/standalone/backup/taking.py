"""Takes a backup of an installation that runs."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from sqlalchemy import update

from scops.change_detector.adapters.tables import garbage
from scops.change_detector.service import DATABASE
from scops.common.archive.opening import open_archive
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import ScopsError
from scops.common.db.address import state_address
from scops.common.db.database import Database
from scops.common.observe.log import get_logger
from scops.common.runtime.clock import Clock, SystemClock
from scops.common.runtime.tasks import cancel_all
from scops.standalone.backup.blobs import copy_blobs, digests_of
from scops.standalone.backup.place import BACKUPS, BackupPlace
from scops.standalone.backup.record import BackupRecord, write_record
from scops.standalone.backup.snapshots import DATABASES, opened_snapshot

log = get_logger(__name__)
# Garbage waits for `garbage_hours` from its note; renewed well within the least sensible value.
HOLD_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """What a backup holds.

    Attributes:
        blobs, copied: of the archive, and those that the place did not have before.
        lacking: blobs that kept versions refer to and the archive does not have.
    """

    backup_id: str
    place: str
    databases: tuple[str, ...]
    blobs: int
    copied: int
    lacking: tuple[str, ...]


async def take_backup(
    common: CommonSettings, place: BackupPlace, *, clock: Clock | None = None
) -> BackupReport:
    """Copies the databases at one instant, then every blob that the place lacks.

    A blob is in the archive before a row names it, and what stops being named waits for a day:
    so every blob that the copied rows name is still there when the archive is copied.

    Raises:
        StoreUnavailable: a database, the archive or the place does not answer; what was copied
            counts for nothing but the blobs, which the next backup need not copy again.
    """
    time = clock or SystemClock()
    async with _held_garbage(common, time):
        taken = time.now()
        backup_id = taken.strftime("%Y%m%dT%H%M%S%f")[:-3] + "Z"
        folder = f"{BACKUPS}/{backup_id}"
        with tempfile.TemporaryDirectory(prefix="scops-backup-") as work:
            async with opened_snapshot(common) as snapshot:
                databases = tuple(
                    [await snapshot.copy(name, place, folder, Path(work)) for name in DATABASES]
                )
                referred = await snapshot.referred()
            held, copied = await _copy_archive(common, place)
            listed = Path(work) / "blobs.txt"
            listed.write_text("".join(f"{digest}\n" for digest in sorted(held)))
            blobs = await place.keep(listed, f"{folder}/blobs.txt")
        record = BackupRecord(
            backup_id=backup_id,
            scops_version=version("scops"),
            taken_time=taken.isoformat(),
            organisation_id=common.organisation_id,
            on_server=bool(common.database_url.get_secret_value()),
            databases=databases,
            blobs=blobs,
            blob_count=len(held),
            referred=len(referred),
            lacking=tuple(sorted(referred - held)),
        )
        await write_record(place, record)
    return BackupReport(
        backup_id=backup_id,
        place=place.url,
        databases=DATABASES,
        blobs=len(held),
        copied=copied,
        lacking=record.lacking,
    )


async def _copy_archive(common: CommonSettings, place: BackupPlace) -> tuple[set[str], int]:
    """Copies what the place lacks; returns the digests that it has then, and how many came."""
    source = open_archive(common.archive_url, common.organisation_id)
    target = place.archive(common.organisation_id)
    there = await digests_of(common.archive_url, common.organisation_id)
    here = await digests_of(place.blobs_url, common.organisation_id)
    # Nobody names what goes meanwhile: it was garbage.
    gone = await copy_blobs(source, target, there - here)
    return there - set(gone), len(there - here) - len(gone)


@asynccontextmanager
async def _held_garbage(common: CommonSettings, clock: Clock) -> AsyncIterator[None]:
    """Keeps the garbage collector off what is garbage now: its time begins again and again.

    Should this process die, the time runs out by itself.
    """
    database = Database(state_address(common, DATABASE), name=DATABASE)

    async def hold() -> None:
        async with database.transaction() as connection:
            await connection.execute(update(garbage).values(noted_time=clock.now()))

    async def go_on() -> None:
        while True:
            await clock.sleep(HOLD_SECONDS)
            # The next round makes up for one that failed.
            with suppress(ScopsError):
                await hold()

    try:
        await hold()
        holding = asyncio.create_task(go_on(), name="hold-garbage")
        try:
            yield
        finally:
            await cancel_all([holding])
    finally:
        await database.close()
