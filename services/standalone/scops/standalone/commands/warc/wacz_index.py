"""The places of records in a WACZ file, by the index that lies in it.

Source: WACZ 1.1.1. WARC files are not packed again in it, so that a record lies there as it lies in
the WARC file, further behind.
"""

import gzip
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import IO

from scops.standalone.commands.warc.cdxj import UNPLACED, PlacedRecord, placed_by_cdxj
from scops.standalone.commands.warc.records import Passed
from scops.standalone.commands.warc.web_files import URLS, WebFiles

WACZ = ".wacz"
ARCHIVE, INDEXES = "archive/", "indexes/"
INDEX_ENDINGS = (".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz")
# Of a file in a ZIP file (PKWARE's APPNOTE, section 4.3.7): the lengths of its name and of what
# else stands between its header and its bytes.
HEADER_BYTES = 30
LENGTHS = struct.Struct("<26xHH")


@contextmanager
def opened_wacz(place: str, web: WebFiles) -> Iterator[zipfile.ZipFile]:
    """Opens a WACZ file; of one at a URL the parts come that are read.

    Raises:
        OSError, zipfile.BadZipFile: it is not there, or no ZIP file.
    """
    opened = web.opened(place) if place.startswith(URLS) else nullcontext(place)
    with opened as file, zipfile.ZipFile(file) as packed:
        yield packed


def placed_by_wacz(place: str, web: WebFiles) -> Iterator[PlacedRecord | Passed]:
    """Yields the places that the index of a WACZ file names, as places in the WACZ file.

    Raises:
        OSError: it is no ZIP file, has no index, or packs its WARC files.
    """
    try:
        with opened_wacz(place, web) as packed:
            starts = _starts(packed)
            names = [name for name in packed.namelist() if _is_index(name)]
            if not names:
                raise OSError("has no index; import it as a file")
            for name in names:
                with packed.open(name) as file:
                    yield from _moved(file, starts, place, is_packed=name.endswith(".gz"))
    except zipfile.BadZipFile as error:
        raise OSError(f"is no WACZ file: {error}") from error


def _moved(
    file: IO[bytes], starts: dict[str, int], place: str, *, is_packed: bool
) -> Iterator[PlacedRecord | Passed]:
    with gzip.open(file) if is_packed else nullcontext(file) as lines:
        for one in placed_by_cdxj(lines):
            if isinstance(one, Passed):
                yield one
            elif (start := starts.get(one.file)) is None:
                yield Passed(UNPLACED)
            else:
                yield replace(one, place=place, start=start + one.start)


def _starts(packed: zipfile.ZipFile) -> dict[str, int]:
    """Returns where each WARC file begins, by its name in the index."""
    starts = {}
    for one in packed.infolist():
        if not one.filename.startswith(ARCHIVE) or one.is_dir():
            continue
        if one.compress_type != zipfile.ZIP_STORED:
            raise OSError(f"packs {one.filename} again; import it as a file")
        assert packed.fp is not None, "it is open"
        packed.fp.seek(one.header_offset)
        before = sum(LENGTHS.unpack(packed.fp.read(HEADER_BYTES)))
        starts[one.filename.removeprefix(ARCHIVE)] = one.header_offset + HEADER_BYTES + before
    return starts


def _is_index(name: str) -> bool:
    return name.startswith(INDEXES) and name.endswith(INDEX_ENDINGS)
