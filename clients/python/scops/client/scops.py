"""The client that waits for its answers."""

import copy
import threading
import time
from collections.abc import Callable, Iterator
from functools import wraps
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from scops.client.calls import (
    Attempt,
    Call,
    Last,
    Listing,
    Opening,
    Plan,
    Renewal,
    Step,
    Streaming,
)
from scops.client.connection import TIMEOUT_SECONDS, Connection
from scops.client.errors import ScopsError
from scops.client.reading import read_parts
from scops.client.surface import Methods
from scops.client.wire import error_of, open_channel, streamed, unary, wire_method

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Item = TypeVar("Item")


class Scops(Methods):
    """Asks a gateway; for any number of threads, over one channel.

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
        self._opening = threading.Lock()
        self._seconds = timeout

    def __enter__(self) -> "Scops":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the channel; the next call opens another."""
        with self._opening:
            channel, self._connection.channel = self._connection.channel, None
        if channel is not None:
            channel.close()

    def with_timeout(self, seconds: float) -> "Scops":
        """Returns this client with another time for each call, over the same channel."""
        other = copy.copy(self)
        other._seconds = seconds
        return other

    def _bound(self, plan: Callable[Parameters, Plan[Result]]) -> Callable[Parameters, Result]:
        @wraps(plan)
        def ask(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            return self._carry(plan(*args, **kwargs))

        return ask

    def _listed(
        self, listing: Callable[Parameters, Listing[Item]]
    ) -> Callable[Parameters, Iterator[Item]]:
        @wraps(listing)
        def ask(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Iterator[Item]:
            asked, token = listing(*args, **kwargs), ""
            while True:
                items, token = self._carry(asked.page(token))
                yield from items
                if not token:
                    return

        return ask

    def _streamed(
        self, streaming: Callable[Parameters, Streaming[Item]]
    ) -> Callable[Parameters, Iterator[Item]]:
        @wraps(streaming)
        def ask(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Iterator[Item]:
            asked = streaming(*args, **kwargs)
            return self._parts(asked, None if asked.lasts else self._seconds)

        return ask

    def _parts(self, asked: Streaming[Item], seconds: float | None) -> Iterator[Item]:
        return read_parts(
            self._connection.parts(asked, seconds),
            opening=self._open,
            renew=self._connection.renew,
            failure=lambda error: error_of(error, self._connection.target),
        )

    def _carry(self, plan: Plan[Result]) -> Result:
        try:
            step = next(plan)
            while True:
                try:
                    done = self._do(step)
                except ScopsError as error:
                    step = plan.throw(error)
                else:
                    step = plan.send(done)
        except StopIteration as end:
            result: Result = end.value
            return result

    def _do(self, step: Step) -> Any:
        if isinstance(step, Call):
            return self._carry(self._connection.attempts(step, self._seconds))
        if isinstance(step, Attempt):
            return self._attempt(step)
        if isinstance(step, Last):
            items = list(self._parts(step.streaming, step.seconds))
            return items[-1]
        if isinstance(step, Renewal):
            return self._connection.renew()
        time.sleep(step.seconds)
        return None

    def _attempt(self, step: Attempt) -> Any:
        import grpc

        method = wire_method(step.call.service, step.call.method)
        metadata = self._connection.metadata()
        try:
            ask = unary(self._channel(), method)
            return ask(step.request, timeout=step.seconds, metadata=metadata)
        except grpc.RpcError as error:
            raise error_of(error, self._connection.target) from None

    def _open(self, step: Opening) -> Any:
        method = wire_method(step.call.service, step.call.method)
        metadata = self._connection.metadata()
        ask = streamed(self._channel(), method)
        return ask(step.request, timeout=step.seconds, metadata=metadata)

    def _channel(self) -> Any:
        with self._opening:
            if self._connection.channel is None:
                self._connection.channel = open_channel(self._connection.target)
            return self._connection.channel
