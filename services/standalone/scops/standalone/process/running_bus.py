"""A connection to the bus that is there: the one that the settings name, or that of `scops up`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from scops.common.bus.embedded.nats_child import NatsAddress, embedded_address
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import StoreUnavailable
from scops.common.observe.log import configure_logging


@asynccontextmanager
async def running_bus() -> AsyncIterator[NatsBus]:
    """Connects while inside.

    Raises:
        StoreUnavailable: no bus is named and none runs, or it does not answer.
    """
    common = CommonSettings.load()
    configure_logging(common)
    bus = await open_bus(_address(common), common, name="scops command")
    try:
        yield bus
    finally:
        await bus.close()


def _address(common: CommonSettings) -> NatsAddress:
    if common.nats_url:
        return NatsAddress(url=common.nats_url, monitor_url=common.nats_monitor_url)
    found = embedded_address(common)
    if found is None:
        raise StoreUnavailable(
            f"No bus runs on the data folder {common.data_dir}. Start `scops up`, or set "
            "SCOPS_NATS_URL to the bus that is meant.",
            reason="BUS_UNAVAILABLE",
        )
    return found
