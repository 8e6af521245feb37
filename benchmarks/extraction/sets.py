"""A page of an extraction data set, and how archives are read without unpacking them to disk."""

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


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


class Counts(NamedTuple):
    """What an output has of a page's text: strings, or shares of its runs of words."""

    true: float
    false: float
    missed: float


def states_day(page: Page) -> bool:
    """Whether the recorded day stands on the page or in its URL, in digits or with a month's name.

    Any word counts as the name of a month: pages are in many languages.
    """
    match = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", page.published)
    if match is None:
        return False
    year, month, day = match.groups()
    lean_month, lean_day = int(month), int(day)
    number = rf"(?:0?{lean_day}[./ -]+0?{lean_month}|0?{lean_month}/0?{lean_day})[./ -]+{year}"
    written = (
        rf"\b0?{lean_day}(?:\.|st|nd|rd|th|er)?\s+(?:de |of )?[^\W\d]{{3,12}}\.?,?\s+(?:de )?{year}"
        rf"|[^\W\d]{{3,12}}\.?\s+0?{lean_day}(?:st|nd|rd|th)?,?\s+{year}"
    )
    iso = rf"{year}[-/.]?{month}[-/.]?{day}"
    text = f"{page.url}\n{page.body.decode('utf-8', 'replace')}"
    return re.search(f"{iso}|{number}|{written}", text) is not None


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yields path and content of each file of an archive."""
    with tarfile.open(archive, "r:*") as tar:
        for member in tar:
            file = tar.extractfile(member) if member.isfile() else None
            if file is not None:
                yield member.name, file.read()
