"""A paper as bytes, so that one service tells another what scholarly services say of it."""

import json
import zlib
from dataclasses import asdict
from datetime import datetime
from typing import Any

from scops.libraries.papers.paper import JoinedRecord, Paper
from scops.libraries.papers.record import (
    PaperAuthor,
    PaperLocation,
    PaperNotice,
    PaperRecord,
    RelatedPaper,
)

# Of a paper, unpacked; services say some thousands of characters each.
BYTES_MAX = 4_000_000
_LISTS = {
    "authors": PaperAuthor,
    "locations": PaperLocation,
    "notices": PaperNotice,
    "related": RelatedPaper,
}


def packed(paper: Paper) -> bytes:
    """Returns a paper as bytes.

    Raises:
        ValueError: it is longer than is unpacked.
    """
    said = [asdict(one) for one in paper.joined]
    whole = json.dumps(said, default=datetime.isoformat).encode()
    if len(whole) > BYTES_MAX:
        raise ValueError(f"A paper has {len(whole)} bytes; {BYTES_MAX} are told at most.")
    return zlib.compress(whole)


def unpacked(data: bytes) -> Paper:
    """Returns the paper of `packed`.

    Raises:
        ValueError: the bytes are none.
    """
    try:
        whole = zlib.decompressobj()
        read = whole.decompress(data, BYTES_MAX)
        if whole.unconsumed_tail:
            raise ValueError(f"A paper has more than {BYTES_MAX} bytes.")
        return Paper(tuple(_joined(one) for one in json.loads(read)))
    except (zlib.error, KeyError, TypeError) as error:
        raise ValueError(f"What was sent is no paper: {error}") from error


def _joined(said: dict[str, Any]) -> JoinedRecord:
    record = said["record"]
    lists = {name: tuple(kind(**one) for one in record[name]) for name, kind in _LISTS.items()}
    asked = datetime.fromisoformat(record["asked"])
    return JoinedRecord(
        PaperRecord(**{**record, **lists, "asked": asked}), said["by"], said["confidence"]
    )
