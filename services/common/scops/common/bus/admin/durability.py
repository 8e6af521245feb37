"""Proves that the server keeps what it acknowledges: every write is synced, and can be written."""

import ssl
from collections.abc import Callable

import aiohttp

from scops.common.config.authority import certificate_problem
from scops.common.runtime.service import ReadinessCheck

TIMEOUT_SECONDS = 2.0


def _once() -> int:
    return 0


def durability_check(
    monitor_url: str,
    *,
    connections: Callable[[], int] = _once,
    trusted: ssl.SSLContext | None = None,
) -> ReadinessCheck:
    """Returns the readiness check that JetStream runs with `sync_interval: always` and is well.

    Args:
        connections: changes when the server may be another one; what was proven of it until then
            is not asked again, since it cannot change without a restart.
        trusted: what an https:// endpoint is verified with; None takes the system's authorities.
    """
    proven: set[int] = set()

    async def probe() -> str | None:
        epoch = connections()
        try:
            if epoch not in proven and not await syncs_always(monitor_url, trusted):
                return (
                    "The bus does not sync every write: set `jetstream { sync_interval: always }`"
                )
            proven.add(epoch)
            return await _illness(monitor_url, trusted)
        except (aiohttp.ClientError, TimeoutError, ValueError, OSError) as error:
            why = certificate_problem(error) or repr(error)
            return f"The monitoring of the bus at {monitor_url} does not answer: {why}"

    return ReadinessCheck(name="bus-durability", probe=probe)


async def _illness(monitor_url: str, trusted: ssl.SSLContext | None) -> str | None:
    """Returns what the server finds wrong with its streams, such as a full disk."""
    address = _url(monitor_url, "healthz")
    async with _session(trusted) as session, session.get(address) as response:
        if response.status == 200:
            return None
        found = await response.json(content_type=None)
    return (
        f"The bus is not well: {found.get('error') or found.get('status')}. After a full disk, "
        "make room and restart nats-server: until then the stream takes nothing."
    )


async def syncs_always(monitor_url: str, trusted: ssl.SSLContext | None = None) -> bool:
    """Returns whether the server at a monitoring endpoint syncs every write."""
    address = _url(monitor_url, "varz")
    async with _session(trusted) as session, session.get(address) as response:
        varz = await response.json(content_type=None)
    return bool(varz.get("jetstream", {}).get("config", {}).get("sync_always", False))


def _session(trusted: ssl.SSLContext | None) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        timeout=aiohttp.ClientTimeout(total=TIMEOUT_SECONDS),
        connector=aiohttp.TCPConnector(ssl=trusted or True),
        trust_env=False,
    )


def _url(monitor_url: str, page: str) -> str:
    return f"{monitor_url.rstrip('/')}/{page}"
