"""Tools' calls inside the gateway, under the rules of every other door."""

from functools import partial
from typing import Any

from mcp.server.mcpserver import Context

from scops.gateway.adapters.http.headers import call_headers
from scops.gateway.adapters.mcp.api import CALL_SECONDS, failed, request_of
from scops.gateway.api.methods import METHODS, bound_methods
from scops.gateway.calls import PublicCalls
from scops.gateway.ports import GatewayPorts

SYSTEM = "mcp"
_bound = {
    (service.name, bound.method.name): bound
    for service in METHODS
    for bound in bound_methods(service)
}


class InProcessApi:
    """An `Api` for the caller of one HTTP request."""

    def __init__(self, ports: GatewayPorts, calls: PublicCalls, ctx: Context) -> None:
        self._ports = ports
        self._calls = calls
        self._request: Any = ctx.request_context.request

    async def call(self, service: str, method: str, fields: dict[str, Any]) -> Any:
        bound = _bound[service, method]
        client = self._request.client
        outcome = await self._calls.serve(
            bound.path,
            partial(bound.answer, self._ports, request_of(bound.request, fields)),
            headers=call_headers(self._request.headers.items()),
            peer=client.host if client is not None else "",
            cost=bound.method.cost,
            remaining_seconds=CALL_SECONDS,
            system=SYSTEM,
        )
        if outcome.failure is not None:
            failure = outcome.failure
            raise failed(failure.message, failure.reason, failure.retry_after_seconds)
        return outcome.response
