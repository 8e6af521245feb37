"""Webhooks by real HTTP: what receivers meet, and what they cannot make of it."""

import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from random import SystemRandom
from typing import Any

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.change import NewsPlace, TextEdit
from scops.common.egress.address import AddressPolicy, parse_allowed_ranges
from scops.common.runtime.clock import SystemClock
from scops.gateway.adapters.alerts.webhook import WebhookSender
from scops.gateway.watches.condition import Alert
from scops.gateway.watches.message import AlertMessage
from scops.gateway.watches.sealing import AlertTarget
from scops.gateway.watches.sender import SendResult
from scops.gateway.watches.signature import new_secret
from scops.gateway.watches.watch import News, Watch, WatchId
from tests.connected.fetcher_http.test_http_addresses import ScriptedResolver
from tests.connected.gateway.receivers import (
    Behaviour,
    Receiver,
    endless,
    hangs,
    is_signed,
    receiving,
    says,
)

AT = datetime.now(UTC)
HERE = AddressPolicy(allowed=parse_allowed_ranges("127.0.0.1/32:*"), setting="SCOPS_X")
WATCH = Watch(
    watch_id=WatchId("w-1"),
    organisation_id="main",
    principal_id="user:ann",
    scope_id=ScopeId("docs"),
    shown_address="",
    sealed=b"",
    created_time=AT,
    updated_time=AT,
    place=NewsPlace(recorded_time=AT),
)
ALERT = Alert(
    news=News.CHANGED,
    page_id=PageId("p-1"),
    url="https://docs.example.org/fees",
    observed_time=AT,
    edits=(TextEdit(from_text="5 €", to_text="6 €"),),
)
MakeSender = Callable[..., WebhookSender]


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as running:
        yield running


@pytest.fixture
async def make_sender() -> AsyncIterator[MakeSender]:
    """Builds senders that may reach one loopback address, and wait a moment."""
    made: list[WebhookSender] = []

    def make(addresses: AddressPolicy = HERE, **options: Any) -> WebhookSender:
        given = {"plain": True, "seconds": 0.5} | options
        made.append(WebhookSender(addresses, SystemClock(), **given))
        return made[-1]

    yield make
    for sender in made:
        await sender.close()


def message(delivery_id: str = "d-1", now: datetime | None = None) -> AlertMessage:
    return AlertMessage(
        delivery_id=delivery_id, watch=WATCH, alerts=(ALERT,), sent_time=now or datetime.now(UTC)
    )


async def test_a_receiver_knows_who_sent_what_and_when(
    receiver: Receiver, make_sender: MakeSender
) -> None:
    """By a signature over id, time and body; of nobody else, nothing else, and not for long."""
    secret, other = (new_secret(SystemRandom()) for _ in range(2))
    result = await make_sender().send(message(), AlertTarget(receiver.url, secret))
    ((headers, body),) = receiver.requests
    now = datetime.now(UTC)

    assert result.delivered
    assert "d-1" == headers["webhook-id"]
    assert "application/json" == headers["content-type"]
    assert is_signed(headers, body, secret=secret, now=now)
    assert not is_signed(headers, body, secret=other, now=now)
    assert not is_signed(headers, body.replace(b"6", b"7"), secret=secret, now=now)
    assert not is_signed(headers | {"webhook-id": "d-2"}, body, secret=secret, now=now)
    assert not is_signed(headers, body, secret=secret, now=now + timedelta(minutes=6))
    later = headers | {"webhook-timestamp": str(int(now.timestamp()) + 60)}
    assert not is_signed(later, body, secret=secret, now=now)


@pytest.mark.parametrize(
    ("behaviour", "said", "is_gone", "pause"),
    [
        (says(500), "It answered 500.", False, 0),
        (says(429, **{"retry-after": "120"}), "It answered 429.", False, 120),
        (says(503, **{"retry-after": "soon"}), "It answered 503.", False, 0),
        (says(410), "It answered 410.", True, 0),
        (hangs, "It did not answer within 0.5 s.", False, 0),
    ],
)
async def test_a_receiver_that_does_not_take_it_is_told_of(
    receiver: Receiver,
    make_sender: MakeSender,
    behaviour: Behaviour,
    said: str,
    is_gone: bool,
    pause: int,
) -> None:
    """With what it answered and when it wants to hear again; a moment, and no longer."""
    receiver.behaviours = [behaviour]
    begun = time.monotonic()
    result = await make_sender().send(
        message(), AlertTarget(receiver.url, new_secret(SystemRandom()))
    )

    assert time.monotonic() - begun < 5
    assert SendResult(failure=said, gone=is_gone, retry_after=timedelta(seconds=pause)) == result


async def test_an_answer_without_end_is_not_read(
    receiver: Receiver, make_sender: MakeSender
) -> None:
    """Its status is all that counts."""
    receiver.behaviours = [endless]
    target = AlertTarget(receiver.url, new_secret(SystemRandom()))

    assert (await make_sender().send(message(), target)).delivered


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(make_sender: MakeSender, status: int) -> None:
    """Neither inside nor anywhere."""
    async with receiving() as inside, receiving() as outside:
        outside.behaviours = [says(status, location=inside.url)]
        target = AlertTarget(outside.url, new_secret(SystemRandom()))
        result = await make_sender().send(message(), target)

        assert f"It answered {status}, a redirect" in result.failure
        assert [] == inside.requests


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "169.254.169.254",
        "10.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
        "2130706433",
    ],
)
async def test_what_is_not_public_is_not_connected_to(host: str, make_sender: MakeSender) -> None:
    """Neither when it is named nor when it is sent to, in whatever spelling."""
    async with receiving() as inside:
        port = inside.url.split(":")[2].split("/")[0]
        address = f"http://{host}:{port}/in"
        sender = make_sender(AddressPolicy())
        result = await sender.send(message(), AlertTarget(address, new_secret(SystemRandom())))

        assert not result.delivered
        assert [] == inside.requests


async def test_a_name_that_turns_inside_after_the_check_is_not_connected_to(
    receiver: Receiver, make_sender: MakeSender
) -> None:
    """Each look-up is judged where the socket is opened; one inside among others too."""
    port = receiver.url.split(":")[2].split("/")[0]
    resolver = ScriptedResolver(["93.184.216.34"], ["127.0.0.1"], ["93.184.216.34", "127.0.0.1"])
    sender = make_sender(AddressPolicy(), resolver=resolver)
    address = f"http://rebound.example:{port}/in"
    sender.check(address)
    await resolver.resolve("rebound.example")
    target = AlertTarget(address, new_secret(SystemRandom()))
    results = [await sender.send(message(), target) for _ in range(2)]

    assert [False, False] == [one.delivered for one in results]
    assert "127.0.0.1 is not public" in results[0].failure
    assert [] == receiver.requests


async def test_nothing_leaves_by_a_proxy_or_with_cookies(
    receiver: Receiver, make_sender: MakeSender, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the environment says, and receivers set."""
    async with receiving() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.split("/in")[0])
        receiver.behaviours = [says(200, **{"set-cookie": "id=1"})]
        sender = make_sender()
        for _ in range(2):
            await sender.send(message(), AlertTarget(receiver.url, new_secret(SystemRandom())))

        assert [] == proxy.requests
        assert ["cookie" in headers for headers, _ in receiver.requests] == [False, False]


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://hooks.example/in/secret?token=t", "https://hooks.example/…"),
        ("https://user:password@hooks.example:8443/in", "https://hooks.example:8443/…"),
    ],
)
def test_a_receiver_is_shown_without_its_secrets(
    address: str, shown: str, make_sender: MakeSender
) -> None:
    """Path, query and user may be some."""
    assert shown == make_sender(AddressPolicy(), plain=False).check(address)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "hooks.example/in",
        "http://hooks.example/in",
        "ftp://hooks.example/in",
        "file:///etc/passwd",
        "https://",
        "https://hooks.example:99999/in",
        "https://127.0.0.1/in",
        "https://[::1]/in",
        "https://169.254.169.254/latest",
        "https://hooks.example/" + "x" * 3000,
    ],
)
def test_an_address_that_nothing_is_sent_to_is_refused(
    address: str, make_sender: MakeSender
) -> None:
    """When the watch is made."""
    with pytest.raises(InvalidInput):
        make_sender(AddressPolicy(), plain=False).check(address)
