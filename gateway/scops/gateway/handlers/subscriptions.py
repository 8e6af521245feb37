"""What hubs say: they verify what they were asked for, and deliver what has changed."""

import re

from scops.common.contract.errors import InvalidInput, NotAuthenticated, NotFound
from scops.common.contract.messages.crawl import ConfirmSubscriptionRequest, TakeDeliveryRequest
from scops.common.query.ports import CONFIRM_SUBSCRIPTION, TAKE_DELIVERY
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.ports import GatewayPorts

# A question of the bus holds it.
DELIVERY_BYTES_MAX = 512 * 1024
TEXT_CHARACTERS_MAX = 2000
SUBSCRIPTION_ID_FORM = re.compile(r"[0-9a-f]{32}")
MODES = ("subscribe", "unsubscribe", "denied")
SECONDS_FORM = re.compile(r"[0-9]{0,12}")


async def confirm_subscription(
    ports: GatewayPorts,
    call: Call,
    *,
    subscription_id: str,
    mode: str,
    topic: str,
    lease_seconds: str = "",
    reason: str = "",
) -> None:
    """Takes what a hub verifies or denies.

    Raises:
        InvalidInput: it says nothing that a hub says.
        NotFound: it was not asked for.
    """
    _check_id(subscription_id)
    if mode not in MODES or not topic or not SECONDS_FORM.fullmatch(lease_seconds):
        raise InvalidInput(
            "A hub verifies by hub.mode (subscribe, unsubscribe or denied), hub.topic and "
            "hub.lease_seconds.",
            reason="FIELD_INVALID",
            field="hub.mode",
        )
    request = ConfirmSubscriptionRequest(
        subscription_id=subscription_id,
        mode=mode,
        topic=topic[: TEXT_CHARACTERS_MAX + 1],
        lease_seconds=int(lease_seconds or 0),
        reason=reason[:TEXT_CHARACTERS_MAX],
    )
    await ask(ports, CONFIRM_SUBSCRIPTION, request, call=call)


async def take_delivery(
    ports: GatewayPorts, call: Call, *, subscription_id: str, signature: str, body: bytes
) -> None:
    """Has the pages fetched now that a hub says have changed.

    Args:
        body: at most `DELIVERY_BYTES_MAX`.

    Raises:
        NotAuthenticated: it is not signed by the subscription's secret.
        NotFound: there is no such subscription any more.
    """
    _check_id(subscription_id)
    if not signature:
        raise NotAuthenticated(
            "The body is not signed. Send X-Hub-Signature with `sha256=` and the HMAC-SHA256 of "
            "the body by the secret of the subscription.",
            reason="SIGNATURE_MISSING",
        )
    request = TakeDeliveryRequest(
        subscription_id=subscription_id, signature=signature[:TEXT_CHARACTERS_MAX], body=body
    )
    await ask(ports, TAKE_DELIVERY, request, call=call)


def _check_id(subscription_id: str) -> None:
    if not SUBSCRIPTION_ID_FORM.fullmatch(subscription_id):
        raise NotFound(
            "There is no such subscription, or it has ended. Deliver no more here.",
            reason="SUBSCRIPTION_UNKNOWN",
        )
