"""Which files a call names: paths, patterns and URLs, each opened when its turn comes."""

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import glob, has_magic
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from scops.standalone.commands.warc.records import Observed, Passed, WarcReader
from scops.standalone.commands.warc.wacz_index import WACZ, opened_wacz
from scops.standalone.commands.warc.web_files import URLS, WebFiles
from scops.standalone.terminal.exits import CommandError, Exit

ENDINGS = (".warc", ".warc.gz", ".warc.zst", WACZ)


@dataclass(frozen=True, slots=True)
class WarcFile:
    """A file of WARC records: of this machine, of a WACZ file, or at a URL.

    Attributes:
        place: a path or a URL.
        inside: its name in the WACZ file at `place`; empty where it stands for itself.
        web: what reads URLs.
    """

    place: str
    inside: str = ""
    web: WebFiles = field(kw_only=True, compare=False)

    @property
    def name(self) -> str:
        """What it is called, without where it lies."""
        last = self.place.partition("?")[0].rpartition("/")[2]
        return f"{last}/{self.inside.rpartition('/')[2]}" if self.inside else last

    def read(self, reader: WarcReader) -> Iterator[Observed | Passed]:
        """Yields what its records say, from its beginning.

        Raises:
            OSError: it is not there, does not answer, or is damaged from some place on.
        """
        with self._opened() as stream:
            yield from reader.read(stream)

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        if self.inside:
            with opened_wacz(self.place, self.web) as packed, packed.open(self.inside) as file:
                yield file
        elif self.place.startswith(URLS):
            # What reads records goes back to where one began.
            with TemporaryFile() as file:
                self.web.download(self.place, file)
                yield file
        else:
            with Path(self.place).open("rb") as file:
                yield file


def sources_of(named: Sequence[str], web: WebFiles) -> list[WarcFile]:
    """Returns the files that some words name, each once, in the order of the words.

    A folder stands for the files in it, and a pattern for what it matches, by name.

    Raises:
        CommandError: a word names nothing.
    """
    found: dict[WarcFile, None] = {}
    for word in named:
        for one in _named(word, web):
            found[one] = None
    return list(found)


def _named(word: str, web: WebFiles) -> Iterator[WarcFile]:
    path = Path(word)
    if word.startswith(URLS) or path.is_file():
        yield from _in(word, web)
        return
    inside = path.rglob("*") if path.is_dir() else ()
    matched = glob(word, recursive=True) if has_magic(word) else ()
    found = sorted(
        one
        for one in (*inside, *map(Path, matched))
        if one.is_file() and one.name.endswith(ENDINGS)
    )
    if not found:
        raise CommandError(
            f"{word} names no WARC file. Name URLs, files, folders or patterns of files that end "
            f"with {', '.join(ENDINGS)}.",
            code=Exit.INVALID_INPUT,
            reason="WARC_NOT_FOUND",
        )
    for one in found:
        yield from _in(str(one), web)


def _in(place: str, web: WebFiles) -> Iterator[WarcFile]:
    """Yields a file, or the WARC files that a WACZ file holds."""
    if not place.partition("?")[0].endswith(WACZ):
        yield WarcFile(place, web=web)
        return
    try:
        with opened_wacz(place, web) as packed:
            names = sorted(name for name in packed.namelist() if name.startswith("archive/"))
    except (zipfile.BadZipFile, OSError) as error:
        raise CommandError(
            f"{place} is no WACZ file that can be read as a ZIP file: {error}. Fetch it again.",
            code=Exit.INVALID_INPUT,
            reason="WACZ_DAMAGED",
        ) from None
    for name in names:
        if name.endswith(ENDINGS):
            yield WarcFile(place, name, web=web)
