"""One connection to NATS that never gives up once it stands."""

import asyncio
from typing import Any

import nats
from nats.aio.client import Client

from scops.common.errors import StoreUnavailable
from scops.common.log import get_logger
from scops.common.settings import CommonSettings

log = get_logger(__name__)
RECONNECT_WAIT_SECONDS = 0.5
PING_INTERVAL_SECONDS = 20


async def connect(url: str, common: CommonSettings, *, name: str) -> Client:
    """Returns a connection that reconnects for ever.

    Args:
        name: shown in the server's monitoring.

    Raises:
        StoreUnavailable: the first connection did not come about in time.
    """
    try:
        async with asyncio.timeout(common.bus_connect_timeout_seconds):
            return await nats.connect(url, name=name, **connection_options())
    except (OSError, TimeoutError, nats.errors.Error) as error:
        raise StoreUnavailable(
            f"The bus at {url} did not answer within {common.bus_connect_timeout_seconds:.0f} s: "
            f"{error or 'timeout'}. Check SCOPS_NATS_URL, or unset it to run an embedded server.",
            reason="BUS_UNAVAILABLE",
        ) from error


def connection_options() -> dict[str, Any]:
    """Returns the options that every connection to the bus shares."""
    return {
        # The default gives up after 60 attempts, two minutes.
        "max_reconnect_attempts": -1,
        "reconnect_time_wait": RECONNECT_WAIT_SECONDS,
        "ping_interval": PING_INTERVAL_SECONDS,
        "error_cb": _log_error,
        # The client calls it at our own close, too, where it is no news.
        "disconnected_cb": _log_disconnected,
        "reconnected_cb": _log_reconnected,
    }


async def _log_error(error: Exception) -> None:
    log.warning("bus_error", error=repr(error))


async def _log_disconnected() -> None:
    log.info("bus_disconnected")


async def _log_reconnected() -> None:
    log.warning("bus_reconnected")
