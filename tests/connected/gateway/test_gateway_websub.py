"""What a hub is answered: by whatever name it calls, without a credential, within bounds."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import pytest

from scops.common.contract.errors import NotAuthenticated, NotFound
from scops.common.contract.messages.crawl import (
    ConfirmSubscriptionRequest,
    ConfirmSubscriptionResponse,
    TakeDeliveryRequest,
    TakeDeliveryResponse,
)
from scops.common.query.ports import CONFIRM_SUBSCRIPTION, TAKE_DELIVERY
from scops.gateway.handlers.subscriptions import DELIVERY_BYTES_MAX
from tests.connected.gateway.http_calls import Answered, HttpCalls, http_calls
from tests.fakes.worlds.gateway import served_gateway

SUBSCRIPTION, ENDED = "a" * 32, "b" * 32
TOPIC, CHALLENGE = "https://a.test/feed.xml?x=1", "<script>alert(1)</script>"
SIGNED = {"X-Hub-Signature": "sha256=good", "Host": "scops.example.org"}


@dataclass
class Door:
    """The address that hubs call, with what the fetcher was asked."""

    call: HttpCalls
    confirmed: list[ConfirmSubscriptionRequest] = field(default_factory=list)
    delivered: list[TakeDeliveryRequest] = field(default_factory=list)

    async def verify(self, subscription: str = SUBSCRIPTION, **said: str) -> Answered:
        fields = {"mode": "subscribe", "topic": TOPIC, "challenge": CHALLENGE, **said}
        query = urlencode({f"hub.{name}": value for name, value in fields.items()})
        headers = {"Host": "scops.example.org"}
        return await self.call("GET", f"/websub/{subscription}?{query}", headers=headers)

    async def deliver(
        self, body: bytes, subscription: str = SUBSCRIPTION, **headers: str
    ) -> Answered:
        sent = headers or SIGNED
        return await self.call("POST", f"/websub/{subscription}", data=body, headers=sent)


@pytest.fixture(params=["none", "required"])
async def door(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Door]:
    """A gateway, with a fetcher that knows one subscription."""
    async with (
        served_gateway(tmp_path, identity=request.param) as served,
        http_calls(served) as call,
    ):
        made = Door(call)

        async def confirm(asked: ConfirmSubscriptionRequest) -> ConfirmSubscriptionResponse:
            made.confirmed.append(asked)
            if asked.subscription_id != SUBSCRIPTION:
                raise NotFound("Not asked.", reason="SUBSCRIPTION_NOT_ASKED")
            return ConfirmSubscriptionResponse()

        async def take(asked: TakeDeliveryRequest) -> TakeDeliveryResponse:
            made.delivered.append(asked)
            if asked.subscription_id != SUBSCRIPTION:
                raise NotFound("Ended.", reason="SUBSCRIPTION_UNKNOWN")
            if asked.signature != SIGNED["X-Hub-Signature"]:
                raise NotAuthenticated("Not signed.", reason="SIGNATURE_INVALID")
            return TakeDeliveryResponse(pages=1)

        served.answer(CONFIRM_SUBSCRIPTION, confirm)
        served.answer(TAKE_DELIVERY, take)
        yield made


async def test_a_challenge_is_repeated_as_text(door: Door) -> None:
    """Word for word, and no browser takes it for a page."""
    answered = await door.verify(lease_seconds="60")
    (asked,) = door.confirmed

    assert (200, CHALLENGE) == (answered.status, answered.body.decode())
    assert answered.headers["content-type"].startswith("text/plain")
    assert "nosniff" == answered.headers["x-content-type-options"]
    assert ("subscribe", TOPIC, 60) == (asked.mode, asked.topic, asked.lease_seconds)


@pytest.mark.parametrize(
    ("subscription", "said", "status"),
    [
        (ENDED, {}, 404),
        ("guess", {}, 404),
        (SUBSCRIPTION, {"mode": "publish"}, 400),
        (SUBSCRIPTION, {"topic": ""}, 400),
        (SUBSCRIPTION, {"lease_seconds": "-1"}, 400),
    ],
)
async def test_what_was_not_asked_for_is_not_repeated(
    door: Door, subscription: str, said: dict[str, str], status: int
) -> None:
    """Nor what no hub says."""
    answered = await door.verify(subscription, **said)

    assert status == answered.status
    assert CHALLENGE not in answered.body.decode()


async def test_a_delivery_is_taken_as_it_came(door: Door) -> None:
    """Up to the bound, to the byte."""
    body = bytes(range(256)) * (DELIVERY_BYTES_MAX // 256)
    answered = await door.deliver(body)
    (taken,) = door.delivered

    assert (202, b"") == (answered.status, answered.body)
    assert (SIGNED["X-Hub-Signature"], body) == (taken.signature, taken.body)


async def test_deliveries_that_are_not_taken_say_why(door: Door) -> None:
    """Too large, signed otherwise, unsigned, and of a subscription that has ended."""
    statuses = [
        (await door.deliver(b"x" * (DELIVERY_BYTES_MAX + 1))).status,
        (await door.deliver(b"x", **{"X-Hub-Signature": "sha256=bad"})).status,
        (await door.deliver(b"x", Host="scops.example.org")).status,
        (await door.deliver(b"x", ENDED)).status,
        (await door.deliver(b"x", "guess")).status,
    ]

    assert [413, 401, 401, 410, 410] == statuses
