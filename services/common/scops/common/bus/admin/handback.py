"""Messages that dead processes had in hand are delivered again at once, not after their ack wait.

Only for a bus of one process: it has just begun, so that nobody can have a message in hand. A
server that hears of a shorter wait looks at once at what is unacknowledged for longer.
"""

import asyncio
from collections.abc import Iterable

from nats.errors import Error
from nats.js import JetStreamContext, api

from scops.common.bus.admin.topology import ACK_WAIT_SECONDS, Durable, durable_config, durables_of
from scops.common.bus.admin.watchdog import consumers_of
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.service_table import Role
from scops.common.observe.log import get_logger

log = get_logger(__name__)
# Anything that a process was given before its death is unacknowledged for longer.
SHORT_WAIT_SECONDS = 0.1
# The server looks 0.1 s after it was told.
LOOK_SECONDS = 0.4


async def hand_back(jetstream: JetStreamContext, roles: Iterable[Role]) -> int:
    """Makes the server deliver again what is unacknowledged; returns how many messages that is.

    A start that died in the middle of this left a short wait behind, which is mended first of all.

    Raises:
        StoreUnavailable: the bus does not answer.
    """
    try:
        held = await _held(jetstream, durables_of(roles))
        for durable, _ in held:
            await _set_wait(jetstream, durable, SHORT_WAIT_SECONDS)
        if held:
            await asyncio.sleep(LOOK_SECONDS)
        for durable, _ in held:
            await _set_wait(jetstream, durable, ACK_WAIT_SECONDS)
    except (Error, OSError, TimeoutError) as error:
        raise StoreUnavailable(
            f"Messages in hand could not be handed back: {error!r}.", reason="BUS_UNAVAILABLE"
        ) from error
    count = sum(messages for _, messages in held)
    if count:
        log.info("messages_handed_back", count=count)
    return count


async def _held(
    jetstream: JetStreamContext, durables: Iterable[Durable]
) -> list[tuple[Durable, int]]:
    """Returns the durables that wait for acknowledgements, or that wait too short a time."""
    known = {durable.name: durable for durable in durables}
    streams = {str(info.config.name) for info in await jetstream.streams_info()}
    found = []
    for stream in sorted({durable.stream for durable in known.values()} & streams):
        for info in await consumers_of(jetstream, str(stream)):
            in_hand = int(info.num_ack_pending or 0)
            if info.name in known and (in_hand or _waits_short(info.config)):
                found.append((known[info.name], in_hand))
    return found


def _waits_short(config: api.ConsumerConfig) -> bool:
    return config.ack_wait is not None and config.ack_wait < 2 * SHORT_WAIT_SECONDS


async def _set_wait(jetstream: JetStreamContext, durable: Durable, seconds: float) -> None:
    config = durable_config(durable)
    config.ack_wait = seconds
    await jetstream.add_consumer(durable.stream, config)
