"""Alerts by apprise: sent by a child that reaches what webhooks reach."""

import json
import os
import time

import pytest

from scops.common.contract.errors import InvalidInput
from scops.gateway.adapters.alerts.apprise_sender import AppriseSender
from scops.gateway.watches.sealing import AlertTarget
from tests.connected.gateway.receivers import hangs, receiving, says
from tests.connected.gateway.test_webhooks import message

HERE = "127.0.0.1/32:*"


def address(url: str, scheme: str = "json") -> AlertTarget:
    return AlertTarget(f"{scheme}://{url.removeprefix('http://').split('/')[0]}/in")


async def test_a_service_gets_title_and_text() -> None:
    """By whatever apprise makes of its address."""
    sender = AppriseSender({"json"}, allowed=HERE)
    async with receiving() as receiver:
        result = await sender.send(message(), address(receiver.url))

    (body,) = receiver.bodies
    assert result.delivered, result.failure
    assert "docs" in body["title"]
    assert "- 5 €" in body["message"]
    assert "+ 6 €" in body["message"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433"])
async def test_nothing_inside_is_reached(host: str) -> None:
    """By whatever name."""
    sender = AppriseSender({"json"})
    async with receiving() as receiver:
        port = receiver.url.split(":")[2].split("/")[0]
        result = await sender.send(message(), AlertTarget(f"json://{host}:{port}/in"))

        assert not result.delivered
        assert [] == receiver.requests


async def test_a_redirect_inside_leads_nowhere() -> None:
    """Each socket is looked at, also the second one."""
    sender = AppriseSender({"json"}, allowed=HERE, denied="127.0.0.2/32")
    async with receiving("127.0.0.2") as inside, receiving() as outside:
        outside.behaviours = [says(307, location=inside.url)]
        result = await sender.send(message(), address(outside.url))

        assert not result.delivered
        assert [] == inside.requests


async def test_a_service_that_fails_or_hangs_is_told_of() -> None:
    """And its child is gone."""
    async with receiving() as receiver:
        receiver.behaviours = [says(500), hangs]
        failed = await AppriseSender({"json"}, allowed=HERE).send(message(), address(receiver.url))
        begun = time.monotonic()
        hanging = AppriseSender({"json"}, allowed=HERE, seconds=6.0)
        slow = await hanging.send(message(), address(receiver.url))

    assert not failed.delivered
    assert failed.failure
    assert time.monotonic() - begun < 20
    assert not slow.delivered


async def test_a_child_knows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor goes by a proxy of the environment."""
    async with receiving() as receiver, receiving() as proxy:
        monkeypatch.setenv("SCOPS_GATEWAY_WATCH_KEYS", "secret")
        monkeypatch.setenv("http_proxy", proxy.url.split("/in")[0])
        result = await AppriseSender({"json"}, allowed=HERE).send(message(), address(receiver.url))

        assert result.delivered, result.failure
        assert [] == proxy.requests
        assert "secret" not in json.dumps(receiver.bodies)
    assert os.environ["SCOPS_GATEWAY_WATCH_KEYS"] == "secret"


@pytest.mark.parametrize("text", ["", "slack", "slack://", "syslog://x", "json://h/" + "x" * 3000])
def test_what_an_operator_does_not_admit_is_refused(text: str) -> None:
    """By the name that the address begins with."""
    with pytest.raises(InvalidInput):
        AppriseSender({"json", "slack"}).check(text)


def test_an_address_is_shown_without_what_follows() -> None:
    """All of it may be secret."""
    assert "slack://…" == AppriseSender({"slack"}).check("slack://T1/B1/token")
