"""A watched folder has something run as its files change."""

from pathlib import Path

import pytest

from scops.client.errors import Unavailable
from scops.standalone.commands.files import watching
from scops.standalone.commands.files.watching import run_at_changes


class Seen(Exception):
    """Ends what would go on for ever."""


def test_what_changes_while_it_runs_has_it_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also below a folder, for a file by itself, and after a gateway that did not answer."""
    monkeypatch.setattr(watching, "ANYWAY_SECONDS", 600.0)
    (tmp_path / "a").mkdir()
    (tmp_path / "one.md").write_text("1")
    runs = 0

    def once() -> None:
        nonlocal runs
        runs += 1
        (tmp_path / "a" / f"{runs}.md").write_text("changed")
        if runs == 2:
            raise Unavailable("The gateway does not answer.")
        if runs == 3:
            raise Seen

    with pytest.raises(Seen):
        run_at_changes([str(tmp_path / "one.md")], once)

    assert 3 == runs


def test_it_runs_in_any_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A network drive tells nobody of changes."""
    monkeypatch.setattr(watching, "ANYWAY_SECONDS", 0.05)
    runs = 0

    def once() -> None:
        nonlocal runs
        runs += 1
        if runs == 3:
            raise Seen

    with pytest.raises(Seen):
        run_at_changes([str(tmp_path)], once)

    assert 3 == runs
