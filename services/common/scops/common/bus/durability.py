"""Proves that the server syncs every write: an acknowledged publication survives a power cut."""

import aiohttp

from scops.common.service import Check

TIMEOUT_SECONDS = 2.0


def durability_check(monitor_url: str) -> Check:
    """Returns the readiness check that JetStream runs with `sync_interval: always`.

    Once proven it is not asked again: the server cannot change it without a restart.
    """
    proven = False

    async def probe() -> str | None:
        nonlocal proven
        if proven:
            return None
        try:
            proven = await syncs_always(monitor_url)
        except (aiohttp.ClientError, TimeoutError, ValueError, OSError) as error:
            return f"The monitoring of the bus at {monitor_url} does not answer: {error!r}"
        if proven:
            return None
        return "The bus does not sync every write: set `jetstream { sync_interval: always }`"

    return Check(name="bus-durability", probe=probe)


async def syncs_always(monitor_url: str) -> bool:
    """Returns whether the server at a monitoring endpoint syncs every write."""
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_SECONDS)
    async with (
        aiohttp.ClientSession(timeout=timeout, trust_env=False) as session,
        session.get(f"{monitor_url.rstrip('/')}/varz") as response,
    ):
        varz = await response.json(content_type=None)
    return bool(varz.get("jetstream", {}).get("config", {}).get("sync_always", False))
