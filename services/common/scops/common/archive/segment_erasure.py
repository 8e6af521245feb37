"""Writes over what no blob is made of any more.

Offsets are never used again, so a span that is dead stays dead: it does no harm if two write over
it, or one does so late.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter

from scops.common.archive.segment_files import overwrite
from scops.common.archive.segment_index import SegmentIndex, SegmentSpan

SEGMENT = attrgetter("segment", "name")


def erase(folder: str, index: SegmentIndex, spans: Sequence[SegmentSpan]) -> None:
    """Writes over dead spans, a wait for the disk a segment, and notes that they are gone.

    Raises:
        OSError, sqlite3.Error: they cannot be written, or noted; they stay dead.
    """
    if not spans:
        return
    from scops.common.archive.warc_records import filler

    at = datetime.now(UTC)
    for (_, name), some in groupby(sorted(spans, key=SEGMENT), key=SEGMENT):
        overwrite(f"{folder}/{name}", ((span.start, filler(span.length, at)) for span in some))
    with index.writing():
        index.bury(spans)
