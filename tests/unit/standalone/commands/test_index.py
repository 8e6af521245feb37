"""The commands that work on the index, without a bus."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scops.standalone.commands.index import parse_duration
from scops.standalone.terminal.exits import CommandError


def scops(folder: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Runs the command; returns its exit code and what it printed."""
    environment = {name: text for name, text in os.environ.items() if "SCOPS_" not in name}
    for name in ("SCOPS_CACHE_DIR",):
        if name in os.environ:
            environment[name] = os.environ[name]
    done = subprocess.run(
        [sys.executable, "-m", "scops.standalone", *arguments],
        env=environment | {"SCOPS_DATA_DIR": str(folder), "SCOPS_LOG_LEVEL": "error"},
        capture_output=True,
        timeout=60,
    )
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("15m", 900), ("2h", 7200), ("1d", 86400)]
)
def test_duration_has_a_unit(text: str, seconds: int) -> None:
    """A duration is a number and a unit."""
    assert timedelta(seconds=seconds) == parse_duration(text)


@pytest.mark.parametrize("text", ["", "15", "m", "1.5h", "-1h", "1w"])
def test_other_durations_are_refused(text: str) -> None:
    """Whatever is no duration is an error that shows how to write one."""
    with pytest.raises(CommandError, match="15m"):
        parse_duration(text)


def test_index_that_was_never_made_is_named(tmp_path: Path) -> None:
    """Before `scops provision`, both commands say so."""
    for command in ("reconcile", "rebuild"):
        code, told = scops(tmp_path, command)
        assert (4, True) == (code, "scops provision" in told["error"]["message"])


def test_empty_index_is_sound_and_can_be_rebuilt(tmp_path: Path) -> None:
    """On an empty index, reconcile finds nothing and rebuild makes an empty generation."""
    assert 0 == scops(tmp_path, "provision")[0]
    code, counts = scops(tmp_path, "reconcile", "--since", "15m")
    again, built = scops(tmp_path, "rebuild")

    assert (0, 0, 0) == (code, again, counts["faults"])
    assert ("chunks-2.db", 0) == (built["generation"], built["objects"])
