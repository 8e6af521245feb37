"""From the lines of an export to what each page showed when, in order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from fastwarc.warc import ArchiveIterator, WarcRecordType

from scops.standalone.commands.transfer.folder import PAGES, VERSIONS, ExportFolder, ExportState
from scops.standalone.commands.transfer.packing import UnpackedVersion, pack
from scops.standalone.terminal.exits import CommandError, Exit

Row = dict[str, Any]
NOT_FOUND = "not_found"
MOVED = "moved"


@dataclass(frozen=True, slots=True)
class PageSeen:
    """What a page showed at an instant: a version's text, the same again, or nothing.

    Attributes:
        version: whose text it is; None for the others.
        confirmed: when that text had been seen first; None for the others.
        gone_reason: empty for the others.
    """

    at: datetime
    version: Row | None = None
    confirmed: datetime | None = None
    gone_reason: str = ""


@dataclass(frozen=True, slots=True)
class PageLines:
    """A page with all its versions, oldest first."""

    page: Row
    versions: Sequence[Row]

    @property
    def is_joined(self) -> bool:
        """Whether its URLs name another page: it redirects there, or says the same."""
        return bool(self.page["closed"]) and self.page["closed_reason"] == MOVED

    @property
    def kept(self) -> list[Row]:
        """The versions that can be taken in: of each stay of a text the last reading."""
        last = {row["observed_from_time"]: row for row in self.versions}
        return [row for row in last.values() if not row["left_out_reason"]]

    def observations(self) -> Iterator[PageSeen]:
        """Yields what the page showed, in the order of time."""
        stays = list({row["observed_from_time"]: row for row in self.versions}.values())
        for number, row in enumerate(stays):
            begin = instant(row["observed_from_time"])
            if not row["left_out_reason"]:
                yield PageSeen(begin, version=row)
                verified = instant(row["last_verified_time"])
                if verified > begin:
                    yield PageSeen(verified, confirmed=begin)
            following = stays[number + 1] if number + 1 < len(stays) else None
            end = row["observed_to_time"]
            if end is not None and (following is None or following["observed_from_time"] > end):
                reason = NOT_FOUND if following is not None else self.page["closed_reason"]
                yield PageSeen(instant(end), gone_reason=reason or NOT_FOUND)


def pages_of(folder: ExportFolder, state: ExportState) -> Iterator[PageLines]:
    """Yields the pages of an export with their versions; a page may go on in the next part."""
    versions = groupby(folder.rows(state, VERSIONS), key=lambda row: str(row["page"]))
    waiting = next(versions, None)
    last = ""
    for page in folder.rows(state, PAGES):
        if page["page"] == last:
            continue
        last = page["page"]
        rows: list[Row] = []
        if waiting is not None and waiting[0] == last:
            rows = list(waiting[1])
            waiting = next(versions, None)
        yield PageLines(page, rows)


def content_of(folder: ExportFolder, row: Row) -> bytes:
    """Returns the content of a version, read from its place in the WARC file.

    Raises:
        CommandError: it is not there.
    """
    name = str(row["warc_file"])
    with (folder.path / Path(name).name).open("rb") as file:
        file.seek(row["warc_offset"])
        records = zip(range(2), ArchiveIterator(file, parse_http=False), strict=False)
        try:
            read = [(one.record_type, bytes(one.reader.read())) for _, one in records]
        except OSError:
            read = []
    if [kind for kind, _ in read] != [WarcRecordType.conversion, WarcRecordType.metadata]:
        raise CommandError(
            f"{name} has no text at byte {row['warc_offset']}. Copy the export again.",
            code=Exit.INVALID_INPUT,
            reason="EXPORT_UNUSABLE",
        )
    (_, text), (_, document) = read
    return pack(UnpackedVersion(text.decode(), document, row["pipeline_version"]))


def instant(text: str) -> datetime:
    """Returns an instant of a line."""
    return datetime.fromisoformat(text)
