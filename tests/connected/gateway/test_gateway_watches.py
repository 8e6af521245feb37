"""Watches by the real doors, database and receivers: from the call to the signed message."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import (
    NewestNewsRequest,
    NewestNewsResponse,
    NewsPlace,
    NewsRequest,
    NewsResponse,
    PageChange,
    PageNews,
    TextEdit,
)
from scops.common.query.ports import NEWEST_NEWS, NEWS
from tests.connected.gateway.http_calls import SCOPE_BODY, HttpCalls, http_calls
from tests.connected.gateway.receivers import Receiver, is_signed, receiving, says
from tests.connected.gateway.test_gateway_http_identity import as_key, claimed, service
from tests.connected.gateway.test_mail import Mailbox, mail_server
from tests.fakes.identity import HeardClaims
from tests.fakes.worlds.gateway import DOCS, ServedGateway, served_gateway

SETTINGS = {"watch_allowed_private": "127.0.0.1/32:*", "watch_retry_seconds": 0.05}
EDIT = TextEdit(from_text="The fee is 5 euros.", to_text="The fee is 6 euros.")


class OneChange:
    """A change-detector that knows of one change, recorded when it happens."""

    def __init__(self, served: ServedGateway) -> None:
        self.recorded: datetime | None = None
        served.answer(NEWEST_NEWS, self._newest)
        served.answer(NEWS, self._news)

    def happens(self) -> None:
        self.recorded = datetime.now(UTC)

    async def _newest(self, _: NewestNewsRequest) -> NewestNewsResponse:
        return NewestNewsResponse(recorded_time=self.recorded)

    async def _news(self, request: NewsRequest) -> NewsResponse:
        until = request.until or NewsPlace(recorded_time=datetime.now(UTC))
        recorded = self.recorded
        is_told = recorded and request.after.recorded_time < recorded <= until.recorded_time
        change = PageChange(
            page_id=PageId("p-1"),
            canonical_url=f"{DOCS}fees",
            news=PageNews.CHANGED,
            observed_time=recorded or until.recorded_time,
            edits=(EDIT,),
            access_context="public",
        )
        return NewsResponse(changes=(change,) if is_told else (), next=until)


@asynccontextmanager
async def watched(
    folder: Path, **settings: Any
) -> AsyncIterator[tuple[ServedGateway, HttpCalls, Receiver, OneChange]]:
    """Serves a gateway and a receiver."""
    async with (
        receiving() as receiver,
        served_gateway(folder, **SETTINGS, **settings) as served,
        http_calls(served) as call,
    ):
        yield served, call, receiver, OneChange(served)


async def work(served: ServedGateway, *, times: int = 5) -> None:
    """Has the gateway do what its loop does."""
    for _ in range(times):
        await served.gateway.turns.begin_due()
        await served.gateway.turns.finish()
        await asyncio.sleep(0.1)


def body(receiver: Receiver) -> Any:
    target = {"kind": "KIND_WEBHOOK", "address": receiver.url}
    return {"scope": "scopes/docs", "target": target}


async def test_a_change_reaches_a_receiver_once(tmp_path: Path) -> None:
    """Made, tried, delivered after a failure, shown and deleted by readable routes."""
    async with watched(tmp_path) as (served, call, receiver, change):
        await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY)
        made = await call("POST", "/v1/watches", json=body(receiver))
        path = f"/v1/{made.json['watch']['name']}"
        tested = await call("POST", f"{path}:test", json={})
        receiver.behaviours = [says(500)]
        change.happens()
        await work(served)
        shown = await call("GET", path)
        listed = await call("GET", "/v1/watches")
        paused = await call("PATCH", f"{path}?updateMask=paused", json={"paused": True})
        deleted = await call("DELETE", path)
        absent = await call("GET", path)

    test, first, second = receiver.requests
    kinds = [one["type"] for one in receiver.bodies]
    now = datetime.now(UTC)
    assert 200 == made.status, made.json
    assert ["test", "changes", "changes"] == kinds
    assert tested.json["delivered"]
    assert tested.json["deliveryId"] == test[0]["webhook-id"]
    assert first[0]["webhook-id"] == second[0]["webhook-id"]
    assert receiver.bodies[1]["data"] == receiver.bodies[2]["data"]
    for headers, sent in receiver.requests:
        assert is_signed(headers, sent, secret=made.json["secret"], now=now)
    (told,) = receiver.bodies[2]["data"]["changes"]
    assert ("5", "6") == tuple(told["edits"][0][side]["text"][11] for side in ("from", "to"))
    (delivery,) = shown.json["deliveries"]
    assert ("STATE_SENT", 2) == (delivery["state"], delivery["attempts"])
    assert "http://127.0.0.1:" in shown.json["watch"]["target"]["address"]
    assert b"secret" not in shown.body + listed.body
    assert "STATE_PAUSED" == paused.json["watch"]["state"]
    assert (200, 404) == (deleted.status, absent.status)


async def test_a_change_is_mailed_and_sent_by_apprise(tmp_path: Path) -> None:
    """As the operator has set them up; what they have not is refused."""
    box = Mailbox()
    with mail_server(box) as port:
        settings = {
            "mail_server": f"smtp+plain://127.0.0.1:{port}",
            "mail_from": "scops@example.org",
            "watch_apprise": ("json",),
        }
        async with watched(tmp_path, **settings) as (served, call, receiver, change):
            await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY)
            by_mail = {"kind": "KIND_EMAIL", "address": "ann@example.org"}
            to = receiver.url.removeprefix("http://")
            by_apprise = {"kind": "KIND_APPRISE", "address": f"json://{to}"}
            other = {"kind": "KIND_APPRISE", "address": "slack://a/b/c"}
            made = [
                await call("POST", "/v1/watches", json={"scope": "scopes/docs", "target": target})
                for target in (by_mail, by_apprise, other)
            ]
            change.happens()
            await work(served)
            shown = await call("GET", "/v1/watches")

    assert [200, 200, 400] == [one.status for one in made]
    assert ["", ""] == [one.json.get("secret", "") for one in made[:2]]
    assert ["json://…", "ann@example.org"] == [
        one["target"]["address"] for one in shown.json["watches"]
    ]
    (mail,) = box.taken
    assert "The fee is 6 euros." in str(mail.get_body(("plain",)))
    (body_sent,) = receiver.bodies
    assert "The fee is 6 euros." in body_sent["message"]


async def test_a_gateway_that_starts_again_sends_nothing_twice(tmp_path: Path) -> None:
    """What was sent stays sent, what had failed is the same delivery."""
    async with receiving() as receiver:
        async with served_gateway(tmp_path, **SETTINGS) as served, http_calls(served) as call:
            change = OneChange(served)
            await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY)
            await call("POST", "/v1/watches", json=body(receiver))
            receiver.behaviours = [says(503)]
            change.happens()
            await work(served, times=1)
        async with served_gateway(tmp_path, **SETTINGS) as served:
            OneChange(served).recorded = change.recorded
            await work(served)
        async with served_gateway(tmp_path, **SETTINGS) as served:
            OneChange(served).recorded = change.recorded
            await work(served)

    assert 2 == len(receiver.requests)
    assert 1 == len({headers["webhook-id"] for headers, _ in receiver.requests})


async def test_a_watch_ends_with_the_key_that_made_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or with the role of who made it; nobody without a credential makes one."""
    heard = HeardClaims(monkeypatch)
    async with watched(tmp_path, identity="required") as (served, call, receiver, change):
        administrator = await claimed(call, heard)
        owner, reader = [await service(call, administrator, name) for name in ("owl", "eve")]
        await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY, headers=as_key(owner))
        nobody = await call("POST", "/v1/watches", json=body(receiver))
        hidden = await call("POST", "/v1/watches", json=body(receiver), headers=as_key(reader))
        share = {"grant": {"subject": "service:eve", "role": "SCOPE_ROLE_VIEWER"}}
        await call("POST", "/v1/scopes/docs:share", json=share, headers=as_key(owner))
        made = await call("POST", "/v1/watches", json=body(receiver), headers=as_key(reader))
        own = await call("POST", "/v1/watches", json=body(receiver), headers=as_key(owner))
        strangers = await call("GET", "/v1/watches", headers=as_key(administrator))
        share["grant"]["role"] = "SCOPE_ROLE_UNSPECIFIED"
        await call("POST", "/v1/scopes/docs:share", json=share, headers=as_key(owner))
        key = f"/v1/keys/{owner.split('_')[1]}:revoke"
        revoked = await call("POST", key, json={}, headers=as_key(administrator))
        change.happens()
        await work(served)
        ended = await call("GET", f"/v1/{made.json['watch']['name']}", headers=as_key(reader))
        kept = await served.gateway.ports.alerts.store.get(
            own.json["watch"]["name"].removeprefix("watches/")
        )

    assert (401, 404, 200, 200) == (nobody.status, hidden.status, made.status, revoked.status)
    assert {} == {name: one for name, one in strangers.json.items() if one}
    assert [] == receiver.requests
    assert "NOT_READABLE" == ended.json["watch"]["endReason"]
    assert kept is not None
    assert "KEY_ENDED" == kept.end_reason


async def test_without_permission_nothing_is_sent_inside(tmp_path: Path) -> None:
    """A receiver on the gateway's own machine is refused when it is named."""
    async with (
        receiving() as receiver,
        served_gateway(tmp_path) as served,
        http_calls(served) as call,
    ):
        await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY)
        plain = await call("POST", "/v1/watches", json=body(receiver))
        secure = body(receiver)
        secure["target"]["address"] = secure["target"]["address"].replace("http:", "https:")
        inside = await call("POST", "/v1/watches", json=secure)

    assert ("TARGET_UNUSABLE", "TARGET_UNUSABLE") == (plain.json["reason"], inside.json["reason"])
    assert "SCOPS_GATEWAY_WATCH_ALLOWED_PRIVATE" in inside.json["detail"]
