"""What a method of the public API is, whatever carries its calls."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from google.protobuf.message import Message

from scops.common.access.permissions import Permission
from scops.common.access.principal import ANONYMOUS
from scops.gateway.access.installation import check_caller
from scops.gateway.admission.cost import CallCost
from scops.gateway.api.recording import is_recorded, recording
from scops.gateway.api.responses import message
from scops.gateway.calls import Call
from scops.gateway.handlers.watching import Look
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.texts import check_texts


@dataclass(frozen=True, slots=True)
class Method:
    """One method of the public API.

    Attributes:
        use_case: returns what the response is made of; of a stream it yields the parts, and of
            one that lasts it looks once, and is told what it saw the time before.
        permissions: one of them is needed: in the scope that the call is about, which the use
            case checks, or in the installation, which is checked here.
        arguments: those of the use case that come from the request.
        cost: of a call, and of each look of a stream that lasts.
        read_only: whether a call changes nothing that a caller sees.
        recorded: whether a call is in the audit although it changes nothing.
        signed: whether a body that is signed stands in place of a key that is sent.
        every: seconds between the looks of a stream that lasts; None for anything else.
    """

    name: str
    use_case: Callable[..., Any]
    arguments: Callable[[Any], dict[str, Any]]
    permissions: tuple[Permission, ...]
    cost: CallCost = CallCost.LOOKUP
    read_only: bool = True
    recorded: bool = False
    signed: bool = False
    every: float | None = None


@dataclass(frozen=True, slots=True)
class BoundMethod:
    """A method with its place in the protos.

    Attributes:
        path: as gRPC names it, such as `/scops.api.v1alpha1.JobService/GetJob`.
        streams: whether it has a stream of responses.
    """

    path: str
    method: Method
    request: type[Message]
    response: type[Message]
    streams: bool = False

    async def answer(self, ports: GatewayPorts, request: Message, call: Call) -> Message:
        """Serves a request inside its call.

        Raises:
            NotAuthenticated: nobody has said who calls.
            ScopsError: the request cannot be used, or as the use case raised it.
        """
        async with self._begun(ports, request, call) as tell:
            arguments = self.method.arguments(request)
            made = message(self.response, await self.method.use_case(ports, call, **arguments))
            tell(made)
            return made

    async def parts(
        self, ports: GatewayPorts, request: Message, call: Call
    ) -> AsyncIterator[Message]:
        """Yields the responses to a request inside its call.

        Raises:
            As `answer` does.
        """
        async with self._begun(ports, request, call) as tell:
            arguments = self.method.arguments(request)
            async for part in self.method.use_case(ports, call, **arguments):
                made = message(self.response, part)
                tell(made)
                yield made

    async def look(self, ports: GatewayPorts, request: Message, call: Call, told: Any) -> Look:
        """Returns the responses of a look, of a stream that lasts.

        Args:
            told: of the look before; None for the first one.

        Raises:
            As `answer` does.
        """
        async with self._begun(ports, request, call):
            arguments = self.method.arguments(request)
            seen: Look = await self.method.use_case(ports, call, told, **arguments)
            return replace(seen, parts=tuple(message(self.response, part) for part in seen.parts))

    @asynccontextmanager
    async def _begun(
        self, ports: GatewayPorts, request: Message, call: Call
    ) -> AsyncIterator[Callable[[Message], None]]:
        """Has a request served inside, if it may be, and in the audit where it belongs there."""
        if call.principal.principal_id == ANONYMOUS:
            check_caller(call.principal, self.method.permissions)
        check_texts(request)
        read_only = self.method.read_only and not self.method.recorded
        if not is_recorded(ports, request, read_only=read_only):
            check_caller(call.principal, self.method.permissions)
            yield _tell_nobody
            return
        async with recording(ports, call, self.method.name, request) as tell:
            check_caller(call.principal, self.method.permissions)
            yield tell


def _tell_nobody(_: Message) -> None:
    pass
