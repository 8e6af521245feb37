"""The connection to Weaviate: made at the first use, made again by itself, errors as ours.

Whoever asks while Weaviate is away gets StoreUnavailable after a bounded time. `interruptions`
counts how often it was away and came back: after an unclean stop its vectors must be looked at.
"""

import asyncio
import logging
import ssl
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

from scops.common.config.authority import authorities, certificate_problem, server_context
from scops.common.config.settings import WeaviateSettings
from scops.common.contract.errors import InvalidInput, StoreUnavailable
from scops.common.contract.store_faults import StoreFault
from scops.common.observe.log import get_logger
from scops.libraries.index.weaviate.faults import advice, fault_of

log = get_logger(__name__)
T = TypeVar("T")
Work = Callable[[weaviate.WeaviateAsyncClient], Awaitable[T]]

# Bounds of one attempt to connect, one query and one write, the client's own retries included.
CONNECT_SECONDS = 5.0
QUERY_SECONDS = 10.0
WRITE_SECONDS = 60.0
# Of a look at the certificate of a side that did not answer.
LOOK_SECONDS = 2.0
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

    Raises:
        InvalidInput: the authorities to trust cannot be read.
    """

    def __init__(self, settings: WeaviateSettings) -> None:
        self.interruptions = 0
        self._settings = settings
        self._client: weaviate.WeaviateAsyncClient | None = None
        # Of authorities that have been replaced: questions may be under way.
        self._former: weaviate.WeaviateAsyncClient | None = None
        is_secure = settings.weaviate_url.startswith("https:")
        self._context = server_context(settings) if is_secure else None
        self._trusted = self._client_trusts = authorities(settings) if is_secure else None
        self._read = _changed(settings)
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

    def note_interruption(self) -> None:
        """Counts an absence that showed by what it took, not by an error."""
        self.interruptions += 1

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
        held = (self._client, self._former)
        self._client = self._former = None
        for client in held:
            if client is not None:
                await client.close()

    async def _run(self, work: Work[T], seconds: float) -> T:
        try:
            async with asyncio.timeout(seconds):
                result = await work(await self._connected())
        except FAILURES as error:
            untrusted = None
            if not isinstance(error, REFUSALS):
                self._away = True
                untrusted = await self._refused_by_us()
            raise unavailable(self._settings.weaviate_url, untrusted or error) from error
        if self._away:
            self._away = False
            self.interruptions += 1
        return result

    async def _refused_by_us(self) -> Exception | None:
        """Returns what keeps us from trusting the gRPC side, which tries again and does not say."""
        if self._context is None:
            return None
        host, port = self._settings.weaviate_grpc_address
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                _, writer = await asyncio.open_connection(host, port, ssl=self._context)
        except (OSError, TimeoutError) as error:
            return error if certificate_problem(error) else None
        writer.close()
        return None

    async def _connected(self) -> weaviate.WeaviateAsyncClient:
        async with self._connecting:
            self._read_authorities()
            if self._client is None or self._client_trusts != self._trusted:
                client = _client(self._settings, self._context, trusted=self._trusted)
                try:
                    await client.connect()
                except BaseException:
                    await client.close()
                    raise
                await self._retire()
                self._client, self._client_trusts = client, self._trusted
            return self._client

    def _read_authorities(self) -> None:
        """Reads the file of authorities where it was written again."""
        changed = _changed(self._settings)
        if self._context is None or changed == self._read:
            return
        self._read = changed
        try:
            self._trusted = authorities(self._settings)
        except InvalidInput as error:
            log.warning("authorities_not_read", error=error.message)

    async def _retire(self) -> None:
        former, self._former = self._former, self._client
        if former is not None:
            await former.close()


def unavailable(url: str, error: Exception) -> StoreUnavailable:
    """Returns the error for a Weaviate that cannot be used now."""
    detail = str(error)[:DETAIL_CHARACTERS_MAX] or type(error).__name__
    if isinstance(error, REFUSALS):
        return StoreUnavailable(
            f"Weaviate at {url} refused: {detail}. {advice(str(error))}; the work is retried.",
            reason="INDEX_UNAVAILABLE",
            fault=fault_of(str(error)),
        )
    why = certificate_problem(error)
    if why:
        return StoreUnavailable(
            f"Weaviate at {url} is not trusted: {why}; the work is retried.",
            reason="INDEX_UNAVAILABLE",
            fault=StoreFault.AWAY,
        )
    return StoreUnavailable(
        f"Weaviate at {url} did not answer: {detail}. Check that it runs, and that "
        "SCOPS_WEAVIATE_URL and SCOPS_WEAVIATE_GRPC name it; the work is retried.",
        reason="INDEX_UNAVAILABLE",
        fault=StoreFault.AWAY,
    )


def _changed(settings: WeaviateSettings) -> int:
    """Returns when the file of authorities was last written; 0 where none is there."""
    try:
        return settings.server_ca.stat().st_mtime_ns if settings.server_ca else 0
    except OSError:
        return 0


def _client(
    settings: WeaviateSettings, context: ssl.SSLContext | None, *, trusted: bytes | None
) -> weaviate.WeaviateAsyncClient:
    address = urlsplit(settings.weaviate_url)
    is_secure = context is not None
    grpc_host, grpc_port = settings.weaviate_grpc_address
    key = settings.weaviate_api_key.get_secret_value()
    # It logs refused objects whole, texts included; what failed is in the error that we raise.
    logging.getLogger(CLIENT_LOGGER).setLevel(logging.CRITICAL)
    client = weaviate.use_async_with_custom(
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
            grpc_config=GrpcConfig(
                channel_options=CHANNEL_OPTIONS,
                credentials=grpc.ssl_channel_credentials(trusted) if is_secure else None,
            ),
        ),
        # Its checks ask PyPI for the newest client; our own look at the schema comes anyway.
        skip_init_checks=True,
    )
    if context is not None:
        _trust(client, context)
    return client


def _trust(client: weaviate.WeaviateAsyncClient, context: ssl.SSLContext) -> None:
    """Has a client verify HTTP by a context; it takes none but for gRPC, hence its private call."""
    connection = client._connection

    def make_client(colour: str) -> httpx.AsyncClient:
        return httpx.AsyncClient(headers=connection._headers, verify=context, trust_env=False)

    connection._make_client = make_client  # type: ignore[assignment,method-assign]
