"""Which files a call names: paths, patterns and URLs, each opened when its turn comes."""

import shutil
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from scops.standalone.terminal.exits import CommandError, Exit

ENDINGS = (".warc", ".warc.gz", ".warc.zst", ".wacz")
WACZ = ".wacz"
URLS = ("http://", "https://")
# Without a byte.
READ_SECONDS = 60.0
READ_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class WarcFile:
    """A file of WARC records: of this machine, of a WACZ file, or at a URL.

    Attributes:
        place: a path or a URL.
        inside: its name in the WACZ file at `place`; empty where it stands for itself.
    """

    place: str
    inside: str = ""

    @property
    def name(self) -> str:
        """What it is called, without where it lies."""
        last = self.place.partition("?")[0].rpartition("/")[2]
        return f"{last}/{self.inside.rpartition('/')[2]}" if self.inside else last

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Opens it from its beginning.

        Raises:
            OSError: it is not there, or does not answer.
        """
        if self.place.startswith(URLS):
            # What reads records goes back to where one began.
            with TemporaryFile() as file:
                _download(self.place, file)
                yield file
        elif self.inside:
            with zipfile.ZipFile(self.place) as packed, packed.open(self.inside) as file:
                yield file
        else:
            with Path(self.place).open("rb") as file:
                yield file


def sources_of(named: list[str]) -> list[WarcFile]:
    """Returns the files that some words name, each once, in the order of the words.

    A folder stands for the files in it, and a pattern for what it matches, by name.

    Raises:
        CommandError: a word names nothing.
    """
    found: dict[WarcFile, None] = {}
    for word in named:
        for one in _named(word):
            found[one] = None
    return list(found)


def _named(word: str) -> Iterator[WarcFile]:
    if word.startswith(URLS):
        yield from _at_url(word)
        return
    path = Path(word)
    if path.is_file():
        yield from _in(path)
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
        yield from _in(one)


def _at_url(url: str) -> Iterator[WarcFile]:
    if url.partition("?")[0].endswith(WACZ):
        raise CommandError(
            f"{url} is a WACZ file, which is not read from a URL. Download it first.",
            code=Exit.INVALID_INPUT,
            reason="WACZ_AT_URL",
        )
    yield WarcFile(url)


def _in(path: Path) -> Iterator[WarcFile]:
    """Yields a file, or the WARC files that a WACZ file holds."""
    if path.suffix != WACZ:
        yield WarcFile(str(path))
        return
    try:
        with zipfile.ZipFile(path) as packed:
            names = sorted(name for name in packed.namelist() if name.startswith("archive/"))
    except zipfile.BadZipFile:
        raise CommandError(
            f"{path} is no WACZ file: it cannot be read as a ZIP file. Fetch it again.",
            code=Exit.INVALID_INPUT,
            reason="WACZ_DAMAGED",
        ) from None
    for name in names:
        if name.endswith(ENDINGS):
            yield WarcFile(str(path), name)


def _download(url: str, file: IO[bytes]) -> None:
    with urllib.request.urlopen(url, timeout=READ_SECONDS) as answer:
        shutil.copyfileobj(answer, file, READ_BYTES)
        stated = answer.headers.get("Content-Length", "")
    if stated.isdecimal() and file.tell() < int(stated):
        raise OSError(f"{file.tell()} of {stated} bytes came")
    file.seek(0)
