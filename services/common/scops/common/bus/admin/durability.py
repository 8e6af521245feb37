"""Proves that the server keeps what it acknowledges: every write is synced, and can be written."""

from collections.abc import Callable

import aiohttp

from scops.common.runtime.service import ReadinessCheck

TIMEOUT_SECONDS = 2.0


def _once() -> int:
    return 0


def durability_check(monitor_url: str, *, connections: Callable[[], int] = _once) -> ReadinessCheck:
    """Returns the readiness check that JetStream runs with `sync_interval: always` and is well.

    Args:
        connections: changes when the server may be another one; what was proven of it until then
            is not asked again, since it cannot change without a restart.
    """
    proven: set[int] = set()

    async def probe() -> str | None:
        epoch = connections()
        try:
            if epoch not in proven and not await syncs_always(monitor_url):
                return (
                    "The bus does not sync every write: set `jetstream { sync_interval: always }`"
                )
            proven.add(epoch)
            return await _illness(monitor_url)
        except (aiohttp.ClientError, TimeoutError, ValueError, OSError) as error:
            return f"The monitoring of the bus at {monitor_url} does not answer: {error!r}"

    return ReadinessCheck(name="bus-durability", probe=probe)


async def _illness(monitor_url: str) -> str | None:
    """Returns what the server finds wrong with its streams, such as a full disk."""
    async with _session() as session, session.get(_url(monitor_url, "healthz")) as response:
        if response.status == 200:
            return None
        found = await response.json(content_type=None)
    return (
        f"The bus is not well: {found.get('error') or found.get('status')}. After a full disk, "
        "make room and restart nats-server: until then the stream takes nothing."
    )


async def syncs_always(monitor_url: str) -> bool:
    """Returns whether the server at a monitoring endpoint syncs every write."""
    async with _session() as session, session.get(_url(monitor_url, "varz")) as response:
        varz = await response.json(content_type=None)
    return bool(varz.get("jetstream", {}).get("config", {}).get("sync_always", False))


def _session() -> aiohttp.ClientSession:
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_SECONDS)
    return aiohttp.ClientSession(timeout=timeout, trust_env=False)


def _url(monitor_url: str, page: str) -> str:
    return f"{monitor_url.rstrip('/')}/{page}"
