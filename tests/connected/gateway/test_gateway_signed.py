"""A webhook signs what it says: whose signature counts, for what, and how long."""

import asyncio
import hashlib
import hmac
import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from scops.common.contract.messages.crawl import (
    SignalledUrl,
    SignalPagesRequest,
    SignalPagesResponse,
    SignalState,
)
from scops.common.query.ports import SIGNAL_PAGES
from scops.gateway.requests.limits import MESSAGE_BYTES_MAX
from tests.connected.gateway.http_calls import SCOPE_BODY, Answered, HttpCalls, http_calls
from tests.fakes.identity import HeardClaims
from tests.fakes.worlds.gateway import served_gateway

SOURCES = Path(__file__).parents[3] / "docs" / "sources.md"
PLAN = "https://docs.example.org/plan"
CHANGED = "/v1/pages:changed"
JSON = {"content-type": "application/json"}


@dataclass(frozen=True)
class Site:
    """A publishing system with a signing key, before a gateway."""

    call: HttpCalls
    administrator: dict[str, str]
    key_id: str
    secret: str

    async def push(
        self,
        said: bytes | None = None,
        *,
        secret: str = "",
        key_id: str = "",
        signed: bytes = b"",
        headers: dict[str, str] | None = None,
    ) -> Answered:
        """Signs and sends; by default all as it should be."""
        said = saying() if said is None else said
        headers = {**JSON, **signature(secret or self.secret, signed or said), **(headers or {})}
        path = f"{CHANGED}?key={key_id or self.key_id}"
        return await self.call("POST", path, data=said, headers=headers)


def saying(sent: str = "", **values: Any) -> bytes:
    """Returns a body of now."""
    said = {"scope": "scopes/docs", "uris": [PLAN], "send_time": sent or at(timedelta()), **values}
    return json.dumps(said).encode()


def at(ago: timedelta) -> str:
    return (datetime.now(UTC) - ago).strftime("%Y-%m-%dT%H:%M:%SZ")


def signature(secret: str, body: bytes) -> dict[str, str]:
    """Returns the header, as GitHub makes it."""
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {"X-Hub-Signature-256": f"sha256={digest}"}


@pytest.fixture
async def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    """A gateway with the scopes docs and other, and a signing key of a contributor for docs."""
    heard = HeardClaims(monkeypatch)

    async def reply(request: SignalPagesRequest) -> SignalPagesResponse:
        pages = tuple(SignalledUrl(url=url, state=SignalState.DUE) for url in request.urls)
        return SignalPagesResponse(pages=pages)

    async with (
        served_gateway(tmp_path, identity="required") as served,
        http_calls(served) as call,
    ):
        served.answer(SIGNAL_PAGES, reply)
        made = await call("POST", "/v1/installation:claim", json={"token": heard.tokens[0]})
        administrator = {"x-api-key": str(made.json["key"])}
        for name in ("docs", "other"):
            path = f"/v1/scopes?scopeId={name}"
            await call("POST", path, json=SCOPE_BODY, headers=administrator)
        key = {"signing": True, "role": "SCOPE_ROLE_CONTRIBUTOR", "scopes": ["scopes/docs"]}
        created = await call("POST", "/v1/keys", json=key, headers=administrator)
        assert created.json["key"]["signing"]
        key_id = created.json["key"]["name"].removeprefix("keys/")
        yield Site(call, administrator, key_id, created.json["secret"])


async def test_a_signed_body_counts_as_its_key(site: Site) -> None:
    """Without any other credential; uppercase hexadecimal is the same number."""
    said = saying()
    (digest,) = signature(site.secret, said).values()
    loud = {"X-Hub-Signature-256": f"sha256={digest.removeprefix('sha256=').upper()}"}
    taken = [await site.push(said), await site.push(said, headers=loud)]
    listed = await site.call("GET", "/v1/keys", headers=site.administrator)
    (kept,) = [one for one in listed.json["keys"] if one.get("signing")]

    assert [(200, "due")] * 2 == [(one.status, one.json["pages"][0]["state"]) for one in taken]
    assert "lastUseTime" in kept
    assert site.secret not in listed.body.decode()


async def test_the_documented_commands_are_taken(site: Site) -> None:
    """As docs/sources.md has them, by curl and openssl."""
    blocks = SOURCES.read_text().split("```bash\n")
    (script,) = [block.partition("```")[0] for block in blocks if "openssl dgst" in block]
    places = {"SCOPS": site.call.url, "KEY": site.key_id, "SECRET": site.secret}
    process = await asyncio.create_subprocess_exec(
        *("bash", "-euc", script),
        env={**os.environ, **places},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()

    assert 0 == process.returncode, err.decode()
    assert "due" == json.loads(out)["pages"][0]["state"]


async def test_what_was_not_signed_so_is_refused(site: Site) -> None:
    """The same error for another body, another secret, and keys that are none or sign nothing."""
    made = await site.call("POST", "/v1/keys", json={}, headers=site.administrator)
    plain = made.json["key"]["name"].removeprefix("keys/")
    refused = [
        await site.push(signed=saying(uris=["https://docs.example.org/other"])),
        await site.push(secret="wrong"),
        await site.push(key_id="0" * 16),
        await site.push(key_id=plain, secret=made.json["secret"]),
        # An ordinary key has no secret to sign with, and the empty one is none.
        await site.push(key_id=plain, headers=signature("", saying())),
        await site.push(b"{}", signed=b" {}"),
    ]

    assert [(401, "SIGNATURE_INVALID")] * 6 == [(one.status, one.json["reason"]) for one in refused]


async def test_a_revoked_key_signs_no_more(site: Site) -> None:
    """As any key."""
    path = f"/v1/keys/{site.key_id}:revoke"
    ended = await site.call("POST", path, json={}, headers=site.administrator)
    refused = await site.push()

    assert 200 == ended.status, ended.json
    assert "SIGNATURE_INVALID" == refused.json["reason"]


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (f"{CHANGED}?key={'0' * 16}", {}),
        (CHANGED, {"X-Hub-Signature-256": f"sha256={'0' * 64}"}),
        (f"{CHANGED}?key=1", {"X-Hub-Signature-256": f"sha256={'0' * 64}"}),
        (f"{CHANGED}?key={'0' * 16}", {"X-Hub-Signature-256": f"sha1={'0' * 40}"}),
        (f"{CHANGED}?key={'0' * 16}&key={'1' * 16}", {"X-Hub-Signature-256": f"sha256={'0' * 64}"}),
    ],
)
async def test_half_a_signature_says_what_is_missing(
    site: Site, path: str, headers: dict[str, str]
) -> None:
    """The key without the header, the header without the key, and other forms of both."""
    refused = await site.call("POST", path, data=saying(), headers={**JSON, **headers})

    assert (401, "SIGNATURE_MALFORMED") == (refused.status, refused.json["reason"])
    assert "X-Hub-Signature-256" in refused.json["detail"]


async def test_a_secret_that_signs_opens_nothing_by_being_sent(site: Site) -> None:
    """Neither as it is nor in the form of a key; and no other call is signed."""
    sent = [
        await site.call("GET", "/v1/scopes", headers={"authorization": f"Bearer {value}"})
        for value in (site.secret, f"sk_{site.key_id}_{site.secret}")
    ]
    other = await site.call(
        "POST",
        "/v1/scopes?scopeId=third",
        data=b"{}",
        headers={**JSON, **signature(site.secret, b"{}")},
    )
    both = await site.push(headers=site.administrator)

    assert [401, 401, 401] == [one.status for one in (*sent, other)]
    assert "CREDENTIALS_TWO" == both.json["reason"]


async def test_what_is_signed_counts_for_an_hour(site: Site) -> None:
    """A body that was heard on the way cannot be repeated for ever."""
    missing = json.dumps({"scope": "scopes/docs", "uris": [PLAN]}).encode()
    late, early = (saying(at(timedelta(minutes=minutes))) for minutes in (61, -61))
    refused = [await site.push(body) for body in (missing, late, early)]
    taken = [await site.push(body) for body in (saying(), saying(at(timedelta(minutes=55))))]

    assert [(400, "SEND_TIME_INVALID")] * 3 == [(one.status, one.json["reason"]) for one in refused]
    assert [200, 200] == [one.status for one in taken]


async def test_a_signature_gives_no_more_than_its_key(site: Site) -> None:
    """Another scope is absent, though its maker sees it; a viewer may not tell of changes."""
    elsewhere = await site.push(saying(scope="scopes/other"))
    key = {"signing": True, "role": "SCOPE_ROLE_VIEWER"}
    made = await site.call("POST", "/v1/keys", json=key, headers=site.administrator)
    key_id = made.json["key"]["name"].removeprefix("keys/")
    viewer = await site.push(secret=made.json["secret"], key_id=key_id)

    assert (404, 403) == (elsewhere.status, viewer.status)


async def test_a_signed_body_is_bounded(site: Site) -> None:
    """As any body."""
    known = await site.push(b" " * (MESSAGE_BYTES_MAX + 1))

    assert (400, "REQUEST_TOO_LARGE") == (known.status, known.json["reason"])
