"""A server that lost how far a durable was, in a kill or by an older disk: work goes on."""

import shutil
from pathlib import Path

import pytest

from scops.common.bus.admin.provisioner import provision
from scops.common.bus.consume.delivery import NatsDelivery
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.config.settings import CommonSettings
from scops.common.contract import service_table
from scops.common.contract.errors import StoreRefusal, TransientError
from scops.common.contract.messages.crawl import PageGone
from scops.common.contract.service_table import BY_TYPE, Lane, Role
from tests.connected.bus.conftest import bus_address
from tests.connected.waiting import until
from tests.fakes.servers.nats import NatsServer
from tests.fakes.worlds.services import outgoing, page_gone

ENTRY = BY_TYPE[PageGone]
DURABLE = service_table.durable_name(Role.CHANGE_DETECTOR, ENTRY, Lane.BULK)


async def test_a_delivery_that_the_server_has_forgotten_is_no_outage(
    tmp_path: Path, common: CommonSettings
) -> None:
    """It delivers the message again; to wait for the acknowledgement would stop the durable."""
    server = NatsServer(tmp_path).start()
    bus = await open_bus(bus_address(server), common)
    try:
        await provision(bus.jetstream, [Role.CHANGE_DETECTOR], common=common)
        await bus.publisher.publish(outgoing(page_gone(1), "event-1"))
        await _kill(server, bus)
        shutil.copytree(server.store, tmp_path / "older")
        server.start()
        await until(lambda: bus.client.is_connected)
        pulled = await bus.jetstream.pull_subscribe_bind(durable=DURABLE, stream=ENTRY.stream.name)
        (message,) = await pulled.fetch(1, timeout=5)
        await _kill(server, bus)
        shutil.rmtree(server.store)
        shutil.copytree(tmp_path / "older", server.store)
        server.start()
        await until(lambda: bus.client.is_connected)

        with pytest.raises(TransientError) as refused:
            await NatsDelivery(message, bus.client).ack_sync()
        (again,) = await pulled.fetch(1, timeout=5)
        await NatsDelivery(again, bus.client).ack_sync()
    finally:
        await bus.close()
        server.kill()

    assert not isinstance(refused.value, StoreRefusal)
    assert "DELIVERY_FORGOTTEN" == refused.value.reason
    assert message.data == again.data


async def _kill(server: NatsServer, bus: NatsBus) -> None:
    """Ends the server as a power cut does; returns once the client has noticed."""
    server.kill()
    await until(lambda: not bus.client.is_connected)
