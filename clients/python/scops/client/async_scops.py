"""The client for event loops."""

import asyncio
import copy
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import wraps
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from scops.client.calls import (
    Attempt,
    Call,
    Coming,
    Last,
    Listing,
    Opening,
    Part,
    Plan,
    Renewal,
    Step,
    Streaming,
)
from scops.client.connection import TIMEOUT_SECONDS, Connection
from scops.client.errors import ScopsError
from scops.client.surface import Methods
from scops.client.wire import error_of, open_async_channel, streamed, unary, wire_method

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Item = TypeVar("Item")


class AsyncScops(Methods):
    """Asks a gateway from one event loop; the methods of `Scops`, to be awaited.

    Args:
        address: host:port or https://host; empty is `SCOPS_COMMAND_ADDRESS`, else
            127.0.0.1:7300. What is not this machine is asked by TLS.
        token: an API key or a token; empty is `SCOPS_TOKEN`, else what `scops login` keeps.
        ca: PEM file of the authority to trust in place of the system's; empty is
            `SCOPS_COMMAND_CA`.
        timeout: seconds for each call with all its attempts.

    Raises:
        ScopsError: the address is none.
    """

    def __init__(
        self,
        address: str = "",
        *,
        token: str = "",
        ca: str = "",
        timeout: float = TIMEOUT_SECONDS,
    ) -> None:
        self._connection = Connection.to(address, token=token, ca=ca)
        self._seconds = timeout

    async def __aenter__(self) -> "AsyncScops":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the channel; the next call opens another."""
        channel, self._connection.channel = self._connection.channel, None
        if channel is not None:
            await channel.close()

    def with_timeout(self, seconds: float) -> "AsyncScops":
        """Returns this client with another time for each call, over the same channel."""
        other = copy.copy(self)
        other._seconds = seconds
        return other

    def _bound(
        self, plan: Callable[Parameters, Plan[Result]]
    ) -> Callable[Parameters, Awaitable[Result]]:
        @wraps(plan)
        async def ask(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            return await self._carry(plan(*args, **kwargs))

        return ask

    def _listed(
        self, listing: Callable[Parameters, Listing[Item]]
    ) -> Callable[Parameters, AsyncIterator[Item]]:
        @wraps(listing)
        async def ask(*args: Parameters.args, **kwargs: Parameters.kwargs) -> AsyncIterator[Item]:
            asked, token = listing(*args, **kwargs), ""
            while True:
                items, token = await self._carry(asked.page(token))
                for item in items:
                    yield item
                if not token:
                    return

        return ask

    def _streamed(
        self, streaming: Callable[Parameters, Streaming[Item]]
    ) -> Callable[Parameters, AsyncIterator[Item]]:
        @wraps(streaming)
        def ask(*args: Parameters.args, **kwargs: Parameters.kwargs) -> AsyncIterator[Item]:
            asked = streaming(*args, **kwargs)
            return self._parts(asked, None if asked.lasts else self._seconds)

        return ask

    async def _parts(self, asked: Streaming[Item], seconds: float | None) -> AsyncIterator[Item]:
        plan, opened = self._connection.parts(asked, seconds), None
        try:
            step = next(plan)
            while True:
                done = None
                try:
                    if isinstance(step, Part):
                        yield step.item
                    elif isinstance(step, Opening):
                        opened = await self._open(step, opened)
                    elif isinstance(step, Coming):
                        done = await self._coming(opened)
                    else:
                        done = await self._do(step)
                except ScopsError as error:
                    step = plan.throw(error)
                else:
                    step = plan.send(done)
        except StopIteration:
            return
        finally:
            if opened is not None:
                opened.cancel()

    async def _carry(self, plan: Plan[Result]) -> Result:
        try:
            step = next(plan)
            while True:
                try:
                    done = await self._do(step)
                except ScopsError as error:
                    step = plan.throw(error)
                else:
                    step = plan.send(done)
        except StopIteration as end:
            result: Result = end.value
            return result

    async def _do(self, step: Step) -> Any:
        if isinstance(step, Call):
            return await self._carry(self._connection.attempts(step, self._seconds))
        if isinstance(step, Attempt):
            return await self._attempt(step)
        if isinstance(step, Last):
            items = [item async for item in self._parts(step.streaming, step.seconds)]
            return items[-1]
        if isinstance(step, Renewal):
            return await asyncio.to_thread(self._connection.renew)
        await asyncio.sleep(step.seconds)
        return None

    async def _attempt(self, step: Attempt) -> Any:
        import grpc

        method = wire_method(step.call.service, step.call.method)
        metadata = await self._metadata()
        try:
            ask = unary(self._channel(), method)
            return await ask(step.request, timeout=step.seconds, metadata=metadata)
        except grpc.RpcError as error:
            raise error_of(error, self._connection.target) from None

    async def _open(self, step: Opening, before: Any) -> Any:
        if before is not None:
            before.cancel()
        method = wire_method(step.call.service, step.call.method)
        metadata = await self._metadata()
        ask = streamed(self._channel(), method)
        return ask(step.request, timeout=step.seconds, metadata=metadata)

    async def _coming(self, opened: Any) -> Any:
        import grpc.aio

        try:
            message = await opened.read()
        except grpc.RpcError as error:
            raise error_of(error, self._connection.target) from None
        return None if message is grpc.aio.EOF else message

    async def _metadata(self) -> tuple[tuple[str, str], ...]:
        if self._connection.has_credential:
            return self._connection.metadata()
        # It may read a file and ask an issuer.
        return await asyncio.to_thread(self._connection.metadata)

    def _channel(self) -> Any:
        if self._connection.channel is None:
            self._connection.channel = open_async_channel(self._connection.target)
        return self._connection.channel
