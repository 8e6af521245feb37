"""Puts an installation back from a backup, and brings in line what is not backed up."""

import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nats.js import JetStreamContext
from nats.js.errors import NotFoundError

from scops.common.archive.opening import open_archive
from scops.common.bus.admin.provisioner import provision as provision_bus
from scops.common.bus.admin.topology import SCOPE_BUCKET, stream_configs
from scops.common.bus.admin.watchdog import consumers_of
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import Conflict, PermanentError
from scops.common.contract.service_table import Role
from scops.common.observe.log import get_logger
from scops.common.runtime.clock import Clock, SystemClock
from scops.indexer.upkeep.reconcile import ReconcileReport
from scops.standalone.backup.blobs import copy_blobs, damaged_blobs, digests_of
from scops.standalone.backup.databases import RestoreTarget, check_kind, refuse_occupied, target_of
from scops.standalone.backup.place import BackupPlace, StoredFile
from scops.standalone.backup.record import BackupRecord, read_record
from scops.standalone.process.maintenance import reconcile_index
from scops.standalone.process.roles import opened_bus, provision_index

log = get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreReport:
    """What was put back.

    Attributes:
        backup_id: empty where the databases were put back by other means.
        blobs: that the archive lacked.
        lacking: blobs of the backup that are lost or damaged.
        index: what the index differed in from the databases, and how much of it was mended.
    """

    backup_id: str
    blobs: int
    lacking: tuple[str, ...]
    index_faults: int
    index_mended: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport:
    """What a reading of a whole backup found.

    Attributes:
        lacking: blobs that the archive did not have when the backup was taken.
        damaged: blobs that are lost or damaged since.
    """

    backup_id: str
    taken_time: str
    scops_version: str
    files: int
    blobs: int
    lacking: tuple[str, ...]
    damaged: tuple[str, ...]


async def verify_backup(place: BackupPlace, *, backup_id: str = "") -> VerifyReport:
    """Reads every byte of a backup.

    Raises:
        NotFound: there is no such backup.
        PermanentError: a file of it is missing or damaged.
    """
    record = await read_record(place, backup_id)
    with tempfile.TemporaryDirectory(prefix="scops-verify-") as work:
        for file in record.files():
            await place.fetch(file, Path(work) / "file")
        digests = await _listed(place, record.blobs, Path(work))
    archive = place.archive(record.organisation_id)
    return VerifyReport(
        backup_id=record.backup_id,
        taken_time=record.taken_time,
        scops_version=record.scops_version,
        files=len(record.files()),
        blobs=len(digests),
        lacking=record.lacking,
        damaged=tuple(await damaged_blobs(archive, digests)),
    )


async def restore(
    common: CommonSettings,
    place: BackupPlace | None,
    *,
    backup_id: str = "",
    replace: bool = False,
    clock: Clock | None = None,
) -> RestoreReport:
    """Puts databases and archive back, empties the bus, and brings the index in line.

    No role may run. It may be broken off and begun again.

    Args:
        place: None where the databases were put back by other means already.
        backup_id: by default the newest of the place.
        replace: what the databases hold may be replaced.

    Raises:
        Conflict: roles run, or the databases hold something.
        InvalidInput: the backup is of another kind of installation, or of a later version.
        PermanentError: the backup is damaged.
        StoreUnavailable: something does not answer.
    """
    target = target_of(common, clock or SystemClock())
    record = await read_record(place, backup_id) if place else None
    if record:
        check_kind(record, common)
    async with opened_bus(common) as bus:
        await _refuse_running(bus.jetstream, target)
        if place and record:
            if not replace:
                refuse_occupied(await target.occupied())
            blobs, lacking = await _put_back(common, place, record, target)
        else:
            blobs, lacking = 0, []
            await target.settle()
        await _empty_bus(bus.jetstream, common)
    await provision_index(common)
    index = await _reconciled()
    return RestoreReport(
        backup_id=record.backup_id if record else "",
        blobs=blobs,
        lacking=tuple(lacking),
        index_faults=index.faults,
        index_mended=index.mended,
    )


async def _put_back(
    common: CommonSettings, place: BackupPlace, record: BackupRecord, target: RestoreTarget
) -> tuple[int, list[str]]:
    """Puts the blobs back, then the rows that name them."""
    with tempfile.TemporaryDirectory(prefix="scops-restore-") as work:
        listed = await _listed(place, record.blobs, Path(work))
        wanted = listed - await digests_of(common.archive_url, common.organisation_id)
        archive = open_archive(
            common.archive_url, common.organisation_id, in_segments=common.archive_segments
        )
        lacking = await copy_blobs(place.archive(record.organisation_id), archive, wanted)
        log.info("archive_restored", blobs=len(wanted) - len(lacking), lacking=len(lacking))
        await target.put_back(place, record, Path(work))
        log.info("databases_restored", backup_id=record.backup_id)
    return len(wanted) - len(lacking), lacking


async def _listed(place: BackupPlace, file: StoredFile, work: Path) -> set[str]:
    target = work / "blobs.txt"
    await place.fetch(file, target)
    return set(target.read_text().split())


async def _refuse_running(jetstream: JetStreamContext, target: RestoreTarget) -> None:
    """Refuses to work under roles: they would go on from what is replaced.

    Raises:
        Conflict: some run.
    """
    waiting = []
    for stream in await _streams(jetstream):
        found = await consumers_of(jetstream, stream)
        waiting += [info.name for info in found if info.num_waiting]
    problem = f"{len(waiting)} durables are being read" if waiting else await target.problem()
    if problem:
        raise Conflict(
            f"Roles are running: {problem}. Stop them all, such as by `kubectl scale deployment "
            "--all --replicas=0`, and restore again.",
            reason="ROLES_RUNNING",
        )


async def _streams(jetstream: JetStreamContext) -> list[str]:
    names = [info.config.name or "" for info in await jetstream.streams_info()]
    return [name for name in names if name.startswith("SCOPS_")]


async def _empty_bus(jetstream: JetStreamContext, common: CommonSettings) -> None:
    """Makes streams, durables and the scopes' bucket anew: what they held is of another time."""
    for name in (*(str(each.name) for each in stream_configs(common)), f"KV_{SCOPE_BUCKET}"):
        with suppress(NotFoundError):
            await jetstream.delete_stream(name)
    await provision_bus(jetstream, tuple(Role), common=common)


async def _reconciled() -> ReconcileReport:
    found = await reconcile_index(since=None, dry_run=False)
    if found.left:
        # What a second look finds depends on what the first one mended.
        again = await reconcile_index(since=None, dry_run=False)
        if again.left:
            raise PermanentError(
                f"The index still differs from the databases in {again.left} places. "
                "Databases and archive are restored; see the log for what cannot be read, and "
                "run `scops reconcile`.",
                reason="RESTORE_INDEX_INCOMPLETE",
            )
    return found
