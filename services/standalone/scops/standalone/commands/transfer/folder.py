"""The folder of an export: which files there are, and how far it has come.

    export.json             what it is, and the parts that are whole
    scope.yaml              the definition, for `scops apply -f`
    pages-00001.jsonl       a line a page
    versions-00001.jsonl    a line a version, with its place in the WARC file
    texts-00001.warc.gz     clean texts (`conversion`) and their structure (`metadata`)
    chunks-00001.parquet    what is searched: passages of the versions that stand, with vectors

A part is written beside its names, closed, and renamed; `export.json` is replaced after it. So
what it names is whole, whatever happens, and an export goes on behind it.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from scops.standalone.terminal.exits import CommandError, Exit

FORMAT = "scops-export/1"
STATE_FILE, SCOPE_FILE = "export.json", "scope.yaml"
PAGES, VERSIONS, TEXTS, CHUNKS = "pages", "versions", "texts", "chunks"
ENDINGS = {PAGES: "jsonl", VERSIONS: "jsonl", TEXTS: "warc.gz", CHUNKS: "parquet"}
UNFINISHED = ".unfinished"
READ_BYTES = 1024 * 1024


@dataclass(kw_only=True)
class ExportPart:
    """A part that is whole: sha256 of its files by name, and how much it holds."""

    files: dict[str, str]
    pages: int
    versions: int
    chunks: int


@dataclass(kw_only=True)
class ExportState:
    """What `export.json` says.

    Attributes:
        page_token: where the gateway goes on; empty once everything is there.
        left_out: versions without content, by reason.
    """

    scope: str
    complete: bool = False
    page_token: str = ""
    parts: list[ExportPart] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    format: str = FORMAT

    def total(self, what: str) -> int:
        """Returns how many pages, versions or chunks all parts hold."""
        return sum(getattr(part, what) for part in self.parts)


class ExportFolder:
    """A folder that an export is in, or goes to."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def begun(self, scope: str) -> ExportState:
        """Returns how far an export of a scope has come; makes the folder where it is new.

        Raises:
            CommandError: the folder holds something else, or an export that is complete.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        if not (self.path / STATE_FILE).exists():
            if any(self.path.iterdir()):
                raise self._refused("is not empty and holds no export. Name another folder")
            return ExportState(scope=scope)
        state = self.state()
        if state.scope != scope:
            raise self._refused(f"holds an export of {state.scope}. Name another folder")
        if state.complete:
            raise self._refused("holds a complete export. Name another folder")
        for left in self.path.glob(f"*{UNFINISHED}"):
            left.unlink()
        return state

    def state(self) -> ExportState:
        """Reads `export.json`.

        Raises:
            CommandError: there is none, or it is of another format.
        """
        try:
            said: dict[str, Any] = json.loads((self.path / STATE_FILE).read_bytes())
        except (OSError, ValueError):
            raise self._refused(f"holds no {STATE_FILE}. Name a folder of `scops export`") from None
        if said.get("format") != FORMAT:
            raise self._refused(f"is of another format than {FORMAT}. Use a newer Scops")
        said["parts"] = [ExportPart(**part) for part in said["parts"]]
        return ExportState(**said)

    def save(self, state: ExportState) -> None:
        """Replaces `export.json`."""
        text = json.dumps(asdict(state), indent=1, ensure_ascii=False)
        self.write(STATE_FILE, text.encode() + b"\n")

    def write(self, name: str, content: bytes) -> None:
        """Writes a small file so that it is there as a whole or not at all."""
        aside = self.path / f"{name}{UNFINISHED}"
        aside.write_bytes(content)
        settle(aside, self.path / name)

    def verify(self, state: ExportState) -> None:
        """Checks that every file is as it was written.

        Raises:
            CommandError: one is not.
        """
        for part in state.parts:
            for name, digest in part.files.items():
                if Path(name).name != name or not (self.path / name).is_file():
                    raise self._refused(f"lacks {name}. Copy it again")
                if sha256_of(self.path / name) != digest:
                    raise self._refused(f"has another {name} than was exported. Copy it again")

    def rows(self, state: ExportState, kind: str) -> Iterator[dict[str, Any]]:
        """Yields the lines of all parts of a kind, in order."""
        for part in state.parts:
            for name in part.files:
                if name.startswith(f"{kind}-"):
                    with (self.path / name).open("rb") as lines:
                        yield from map(json.loads, lines)

    def _refused(self, why: str) -> CommandError:
        return CommandError(
            f"The folder {self.path} {why}.", code=Exit.INVALID_INPUT, reason="EXPORT_UNUSABLE"
        )


def part_name(kind: str, number: int) -> str:
    """Returns the file of a kind in a part."""
    return f"{kind}-{number:05d}.{ENDINGS[kind]}"


def settle(aside: Path, target: Path) -> None:
    """Gives a written file its name once its bytes are on the disk."""
    with aside.open("rb") as written:
        os.fsync(written.fileno())
    aside.replace(target)


def sha256_of(path: Path) -> str:
    """Returns the digest of a file, read in turns."""
    digest = hashlib.sha256()
    with path.open("rb") as content:
        while read := content.read(READ_BYTES):
            digest.update(read)
    return digest.hexdigest()
