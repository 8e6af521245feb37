"""The places of records that the lines of a CDXJ file name."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from scops.standalone.commands.warc.records import Passed

LINE_BYTES_MAX = 1024 * 1024
UNPLACED = "without a place in the index"


@dataclass(frozen=True, slots=True)
class PlacedRecord:
    """Where the record of a page lies.

    Attributes:
        file: as the index names it.
        start, length: in bytes, packed.
        place: the path or URL that the file lies in; empty where it lies below a base.
    """

    url: str
    file: str
    start: int
    length: int
    place: str = ""


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
