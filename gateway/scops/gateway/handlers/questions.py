"""Asks other services on behalf of a call."""

from datetime import timedelta
from typing import TypeVar

from scops.common.contract.errors import NotYetKnown
from scops.common.query.ports import QueryMethod
from scops.gateway.call import Call
from scops.gateway.ports import GatewayPorts

Request = TypeVar("Request")
Response = TypeVar("Response")


async def ask(
    ports: GatewayPorts, method: QueryMethod[Request, Response], request: Request, *, call: Call
) -> Response:
    """Returns the answer, within the call's own deadline.

    A service that has not got a scope's revision yet is asked again: right after a change the
    projection is under way.

    Raises:
        TransientError: nobody answered in time.
        ScopsError: the error of the service that was asked.
    """
    wait_seconds = ports.settings.query_retry_seconds
    for _ in range(ports.settings.query_attempts_max - 1):
        try:
            return await ports.query_client.call(method, request, deadline=call.deadline)
        except NotYetKnown:
            if ports.clock.now() + timedelta(seconds=wait_seconds) >= call.deadline:
                raise
            await ports.clock.sleep(wait_seconds)
    return await ports.query_client.call(method, request, deadline=call.deadline)
