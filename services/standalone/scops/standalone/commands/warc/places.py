"""The places of records that an index names: CDXJ lines, or Parquet with the columns of such."""

import gzip
import json
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from scops.standalone.commands.warc.records import Passed
from scops.standalone.commands.warc.web_files import URLS, WebFiles

GZIP_MAGIC = b"\x1f\x8b"
PARQUET = ".parquet"
LINE_BYTES_MAX = 1024 * 1024
UNPLACED = "without a place in the index"


@dataclass(frozen=True, slots=True)
class PlacedRecord:
    """Where the record of a page lies.

    Attributes:
        file: as the index names it.
        start, length: in bytes, packed.
    """

    url: str
    file: str
    start: int
    length: int


def is_parquet(place: str) -> bool:
    """Returns whether the name of an index is that of a Parquet file."""
    return place.partition("?")[0].endswith(PARQUET)


def places_in(place: str, web: WebFiles, hosts: Collection[str]) -> Iterator[PlacedRecord | Passed]:
    """Yields the places that an index names, and lines that name none.

    Args:
        place: a path or a URL.
        hosts: those that are wanted, and hosts below them; a Parquet file leaves most others out.

    Raises:
        OSError: it is not there, or is damaged from some place on.
    """
    if is_parquet(place):
        from scops.standalone.commands.warc.parquet_index import placed_by_parquet

        with web.opened(place) if place.startswith(URLS) else Path(place).open("rb") as columns:
            yield from placed_by_parquet(columns, hosts)
        return
    try:
        with _unpacked(place, web) as lines:
            yield from placed_by_cdxj(lines)
    except (EOFError, zlib.error) as error:
        raise OSError(f"is damaged: {error}") from error


def placed_by_cdxj(file: IO[bytes] | gzip.GzipFile) -> Iterator[PlacedRecord | Passed]:
    """Yields the places that the lines of a CDXJ file name, as indexers and servers write them."""
    for line in iter(lambda: file.readline(LINE_BYTES_MAX), b""):
        begin = line.find(b"{")
        if begin < 0:
            # Headers and blank lines.
            continue
        try:
            said: dict[str, Any] = json.loads(line[begin:])
            yield PlacedRecord(
                url=said["url"],
                file=said["filename"],
                start=int(said["offset"]),
                length=int(said["length"]),
            )
        except (ValueError, KeyError, TypeError):
            yield Passed(UNPLACED)


@contextmanager
def _unpacked(place: str, web: WebFiles) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """Opens an index from its beginning; one at a URL is downloaded."""
    with TemporaryFile() if place.startswith(URLS) else Path(place).open("rb") as file:
        if place.startswith(URLS):
            web.download(place, file)
        is_packed = file.read(2) == GZIP_MAGIC
        file.seek(0)
        if is_packed:
            with gzip.open(file) as unpacked:
                yield unpacked
        else:
            yield file
