"""What a killed process had in hand is delivered again within seconds of the next start."""

import time
from pathlib import Path

from nats.js import JetStreamContext

from scops.common.bus.admin import handback
from scops.common.bus.admin.handback import hand_back
from scops.common.bus.admin.provisioner import provision
from scops.common.bus.admin.topology import ACK_WAIT_SECONDS, durables_of
from scops.common.bus.embedded.nats_child import NatsChild
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.config.settings import CommonSettings
from scops.common.contract.service_table import Role
from tests.fakes.worlds.services import outgoing, page_gone

ROLES = tuple(Role)
DURABLE = "change-detector-page_gone-bulk"
STREAM = "SCOPS_FETCHER"
PROMPT_SECONDS = 3.0


async def taken(jetstream: JetStreamContext, count: int) -> float:
    """Takes so many messages and acknowledges none; returns how long the first took to come."""
    began = time.monotonic()
    subscription = await jetstream.pull_subscribe_bind(DURABLE, STREAM)
    found = await subscription.fetch(count, timeout=2 * PROMPT_SECONDS)
    took = time.monotonic() - began
    assert count == len(found)
    await subscription.unsubscribe()
    return took


async def waits(bus: NatsBus) -> set[float | None]:
    found = [await bus.jetstream.consumer_info(one.stream, one.name) for one in durables_of(ROLES)]
    return {info.config.ack_wait for info in found}


async def test_messages_in_hand_come_again_at_once(
    nats_server: NatsChild, bus: NatsBus, common: CommonSettings, tmp_path: Path
) -> None:
    """Also where the server was ended with its process; the durables wait as long as before."""
    for number in range(5):
        await bus.publisher.publish(outgoing(page_gone(), f"gone-{number}"))
    await taken(bus.jetstream, 5)
    await bus.close()
    await nats_server.stop()
    await nats_server.start()
    again = await open_bus(nats_server.address, common)
    count = await hand_back(again.jetstream, ROLES)
    took = await taken(again.jetstream, 5)
    left = await waits(again)
    provisioned = await provision(again.jetstream, ROLES, common=common)
    await again.close()

    assert 5 == count
    assert took < PROMPT_SECONDS
    assert {ACK_WAIT_SECONDS} == left
    assert ((), ()) == (provisioned.created, provisioned.widened)


async def test_a_start_that_died_while_handing_back_is_mended(
    bus: NatsBus, common: CommonSettings
) -> None:
    """It left durables that hardly wait, which would be refused as not agreed."""
    for durable in durables_of(ROLES)[:3]:
        await handback._set_wait(bus.jetstream, durable, handback.SHORT_WAIT_SECONDS)
    await hand_back(bus.jetstream, ROLES)
    left = await waits(bus)
    await provision(bus.jetstream, ROLES, common=common)

    assert {ACK_WAIT_SECONDS} == left


async def test_a_first_start_hands_nothing_back(bare_bus: NatsBus) -> None:
    """There is no stream yet."""
    assert 0 == await hand_back(bare_bus.jetstream, ROLES)
