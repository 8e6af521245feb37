"""Runs that are kept, one a file, in a folder that its owner alone reads.

~/.local/share/scops/evaluations/ID.json     (XDG_DATA_HOME in place of ~/.local/share)
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from scops.common.contract.errors import InvalidInput, NotFound
from scops.standalone.evaluation.outcomes import AskedQuestion

FORM = 1
FILE_MODE, FOLDER_MODE = 0o600, 0o700
RUNS_MAX = 10_000
_ID = re.compile(r"[0-9a-z-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRun:
    """Questions that were asked in one way.

    Attributes:
        source: the name of the file that they stand in.
        digest: of the questions, so that two runs of the same ones are told.
        asked: how they were asked.
        figures: see `figures`.
        faults: of the file: where, what, next.
    """

    id: str
    time: str
    source: str
    form: str
    digest: str
    asked: Mapping[str, Any]
    figures: Mapping[str, Any]
    faults: tuple[Mapping[str, str], ...]
    outcomes: tuple[AskedQuestion, ...]

    def summary(self) -> dict[str, Any]:
        """Returns it without its questions."""
        return {
            "run": self.id,
            "time": self.time,
            "source": self.source,
            "form": self.form,
            "digest": self.digest,
            "asked": dict(self.asked),
            **self.figures,
            "faults": list(self.faults),
        }


def run_id(time: datetime, *, digest: str, asked: Mapping[str, Any]) -> str:
    """Returns the id of a run: its instant, and what tells it from another of that instant."""
    said = json.dumps([digest, asked, time.isoformat()], sort_keys=True, default=str)
    return f"{time:%Y%m%d-%H%M%S}-{sha256(said.encode()).hexdigest()[:4]}"


class KeptRuns:
    """The runs in a folder.

    Args:
        folder: made where it is missing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of_user(cls) -> "KeptRuns":
        """Returns the runs of whoever runs this process."""
        base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
        return cls(Path(base).expanduser() / "scops" / "evaluations")

    def put(self, run: EvaluationRun) -> Path:
        """Keeps a run; returns its file.

        Raises:
            InvalidInput: the folder cannot be written.
        """
        path = self._folder / f"{run.id}.json"
        kept = {
            "form": FORM,
            "summary": run.summary(),
            "outcomes": [one.to_json() for one in run.outcomes],
        }
        try:
            self._folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(kept, file, ensure_ascii=False)
        except OSError as error:
            raise InvalidInput(
                f"The run cannot be kept in {self._folder}: {error}. Name another folder by "
                "XDG_DATA_HOME.",
                reason="RUN_NOT_KEPT",
            ) from error
        return path

    def all(self) -> Iterator[EvaluationRun]:
        """Yields the runs, newest first; what is no run is left out."""
        paths = sorted(self._folder.glob("*.json"), reverse=True)
        for path in paths[:RUNS_MAX]:
            try:
                yield _read(path)
            except (OSError, ValueError, KeyError, TypeError):
                continue

    def get(self, named: str) -> EvaluationRun:
        """Returns a run by its id, the beginning of it, its file, or `latest`.

        Raises:
            NotFound: there is none.
            InvalidInput: several begin so, or its file is no run.
        """
        path = self._path(named)
        try:
            return _read(path)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InvalidInput(
                f"{path} is no run of `scops evaluate`: {error}. `scops evaluate list` shows them.",
                reason="NO_RUN",
            ) from error

    def _path(self, named: str) -> Path:
        if named.endswith(".json") and Path(named).is_file():
            return Path(named)
        paths = sorted(self._folder.glob("*.json"))
        if named == "latest":
            found = paths[-1:]
        elif _ID.fullmatch(named):
            found = [one for one in paths if one.stem.startswith(named)]
            found = [one for one in found if one.stem == named] or found
        else:
            found = []
        if not found:
            raise NotFound(
                f"There is no run {named[:80]!r}. `scops evaluate list` shows them.",
                reason="RUN_NOT_FOUND",
            )
        if len(found) > 1:
            raise InvalidInput(
                f"{len(found)} runs begin with {named!r}. Name more of its id.", reason="NO_RUN"
            )
        return found[0]


def _read(path: Path) -> EvaluationRun:
    kept = json.loads(path.read_text(encoding="utf-8"))
    if kept["form"] != FORM:
        raise ValueError(f"it is of form {kept['form']}, and {FORM} is read here")
    said = dict(kept["summary"])
    named = {name: said.pop(name) for name in ("time", "source", "form", "digest", "asked")}
    return EvaluationRun(
        id=said.pop("run"),
        **named,
        faults=tuple(said.pop("faults")),
        figures=said,
        outcomes=tuple(AskedQuestion.from_json(one) for one in kept["outcomes"]),
    )
