"""Takes up the documentation files of a repository: what each was at the commits that changed it.

The tree of a ref says what each file is (its blob); for those that are not what they were when
they were last taken up, the commits are asked for, and of each the file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from scops.gateway.requests.limits import CAPTURE_BYTES_MAX
from scops.standalone.commands.apis.documents import HTML, document
from scops.standalone.commands.apis.memory import ImportMemory
from scops.standalone.commands.apis.taking import ApiImport, Showed, Sighting
from scops.standalone.commands.github.api import (
    RAW,
    RENDERED,
    GithubApi,
    Repository,
    instant,
)
from scops.standalone.commands.warc.served import Vanished, body_of

MARKDOWN, TEXT = "text/markdown; charset=utf-8", "text/plain; charset=utf-8"
# Without a kind: GitHub makes HTML of it.
KINDS = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".txt": TEXT,
    ".text": TEXT,
    ".html": HTML,
    ".htm": HTML,
    ".rst": "",
    ".rest": "",
}
RENDERED_BYTES_MAX = 1_000_000
# Files whose commits are known before they are waited for.
AT_ONCE = 25
TOO_LONG = "files that are too long"


@dataclass(frozen=True, slots=True)
class Change:
    """A commit that changed a file."""

    path: str
    commit: str
    at: datetime


class GithubFiles:
    """The files of a ref.

    Args:
        ref: a branch, tag or commit.
        paths: patterns of which a file meets one; none takes all.
        history: of each file so many commits, the newest.
    """

    def __init__(
        self,
        api: GithubApi,
        taking: ApiImport,
        memory: ImportMemory,
        repository: Repository,
        *,
        ref: str,
        paths: Sequence[str],
        history: int,
    ) -> None:
        self._api, self._taking, self._memory = api, taking, memory
        self._base = f"{repository.url}/blob/{quote(ref)}"
        self._ref, self._paths, self._history = ref, paths, history

    def take(self) -> None:
        """Takes up what changed.

        Raises:
            InvalidInput, OSError: as of `GithubApi`.
        """
        mark = f"files {self._ref}"
        # By path: its blob, and how many commits were asked for.
        before: dict[str, tuple[str, int]] = self._memory.get(mark) or {}
        tree = self._api.tree(self._ref, mark=f"etag of {mark} {self._history} {self._paths}")
        if tree is None:
            return
        files = [file for file, _ in self._taking.readable(tree, _file)]
        blobs = {path: blob for path, blob, size in files if self._is_wanted(path, size)}
        there = {path for path, _, _ in files}
        changed = [path for path, blob in blobs.items() if not self._is_taken(before, path, blob)]
        taken, waiting = dict(before), changed + [path for path in before if path not in there]
        while waiting:
            some, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
            self._take(some)
            for path in some:
                taken.pop(path, None)
            taken |= {path: (blobs[path], self._history) for path in some if path in blobs}
            self._memory.note(mark, dict(taken))
            if not self._taking.settle():
                return
        self._api.remember()
        self._taking.settle()

    def _is_taken(self, before: dict[str, tuple[str, int]], path: str, blob: str) -> bool:
        was, history = before.get(path, ("", 0))
        return was == blob and history >= self._history

    def _is_wanted(self, path: str, size: int) -> bool:
        if PurePosixPath(path).suffix.lower() not in KINDS or not size:
            return False
        if self._paths and not any(fnmatchcase(path, pattern) for pattern in self._paths):
            return False
        if not self._taking.holds(self._url(path)):
            return False
        bound = CAPTURE_BYTES_MAX if _kind(path) else RENDERED_BYTES_MAX
        if size > bound:
            self._taking.tally.leave_out(TOO_LONG)
            return False
        return True

    def _take(self, paths: Sequence[str]) -> None:
        changes = {
            Sighting(self._url(path), one.at, f"github:{one.commit}"): one
            for path in paths
            for one in self._changes(path)
        }
        for seen, change in self._taking.new_ones(changes):
            self._taking.take(seen, partial(self._showed, change))

    def _changes(self, path: str) -> list[Change]:
        """Returns the wanted commits of a file, the oldest first; of one second, the last."""
        asked = {"path": path, "sha": self._ref, "per_page": str(min(self._history, 100))}
        found = (one for part in self._api.parts("/commits", asked) for one in part)
        newest = [
            change
            for change, _ in self._taking.readable(
                islice(found, self._history), lambda one: _change(path, one)
            )
        ]
        return list({one.at: one for one in reversed(newest)}.values())

    def _url(self, path: str) -> str:
        return f"{self._base}/{quote(path)}"

    def _showed(self, change: Change) -> Showed:
        kind = _kind(change.path)
        body = self._api.content(change.path, commit=change.commit, kind=RAW if kind else RENDERED)
        if body is None:
            return Vanished("not_found")
        if kind:
            return body_of(kind, body)
        return document(PurePosixPath(change.path).name, [body.decode("utf-8", "replace")])


def _file(entry: dict[str, Any]) -> tuple[str, str, int]:
    """Returns path, blob and bytes of a file of a tree."""
    return str(entry["path"]), str(entry["sha"]), int(entry.get("size") or 0)


def _change(path: str, commit: dict[str, Any]) -> Change:
    return Change(path, str(commit["sha"]), instant(commit["commit"]["committer"]["date"]))


def _kind(path: str) -> str:
    return KINDS[PurePosixPath(path).suffix.lower()]
