"""Calls of tools over a channel to the gateway, by the login of who started the command."""

import asyncio
from typing import Any

import grpc

from scops.client.errors import NotAuthenticated, ScopsError
from scops.client.login.credentials import Credential
from scops.client.target import GatewayTarget
from scops.client.wire import error_of, open_async_channel, unary, wire_method
from scops.gateway.adapters.mcp.api import CALL_SECONDS, failed, request_of


class ChannelApi:
    """An `Api` for one user; its channel is opened by the first call, in the loop that makes it."""

    def __init__(self, target: GatewayTarget, credential: Credential | None) -> None:
        self._target = target
        self._credential = credential
        self._channel: Any = None

    async def call(self, service: str, method: str, fields: dict[str, Any]) -> Any:
        wired = wire_method(service, method)
        request = request_of(wired.request, fields)
        if self._channel is None:
            self._channel = open_async_channel(self._target)
        ask = unary(self._channel, wired)
        try:
            try:
                return await self._once(ask, request)
            except NotAuthenticated:
                if not await self._renewed():
                    raise
            return await self._once(ask, request)
        except ScopsError as error:
            raise failed(error.message, error.reason, error.retry_after) from None

    async def _once(self, ask: Any, request: Any) -> Any:
        carried: tuple[tuple[str, str], ...] = ()
        if self._credential is not None:
            carried = (("authorization", f"Bearer {self._credential.token}"),)
        try:
            return await ask(request, timeout=CALL_SECONDS, metadata=carried)
        except grpc.RpcError as error:
            raise error_of(error, self._target) from None

    async def _renewed(self) -> bool:
        if self._credential is None:
            return False
        renewed = await asyncio.to_thread(self._credential.renewed)
        self._credential = renewed or self._credential
        return renewed is not None
