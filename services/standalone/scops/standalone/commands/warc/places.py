"""The places of records that an index names: CDXJ, by itself or in a WACZ file, or Parquet."""

import gzip
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from scops.standalone.commands.warc.cdxj import PlacedRecord, placed_by_cdxj
from scops.standalone.commands.warc.records import Passed
from scops.standalone.commands.warc.wacz_index import WACZ, placed_by_wacz
from scops.standalone.commands.warc.web_files import URLS, WebFiles

GZIP_MAGIC = b"\x1f\x8b"
PARQUET = ".parquet"


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
        if place.partition("?")[0].endswith(WACZ):
            yield from placed_by_wacz(place, web)
            return
        with _unpacked(place, web) as lines:
            yield from placed_by_cdxj(lines)
    except (EOFError, zlib.error) as error:
        raise OSError(f"is damaged: {error}") from error


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
