"""A page of an extraction data set, and how archives are read without unpacking them to disk."""

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page with what an extraction of it is scored by.

    Attributes:
        url: as recorded; may be no URL.
        required: strings that must be in the output, or the one true text.
        forbidden: strings that must not be.
        published: the day that the page states, `YYYY-MM-DD`; empty where none was recorded.
    """

    url: str
    body: bytes
    required: tuple[str, ...]
    forbidden: tuple[str, ...] = ()
    published: str = ""


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yields path and content of each file of an archive."""
    with tarfile.open(archive, "r:*") as tar:
        for member in tar:
            file = tar.extractfile(member) if member.isfile() else None
            if file is not None:
                yield member.name, file.read()
