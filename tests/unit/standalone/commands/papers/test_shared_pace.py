"""Commands of one machine keep the pace of a service together."""

import os
import threading
import time
from pathlib import Path

from scops.fetcher.adapters.papers.pace import SharedPace

SERVER = "https://papers.test"


def _pace(folder: Path | None, waits: list[float]) -> SharedPace:
    return SharedPace(folder, SERVER, pause_seconds=3.0, sleep=waits.append)


def test_command_waits_for_what_another_has_asked(tmp_path: Path) -> None:
    """But not for the first request, nor between its own, which it keeps apart itself."""
    waits: list[float] = []
    one, other = _pace(tmp_path, waits), _pace(tmp_path, waits)
    for pace in (one, one, other, other):
        with pace.turn():
            pass

    assert 1 == len(waits)
    assert 2.0 < waits[0] <= 3.0


def test_what_was_asked_long_ago_is_not_waited_for(tmp_path: Path) -> None:
    """Nor what a clock that was set back says is to come."""
    waits: list[float] = []
    with _pace(tmp_path, waits).turn():
        pass
    (file,) = tmp_path.iterdir()
    os.utime(file, (time.time() - 10, time.time() - 10))
    with _pace(tmp_path, waits).turn():
        pass

    assert [] == waits


def test_one_asks_at_a_time(tmp_path: Path) -> None:
    """The other waits until the answer is there."""
    seen: list[str] = []
    inside = threading.Event()

    def asking() -> None:
        inside.wait(5.0)
        with _pace(tmp_path, []).turn():
            seen.append("other")

    thread = threading.Thread(target=asking)
    thread.start()
    with _pace(tmp_path, []).turn():
        inside.set()
        time.sleep(0.2)
        seen.append("one")
    thread.join(5.0)

    assert ["one", "other"] == seen


def test_folder_that_cannot_be_written_keeps_nobody_from_asking(tmp_path: Path) -> None:
    """The pace is then that of the command alone, as without a folder."""
    waits: list[float] = []
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", None):
        with _pace(folder, waits).turn():
            pass

    assert [] == waits
