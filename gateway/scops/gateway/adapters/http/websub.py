"""The address that hubs call: they verify what they were asked for, and deliver what has changed.

Source: WebSub (W3C Recommendation), sections 5.3 and 7. Nobody signs in here: a subscription's
address cannot be guessed, and what is delivered is signed by its secret.
"""

from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from scops.gateway.adapters.http.arrivals import SYSTEM
from scops.gateway.adapters.http.guard import CALLBACKS
from scops.gateway.adapters.http.replies import NEVER_KEPT, problem
from scops.gateway.admission.cost import CallCost
from scops.gateway.calls import Call, CallOutcome, PublicCalls
from scops.gateway.handlers.subscriptions import (
    DELIVERY_BYTES_MAX,
    TEXT_CHARACTERS_MAX,
    confirm_subscription,
    take_delivery,
)
from scops.gateway.ports import GatewayPorts

SIGNATURE = "x-hub-signature"
GONE, TOO_LARGE, TAKEN = 410, 413, 202
UNKNOWN = "SUBSCRIPTION_UNKNOWN"
# The challenge is the hub's word, and no page.
PLAIN = {"cache-control": NEVER_KEPT, "x-content-type-options": "nosniff"}


class WebSubDoor:
    """What hubs call; who is served when is as of every call without a credential."""

    def __init__(self, ports: GatewayPorts, calls: PublicCalls) -> None:
        self._ports = ports
        self._calls = calls

    def routes(self) -> list[Route]:
        """Returns the routes."""
        path = f"{CALLBACKS}{{subscription}}"
        return [
            Route(path, self.verify, methods=["GET"]),
            Route(path, self.deliver, methods=["POST"]),
        ]

    async def verify(self, request: Request) -> Response:
        """Repeats the challenge of a hub that was asked for what it says."""
        said: Mapping[str, str] = request.query_params
        challenge = said.get("hub.challenge", "")[:TEXT_CHARACTERS_MAX]

        async def work(call: Call) -> None:
            await confirm_subscription(
                self._ports,
                call,
                subscription_id=request.path_params["subscription"],
                mode=said.get("hub.mode", ""),
                topic=said.get("hub.topic", ""),
                lease_seconds=said.get("hub.lease_seconds", ""),
                reason=said.get("hub.reason", ""),
            )

        outcome = await self._served(request, "verify", work)
        if outcome.failure is not None:
            return problem(request, outcome.failure, outcome.request_id)
        return PlainTextResponse(challenge, headers=PLAIN)

    async def deliver(self, request: Request) -> Response:
        """Takes what a hub delivers; it has been recorded when the answer leaves."""
        is_too_large = False

        async def work(call: Call) -> None:
            nonlocal is_too_large
            body = await _bounded(request)
            if body is None:
                is_too_large = True
                return
            await take_delivery(
                self._ports,
                call,
                subscription_id=request.path_params["subscription"],
                signature=request.headers.get(SIGNATURE, ""),
                body=body,
            )

        outcome = await self._served(request, "deliver", work)
        if is_too_large:
            text = f"A delivery has at most {DELIVERY_BYTES_MAX} bytes. Deliver what is new alone."
            return PlainTextResponse(text, TOO_LARGE, headers=PLAIN)
        if outcome.failure is not None:
            status = GONE if outcome.failure.reason == UNKNOWN else None
            return problem(request, outcome.failure, outcome.request_id, status=status)
        return Response(status_code=TAKEN, headers=PLAIN)

    async def _served(
        self, request: Request, name: str, work: Callable[[Call], Awaitable[None]]
    ) -> CallOutcome:
        return await self._calls.serve(
            f"{CALLBACKS}{name}",
            work,
            # A credential would be of no use here, and what a hub says of traces is its own.
            headers={},
            peer=request.client.host if request.client else "",
            cost=CallCost.LOOKUP,
            remaining_seconds=None,
            system=SYSTEM,
        )


async def _bounded(request: Request) -> bytes | None:
    """Returns the body; None for one that is too large, of which no more is read."""
    read = bytearray()
    async for part in request.stream():
        read += part
        if len(read) > DELIVERY_BYTES_MAX:
            return None
    return bytes(read)
