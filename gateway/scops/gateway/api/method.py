"""What a method of the public API is, whatever carries its calls."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from scops.common.access.permissions import Permission
from scops.common.access.principal import ANONYMOUS
from scops.gateway.access.installation import check_caller
from scops.gateway.admission.cost import CallCost
from scops.gateway.api.recording import is_recorded, recorded
from scops.gateway.api.responses import message
from scops.gateway.calls import Call
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.texts import check_texts


@dataclass(frozen=True, slots=True)
class Method:
    """One method of the public API.

    Attributes:
        permissions: one of them is needed: in the scope that the call is about, which the use
            case checks, or in the installation, which is checked here.
        arguments: those of the use case that come from the request.
        read_only: whether a call changes nothing that a caller sees.
    """

    name: str
    use_case: Callable[..., Awaitable[Any]]
    arguments: Callable[[Any], dict[str, Any]]
    permissions: tuple[Permission, ...]
    cost: CallCost = CallCost.LOOKUP
    read_only: bool = True


@dataclass(frozen=True, slots=True)
class BoundMethod:
    """A method with its place in the protos.

    Attributes:
        path: as gRPC names it, such as `/scops.api.v1alpha1.JobService/GetJob`.
    """

    path: str
    method: Method
    request: type[Message]
    response: type[Message]

    async def answer(self, ports: GatewayPorts, request: Message, call: Call) -> Message:
        """Serves a request inside its call.

        Raises:
            NotAuthenticated: nobody has said who calls.
            ScopsError: the request cannot be used, or as the use case raised it.
        """
        if call.principal.principal_id == ANONYMOUS:
            check_caller(call.principal, self.method.permissions)
        check_texts(request)

        async def work() -> Message:
            check_caller(call.principal, self.method.permissions)
            arguments = self.method.arguments(request)
            return message(self.response, await self.method.use_case(ports, call, **arguments))

        if not is_recorded(ports, request, read_only=self.method.read_only):
            return await work()
        return await recorded(ports, call, self.method.name, request, work)
