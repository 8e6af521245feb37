"""The platform opens what services share, once each, and says what cannot be opened."""

import asyncio
import os
import threading
from pathlib import Path

import pytest

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput, StoreUnavailable
from scops.common.contract.service_table import Role
from scops.common.runtime.platform import (
    Platform,
    SharedResources,
    open_platform,
    prepare_data_dir,
)
from tests.fakes.bus import RecordingPublisher
from tests.fakes.clock import ManualClock
from tests.fakes.query_client import LocalQueryClient


async def _nothing_pending(role: Role) -> int:
    return 0


async def _open(common: CommonSettings) -> Platform:
    clock = ManualClock()
    return await open_platform(
        common,
        publisher=RecordingPublisher(),
        query_client=LocalQueryClient([], clock=clock),
        backlog=_nothing_pending,
        clock=clock,
    )


async def test_a_database_is_opened_once_in_the_state_folder(tmp_path: Path) -> None:
    """Two services that name the same state share its writer's lock."""
    platform = await _open(CommonSettings(data_dir=tmp_path))

    database = platform.database("fetcher")

    assert platform.database("fetcher") is database
    assert database.address.url == f"sqlite:///{tmp_path}/state/fetcher.db"
    await platform.close()


@pytest.mark.parametrize(("first", "second"), [("main", "acme"), ("acme", "main"), ("acme", "b")])
def test_a_data_folder_is_of_one_organisation(tmp_path: Path, first: str, second: str) -> None:
    """Whoever is of another does not start on it; its owner does again."""
    for _ in range(2):
        prepare_data_dir(CommonSettings(data_dir=tmp_path, organisation_id=first))
        (tmp_path / "state").mkdir(exist_ok=True)

    with pytest.raises(InvalidInput, match="belongs to organisation"):
        prepare_data_dir(CommonSettings(data_dir=tmp_path, organisation_id=second))


def test_a_folder_of_main_says_nothing(tmp_path: Path) -> None:
    """What an installation of one organisation has stays as it is."""
    prepare_data_dir(CommonSettings(data_dir=tmp_path))

    assert [] == list(tmp_path.iterdir())


async def test_the_archive_keeps_what_is_put(tmp_path: Path) -> None:
    """The archive of the settings is open when the platform is."""
    platform = await _open(CommonSettings(data_dir=tmp_path))

    ref = await platform.archive.put(b"text", media_type="text/plain")

    assert await platform.archive.get(ref) == b"text"
    assert (tmp_path / "archive" / "main").is_dir()
    await platform.close()


class Model:
    """Takes until it is let, and may fail."""

    def __init__(self) -> None:
        self.let = threading.Event()
        self.calls = 0
        self.error: Exception | None = None

    def open(self, _common: CommonSettings) -> "Model":
        self.calls += 1
        assert self.let.wait(10)
        if self.error is not None:
            raise self.error
        return self

    def close(self) -> None:
        self.let.clear()


async def test_a_load_goes_on_for_the_next_who_asks() -> None:
    """A readiness check gives up after seconds; a model that is being fetched takes minutes."""
    shared, model = SharedResources(CommonSettings()), Model()
    opening = model.open
    for _ in range(3):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await shared(opening)
    model.let.set()

    assert [model, model] == [await shared(opening), await shared(opening)]
    assert 1 == model.calls


async def test_a_load_that_failed_is_tried_anew_after_a_while() -> None:
    """Meanwhile everybody is told the same, without another attempt."""
    shared, model = SharedResources(CommonSettings(), retry_seconds=0.05), Model()
    opening = model.open
    model.error = StoreUnavailable("no network")
    model.let.set()
    told = await asyncio.gather(shared(opening), shared(opening), return_exceptions=True)
    told += await asyncio.gather(shared(opening), return_exceptions=True)
    model.error = None
    await asyncio.sleep(0.1)

    assert [StoreUnavailable] * 3 == [type(error) for error in told]
    assert model is await shared(opening)
    assert 2 == model.calls


async def test_a_data_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    """The message names the folder and the setting."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")

    with pytest.raises(StoreUnavailable, match=r"file/data.*SCOPS_DATA_DIR"):
        await _open(CommonSettings(data_dir=blocked / "data"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_read_only_data_folder_is_a_clear_error(tmp_path: Path) -> None:
    """A folder without permission is found at the start, not at the first write."""
    tmp_path.chmod(0o500)

    with pytest.raises(StoreUnavailable, match="SCOPS_DATA_DIR"):
        await _open(CommonSettings(data_dir=tmp_path))
