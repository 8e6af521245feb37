"""What a backup says of itself: `record.json`, written when everything else is there."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from scops.common.contract.errors import InvalidInput, NotFound
from scops.standalone.backup.place import (
    BACKUPS,
    RECORD_FILE,
    BackupDamaged,
    BackupPlace,
    StoredFile,
)

# Raised when older versions could not read what is written.
FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCopy:
    """A table of a server's schema, as `COPY … TO` wrote it.

    Attributes:
        columns: in the order of the file.
    """

    name: str
    columns: tuple[str, ...]
    file: StoredFile


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseCopy:
    """The state of one service: a SQLite file, or the tables of a schema.

    Attributes:
        revision: of its schema.
    """

    name: str
    revision: str
    file: StoredFile | None = None
    tables: tuple[TableCopy, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupRecord:
    """A whole backup.

    Attributes:
        on_server: the state was on PostgreSQL; it goes back to where it came from.
        blobs: a file with the digest of each blob, one a line.
        referred: blobs that kept versions refer to; `lacking` those of them that the archive
            did not have.
    """

    backup_id: str
    scops_version: str
    taken_time: str
    organisation_id: str
    on_server: bool
    databases: tuple[DatabaseCopy, ...]
    blobs: StoredFile
    blob_count: int
    referred: int
    lacking: tuple[str, ...] = ()
    format: int = field(default=FORMAT)

    def files(self) -> list[StoredFile]:
        """Returns every file but the record itself."""
        found = [self.blobs]
        for database in self.databases:
            found += [database.file] if database.file else []
            found += [table.file for table in database.tables]
        return found


async def write_record(place: BackupPlace, record: BackupRecord) -> None:
    """Ends a backup: before that, nobody takes it for one."""
    data = json.dumps(asdict(record), indent=1).encode()
    await place.write(f"{BACKUPS}/{record.backup_id}/{RECORD_FILE}", data)


async def read_record(place: BackupPlace, backup_id: str = "") -> BackupRecord:
    """Reads a backup's record, by default of the newest.

    Raises:
        NotFound: the place holds no such backup.
        InvalidInput: a later version of Scops wrote it.
        BackupDamaged: it cannot be read.
    """
    if not backup_id:
        ids = await place.backup_ids()
        backup_id = ids[-1] if ids else "none"
    data = await place.read(f"{BACKUPS}/{backup_id}/{RECORD_FILE}")
    if data is None:
        raise NotFound(
            f"{place.url} holds no backup {backup_id if backup_id != 'none' else 'at all'}. "
            "`scops backup PLACE` makes one; one that was broken off does not count.",
            reason="BACKUP_NOT_FOUND",
        )
    try:
        found = json.loads(data)
        if found["format"] > FORMAT:
            raise InvalidInput(
                f"Backup {backup_id} was made by Scops {found['scops_version']}, in a form that "
                "this version does not read. Restore it with that version.",
                reason="BACKUP_TOO_NEW",
            )
        return _record(found)
    except (ValueError, KeyError, TypeError) as error:
        raise BackupDamaged(f"The record of backup {backup_id} cannot be read: {error}.") from error


def _record(found: dict[str, Any]) -> BackupRecord:
    databases = tuple(
        DatabaseCopy(
            name=each["name"],
            revision=each["revision"],
            file=StoredFile(**each["file"]) if each["file"] else None,
            tables=tuple(
                TableCopy(
                    name=table["name"],
                    columns=tuple(table["columns"]),
                    file=StoredFile(**table["file"]),
                )
                for table in each["tables"]
            ),
        )
        for each in found["databases"]
    )
    rest = {
        name: value for name, value in found.items() if name in BackupRecord.__dataclass_fields__
    }
    return BackupRecord(
        **rest
        | {
            "databases": databases,
            "blobs": StoredFile(**found["blobs"]),
            "lacking": tuple(found["lacking"]),
        }
    )
