"""Which files are meant by files, folders and patterns, and what each is called in a collection.

A folder is read without following links, and without what is hidden: `.git`, `.env`, and the
locks of office programs.
"""

import glob
import os
import re
import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scops.standalone.terminal.exits import CommandError, Exit

# Of one call; more are added in parts, folder by folder.
FILES_MAX = 20_000
JSON_LINES = "application/jsonl"
MEDIA_TYPES = {
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".epub": "application/epub+zip",
    ".html": "text/html",
    ".htm": "text/html",
    # XML of other kinds lies in many folders, so that `.xml` is none.
    ".jats": "application/jats+xml",
    ".nxml": "application/jats+xml",
    ".xhtml": "application/xhtml+xml",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".jsonl": JSON_LINES,
    ".ndjson": JSON_LINES,
}
HIDDEN, LINKS, OTHERS = "hidden", "links", "of other kinds"
_LOCKS = ("~$", ".~lock")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file.

    Attributes:
        name: in the collection: a path with slashes, without its folder's.
        keywords: a list that goes with it; None for none.
    """

    path: Path
    name: str
    keywords: Path | None = None

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES[self.path.suffix.lower()]


@dataclass(slots=True)
class FoundFiles:
    """What was found.

    Attributes:
        left_out: how many files were left out, by why.
        unread_folders: names of folders that cannot be listed, with why.
    """

    files: list[FoundFile] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    unread_folders: dict[str, str] = field(default_factory=dict)


def find_files(paths: Sequence[str], *, root: Path | None) -> FoundFiles:
    """Returns the files that are meant, in the order of their paths.

    Args:
        paths: files, folders, and patterns with `*`, `?` and `**`.
        root: what names are relative to; None is the folder itself, the folder of the file, or
            what stands before the first wildcard.

    Raises:
        CommandError: there is no such file, it lies outside of the root or is of another kind,
            there are too many, or two have one name.
    """
    found = FoundFiles()
    for path in paths:
        _find(path, root, found)
    names = Counter(one.name for one in found.files)
    for name, count in names.items():
        if count > 1:
            raise _unusable(
                f"{count} files would be called {name}. Name the folder that they share with "
                "--root, so that each keeps its path below it.",
                "FILES_OF_ONE_NAME",
            )
    return found


def _find(path: str, root: Path | None, found: FoundFiles) -> None:
    given = Path(path)
    if given.is_dir():
        folder = Path(os.path.realpath(given))
        _walk(folder, _root(root, folder), found)
    elif given.exists():
        file = Path(os.path.realpath(given))
        if file.suffix.lower() not in MEDIA_TYPES or not file.is_file():
            kinds = ", ".join(sorted(MEDIA_TYPES))
            raise _unusable(
                f"{path} is of no kind that can be read. Files end with {kinds}.", "FILE_KIND"
            )
        _keep(file, _root(root, file.parent), found)
    elif glob.has_magic(path):
        _match(path, root, found)
    else:
        raise _unusable(
            f"There is no file or folder {path}. Check the spelling, or where you are.",
            "FILE_NOT_FOUND",
        )


def _root(root: Path | None, otherwise: Path) -> Path:
    return otherwise if root is None else Path(os.path.realpath(root))


def _walk(folder: Path, root: Path, found: FoundFiles) -> None:
    def refused(error: OSError) -> None:
        name = _name(Path(error.filename), root)
        found.unread_folders[name] = error.strerror or "it cannot be listed"

    for at, folders, files in os.walk(folder, onerror=refused):
        seen = [name for name in folders if not _is_hidden(name)]
        found.left_out[HIDDEN] += len(folders) - len(seen)
        folders[:] = sorted(name for name in seen if not Path(at, name).is_symlink())
        found.left_out[LINKS] += len(seen) - len(folders)
        for name in sorted(files):
            _consider(Path(at, name), root, found)


def _match(pattern: str, root: Path | None, found: FoundFiles) -> None:
    """Finds what a pattern matches; a link on the way from its literal part is not followed."""
    literal = re.split(r"[*?[]", pattern, maxsplit=1)[0]
    start = os.path.abspath(os.path.dirname(literal))
    folder = Path(os.path.realpath(start))
    for match in sorted(glob.glob(pattern, recursive=True)):
        path = folder / os.path.relpath(os.path.abspath(match), start)
        if path.is_dir():
            continue
        if os.path.realpath(path) == str(path):
            _consider(path, _root(root, folder), found)
        else:
            found.left_out[LINKS] += 1


def _consider(path: Path, root: Path, found: FoundFiles) -> None:
    mode = path.lstat().st_mode
    if _is_hidden(path.name):
        found.left_out[HIDDEN] += 1
    elif stat.S_ISLNK(mode):
        found.left_out[LINKS] += 1
    elif path.suffix.lower() not in MEDIA_TYPES or not stat.S_ISREG(mode):
        found.left_out[OTHERS] += 1
    else:
        _keep(path, root, found)


def _keep(path: Path, root: Path, found: FoundFiles) -> None:
    found.files.append(FoundFile(path, _name(path, root)))
    if len(found.files) > FILES_MAX:
        raise _unusable(
            f"There are more than {FILES_MAX} files. Add them in parts, folder by folder, with "
            "the --root of all of them.",
            "TOO_MANY_FILES",
        )


def _name(path: Path, root: Path) -> str:
    if path != root and root not in path.parents:
        raise _unusable(
            f"{path} does not lie in {root}. Name a --root that holds all files.", "FILE_OUTSIDE"
        )
    return path.relative_to(root).as_posix()


def _is_hidden(name: str) -> bool:
    return name.startswith((".", *_LOCKS))


def _unusable(message: str, reason: str) -> CommandError:
    return CommandError(message, code=Exit.INVALID_INPUT, reason=reason)
