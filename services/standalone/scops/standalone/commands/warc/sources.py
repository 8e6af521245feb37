"""Which files a call names: paths and patterns, each opened when its turn comes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import IO

from scops.standalone.terminal.exits import CommandError, Exit

ENDINGS = (".warc", ".warc.gz", ".warc.zst")


@dataclass(frozen=True, slots=True)
class WarcFile:
    """A file of WARC records."""

    path: Path

    @property
    def name(self) -> str:
        """What it is called, without where it lies."""
        return self.path.name

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Opens it from its beginning."""
        with self.path.open("rb") as file:
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
    path = Path(word)
    if path.is_file():
        yield WarcFile(path)
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
            f"{word} names no WARC file. Name files, folders or patterns of files that end with "
            f"{', '.join(ENDINGS)}.",
            code=Exit.INVALID_INPUT,
            reason="WARC_NOT_FOUND",
        )
    yield from map(WarcFile, found)
