"""The bus as one process sees it: one connection, and the ports that stand on it."""

import asyncio
import random
import ssl
from contextlib import suppress
from dataclasses import dataclass

from nats.aio.client import Client
from nats.errors import Error
from nats.js import JetStreamContext

from scops.common.bus.connection import connect, ping
from scops.common.bus.consume.backlog import Backlog
from scops.common.bus.embedded.nats_child import NatsAddress
from scops.common.bus.publish.publisher import PUB_ACK_SECONDS, JetStreamPublisher
from scops.common.config.authority import certificate_problem, server_context
from scops.common.config.settings import CommonSettings
from scops.common.query.desk import NearDesks
from scops.common.query.nats_client import NatsQueryClient
from scops.common.runtime.clock import Clock, SystemClock
from scops.common.text.addresses import without_userinfo

PING_SECONDS = 2
CLOSE_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NatsBus:
    """A connected bus.

    Attributes:
        near: the roles of this process that answer questions, filled by who serves them.
        trusted: what its certificates are verified with; None for the authorities of the system.
    """

    address: NatsAddress
    client: Client
    jetstream: JetStreamContext
    publisher: JetStreamPublisher
    query_client: NatsQueryClient
    backlog: Backlog
    near: NearDesks
    trusted: ssl.SSLContext | None = None

    async def problem(self) -> str | None:
        """Returns why the bus cannot be used now, as a readiness check."""
        # Without a connection the client's flush waits for nothing, and finds nothing wrong.
        if not self.client.is_connected:
            return self._says(self.client.last_error or "there is no connection")
        try:
            await ping(self.client, timeout_seconds=PING_SECONDS)
        except (Error, OSError, TimeoutError) as error:
            return self._says(error)
        return None

    def _says(self, why: Exception | str) -> str:
        if isinstance(why, Exception):
            why = certificate_problem(why) or repr(why)
        return f"The bus at {without_userinfo(self.address.url)} does not answer: {why}"

    async def close(self) -> None:
        """Closes the connection; gives up waiting for a bus that does not answer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.client.close()


async def open_bus(
    address: NatsAddress,
    common: CommonSettings,
    *,
    name: str = "scops",
    clock: Clock | None = None,
    chance: random.Random | None = None,
) -> NatsBus:
    """Connects to the bus.

    Raises:
        StoreUnavailable: it does not answer in time.
    """
    time = clock or SystemClock()
    client = await connect(address.url, common, name=name)
    jetstream = client.jetstream(timeout=PUB_ACK_SECONDS)
    near: NearDesks = {}
    return NatsBus(
        address=address,
        client=client,
        jetstream=jetstream,
        publisher=JetStreamPublisher(jetstream, clock=time, organisation_id=common.organisation_id),
        query_client=NatsQueryClient(
            client,
            organisation_id=common.organisation_id,
            clock=time,
            chance=chance or random.Random(random.SystemRandom().getrandbits(64)),
            near=near,
        ),
        near=near,
        backlog=Backlog(jetstream),
        trusted=server_context(common) if common.server_ca else None,
    )
