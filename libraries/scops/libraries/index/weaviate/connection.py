"""The connection to Weaviate: made at the first use, made again by itself, errors as ours.

Whoever asks while Weaviate is away gets StoreUnavailable after a bounded time. `interruptions`
counts how often it was away and came back: after an unclean stop its vectors must be looked at.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar
from urllib.parse import urlsplit

import grpc
import httpx
import weaviate
from weaviate.classes.init import AdditionalConfig, Auth, Timeout
from weaviate.config import GrpcConfig
from weaviate.exceptions import (
    UnexpectedStatusCodeError,
    WeaviateBaseError,
    WeaviateQueryError,
)

from scops.common.config.settings import WeaviateSettings
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.store_faults import StoreFault
from scops.libraries.index.weaviate.faults import advice, fault_of

T = TypeVar("T")
Work = Callable[[weaviate.WeaviateAsyncClient], Awaitable[T]]

# Bounds of one attempt to connect, one query and one write, the client's own retries included.
CONNECT_SECONDS = 5.0
QUERY_SECONDS = 10.0
WRITE_SECONDS = 60.0
# Batches and updates that one process has under way; others wait.
WRITES_AT_ONCE = 4
# gRPC's own longest pause between attempts, two minutes, would outlast any restart.
RECONNECT_MILLISECONDS_MAX = 1000
CHANNEL_OPTIONS = [
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", RECONNECT_MILLISECONDS_MAX),
    ("grpc.keepalive_time_ms", 20_000),
]
DETAIL_CHARACTERS_MAX = 300
CLIENT_LOGGER = "weaviate-client"
# Weaviate answered, though not as we wished.
REFUSALS = (UnexpectedStatusCodeError, WeaviateQueryError)
FAILURES = (WeaviateBaseError, httpx.HTTPError, grpc.RpcError, TimeoutError, OSError)


class WeaviateConnection:
    """One client for one process; `close` it at the end.

    Attributes:
        interruptions: how often Weaviate was away and answered again.
    """

    def __init__(self, settings: WeaviateSettings) -> None:
        self.interruptions = 0
        self._settings = settings
        self._client: weaviate.WeaviateAsyncClient | None = None
        self._connecting = asyncio.Lock()
        self._writes = asyncio.Semaphore(WRITES_AT_ONCE)
        self._away = False

    async def query(self, work: Work[T]) -> T:
        """Returns what some reading gives.

        Raises:
            StoreUnavailable: Weaviate does not answer, or refuses.
        """
        return await self._run(work, QUERY_SECONDS)

    async def write(self, work: Work[T]) -> T:
        """Returns what some writing gives; waits while too many writes are under way.

        Raises:
            StoreUnavailable: Weaviate does not answer, or refuses.
        """
        async with self._writes:
            return await self._run(work, WRITE_SECONDS)

    async def ping(self) -> None:
        """Asks for a sign of life, without the client's own retries, which would hide a restart.

        Raises:
            StoreUnavailable: Weaviate does not answer.
        """

        async def work(client: weaviate.WeaviateAsyncClient) -> None:
            if not await client.is_ready():
                raise ConnectionError("it is not ready")

        await self._run(work, CONNECT_SECONDS)

    async def close(self) -> None:
        """Closes the connection, if it was made."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _run(self, work: Work[T], seconds: float) -> T:
        try:
            async with asyncio.timeout(seconds):
                result = await work(await self._connected())
        except FAILURES as error:
            self._away |= not isinstance(error, REFUSALS)
            raise unavailable(self._settings.weaviate_url, error) from error
        if self._away:
            self._away = False
            self.interruptions += 1
        return result

    async def _connected(self) -> weaviate.WeaviateAsyncClient:
        async with self._connecting:
            if self._client is None:
                client = _client(self._settings)
                try:
                    await client.connect()
                except BaseException:
                    await client.close()
                    raise
                self._client = client
            return self._client


def unavailable(url: str, error: Exception) -> StoreUnavailable:
    """Returns the error for a Weaviate that cannot be used now."""
    detail = str(error)[:DETAIL_CHARACTERS_MAX] or type(error).__name__
    if isinstance(error, REFUSALS):
        return StoreUnavailable(
            f"Weaviate at {url} refused: {detail}. {advice(str(error))}; the work is retried.",
            reason="INDEX_UNAVAILABLE",
            fault=fault_of(str(error)),
        )
    return StoreUnavailable(
        f"Weaviate at {url} did not answer: {detail}. Check that it runs, and that "
        "SCOPS_WEAVIATE_URL and SCOPS_WEAVIATE_GRPC name it; the work is retried.",
        reason="INDEX_UNAVAILABLE",
        fault=StoreFault.AWAY,
    )


def _client(settings: WeaviateSettings) -> weaviate.WeaviateAsyncClient:
    address = urlsplit(settings.weaviate_url)
    is_secure = address.scheme == "https"
    grpc_host, grpc_port = settings.weaviate_grpc_address
    key = settings.weaviate_api_key.get_secret_value()
    # It logs refused objects whole, texts included; what failed is in the error that we raise.
    logging.getLogger(CLIENT_LOGGER).setLevel(logging.CRITICAL)
    return weaviate.use_async_with_custom(
        http_host=address.hostname or "",
        http_port=address.port or (443 if is_secure else 80),
        http_secure=is_secure,
        grpc_host=grpc_host,
        grpc_port=grpc_port,
        grpc_secure=is_secure,
        auth_credentials=Auth.api_key(key) if key else None,
        additional_config=AdditionalConfig(
            timeout=Timeout(
                init=CONNECT_SECONDS,
                query=QUERY_SECONDS,
                insert=WRITE_SECONDS,
            ),
            grpc_config=GrpcConfig(channel_options=CHANNEL_OPTIONS),
        ),
        # Its checks ask PyPI for the newest client; our own look at the schema comes anyway.
        skip_init_checks=True,
    )
