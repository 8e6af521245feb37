"""Which records an index names whose pages are wanted, and the places where they lie.

What is chosen is held on the disk and read file by file, in the order of the file: records that
lie one behind the other are one read.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urljoin

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url
from scops.standalone.commands.warc.cdxj import UNPLACED, PlacedRecord
from scops.standalone.commands.warc.places import places_in
from scops.standalone.commands.warc.records import OUTSIDE, Observed, Passed, WarcReader
from scops.standalone.commands.warc.served import BOUNDS
from scops.standalone.commands.warc.wanted import WantedPages
from scops.standalone.commands.warc.web_files import URLS, WebFiles

# Of one read, and of a record, packed, with its headers.
RUN_BYTES_MAX = 4 * 1024 * 1024
RECORD_BYTES_MAX = BOUNDS.wire_bytes_max + 64 * 1024
ELSEWHERE = "in a file that does not lie below --base"
# A database of temporary files, of which little is held in memory.
TEMPORARY = ""
TABLE = "CREATE TABLE chosen (place TEXT, start INTEGER, length INTEGER)"
IN_ORDER = "SELECT DISTINCT place, start, length FROM chosen ORDER BY place, start"


@dataclass(frozen=True, slots=True)
class WarcRun:
    """Records that lie one behind the other in a file.

    Attributes:
        place: a path or a URL.
        start, length: in bytes.
    """

    chosen: "ChosenRecords"
    place: str
    start: int
    length: int

    @property
    def name(self) -> str:
        """What its file is called, without where it lies."""
        return _last(self.place)

    def read(self, reader: WarcReader) -> Iterator[Observed | Passed]:
        """Yields what its records say.

        Raises:
            OSError: they cannot be read, or others lie there.
        """
        try:
            yield from self._records(reader, self._bytes())
        except OSError:
            self.chosen.failed.add(self.place)
            raise

    def _records(self, reader: WarcReader, data: bytes) -> Iterator[Observed | Passed]:
        found = False
        try:
            for one in reader.read(BytesIO(data)):
                found = True
                yield one
        except OSError:
            if found:
                raise
        if not found:
            raise OSError(f"no record lies at byte {self.start}; the index is of another file")

    def _bytes(self) -> bytes:
        if self.place.startswith(URLS):
            return self.chosen.web.part(self.place, self.start, self.length)
        with Path(self.place).open("rb") as file:
            file.seek(self.start)
            return file.read(self.length)


@dataclass(frozen=True, slots=True)
class IndexFile:
    """An index, which is read before the records that it names.

    Attributes:
        place: a path or a URL.
        base: the folder or URL below which its files lie; else that of the index.
    """

    chosen: "ChosenRecords"
    place: str
    base: str

    @property
    def name(self) -> str:
        """What it is called, without where it lies."""
        return _last(self.place)

    def read(self, _: WarcReader) -> Iterator[Passed]:
        """Chooses records; yields those that are left out.

        Raises:
            OSError: it is not there, or is damaged from some place on.
        """
        base = self.base or self.place.partition("?")[0].rpartition("/")[0] or "."
        yield from self.chosen.choose(self.place, base)


class ChosenRecords:
    """The records of indexes whose pages are wanted."""

    def __init__(self, wanted: WantedPages, web: WebFiles) -> None:
        self.web, self._wanted = web, wanted
        # Places of which nothing more is read.
        self.failed: set[str] = set()
        self._chosen = sqlite3.connect(TEMPORARY, isolation_level=None)
        self._chosen.execute("PRAGMA journal_mode = OFF")
        self._chosen.execute(TABLE)

    def close(self) -> None:
        """Drops what was chosen."""
        self._chosen.close()

    def sources(self, indexes: Sequence[str], base: str) -> Iterator[IndexFile | WarcRun]:
        """Yields what is to be read, one after the other: the indexes, then what they name."""
        for place in indexes:
            yield IndexFile(self, place, base)
        yield from self._runs()

    def choose(self, index: str, base: str) -> Iterator[Passed]:
        """Takes in the places that an index names; yields what is left out.

        Raises:
            OSError: it is not there, or is damaged from some place on.
        """
        for one in places_in(index, self.web, self._wanted.hosts):
            why = one.why if isinstance(one, Passed) else self._left_out(one)
            if why:
                yield Passed(why)
            elif isinstance(one, PlacedRecord):
                row = (one.place or _joined(base, one.file), one.start, one.length)
                self._chosen.execute("INSERT INTO chosen VALUES (?, ?, ?)", row)

    def _runs(self) -> Iterator[WarcRun]:
        """Yields what was chosen, file by file, in the order in which it lies there."""
        run: WarcRun | None = None
        for place, start, length in self._chosen.execute(IN_ORDER):
            if run is not None and _goes_on(run, place, start, length):
                run = WarcRun(self, place, run.start, run.length + length)
                continue
            if run is not None:
                yield run
            run = None if place in self.failed else WarcRun(self, place, start, length)
        if run is not None:
            yield run

    def _left_out(self, one: PlacedRecord) -> str:
        try:
            url = canonical_url(one.url)
        except InvalidInput:
            return "of a URL that is none"
        if not self._wanted.admits(url):
            return OUTSIDE
        if one.start < 0 or one.length <= 0:
            return UNPLACED
        if one.length > RECORD_BYTES_MAX:
            return f"bodies of more than {BOUNDS.wire_bytes_max} bytes"
        return "" if one.place or _lies_below(one.file) else ELSEWHERE


def _goes_on(run: WarcRun, place: str, start: int, length: int) -> bool:
    is_next = place == run.place and start == run.start + run.length
    return is_next and run.length + length <= RUN_BYTES_MAX


def _lies_below(file: str) -> bool:
    path = PurePosixPath(file)
    return (
        bool(path.name) and "://" not in file and not path.is_absolute() and ".." not in path.parts
    )


def _joined(base: str, file: str) -> str:
    if base.startswith(URLS):
        return urljoin(f"{base.rstrip('/')}/", quote(file))
    return str(Path(base) / file)


def _last(place: str) -> str:
    return place.partition("?")[0].rpartition("/")[2]
