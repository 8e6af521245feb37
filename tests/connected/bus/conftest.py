"""A bus whose server knows a user a role, as `scops nats-config` writes them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from pydantic import SecretStr

from scops.common.bus.admin.permissions import PROVISIONER
from scops.common.bus.admin.provisioner import provision
from scops.common.bus.embedded.nats_child import NatsAddress
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.config.settings import CommonSettings
from scops.common.contract.service_table import Role
from scops.standalone.process.nats_users import authorization
from tests.fakes.servers.nats import NatsServer, nats_server

Open = Callable[[str], Awaitable[NatsBus]]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    block = authorization(tmp_path / "passwords", create=True)
    with nats_server(tmp_path / "nats", authorization=block) as server:
        yield server


@pytest.fixture
async def open_as(
    server: NatsServer, common: CommonSettings, tmp_path: Path
) -> AsyncIterator[Open]:
    """Connects as a user; the provisioner has been at work."""
    async with AsyncExitStack() as stack:

        async def connect(user: str) -> NatsBus:
            bus = await open_bus(
                bus_address(server), user_settings(common, tmp_path, user), name=user
            )
            stack.push_async_callback(bus.close)
            return bus

        provisioner = await connect(PROVISIONER)
        await provision(provisioner.jetstream, list(Role), common=common)
        yield connect


def bus_address(server: NatsServer) -> NatsAddress:
    """Returns where a server listens."""
    return NatsAddress(url=server.url, monitor_url=server.monitor_url)


def user_settings(common: CommonSettings, folder: Path, user: str) -> CommonSettings:
    """Returns the settings of a process that connects as a user."""
    password = SecretStr((folder / "passwords" / user).read_text().strip())
    return common.model_copy(update={"nats_user": user, "nats_password": password})
