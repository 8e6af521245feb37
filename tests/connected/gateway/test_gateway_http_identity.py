"""Who calls over HTTP, and what they may: the same as by gRPC, for every method."""

import base64
from contextlib import aclosing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from google.protobuf import json_format
from google.rpc import error_details_pb2

from scops.gateway.adapters.http.routes import Route, all_routes
from tests.connected.gateway.http_calls import SCOPE_BODY, HttpCalls, http_calls
from tests.connected.gateway.stream_calls import DOORS, Refused, StreamCall
from tests.fakes.identity import HeardClaims
from tests.fakes.worlds.gateway import served_gateway
from tests.fakes.worlds.methods import BOUND, requests_of

REQUIRED = {"identity": "required", "principal_units_per_second": 0.0}
# In the name and the rules of a scope that only its owner sees; a caller knows its id.
HIDDEN, SECRETS = "hidden", ("inkvellichor", "quillfeather")
# Open to everybody who has not said who they are.
OPEN = {"WhoAmI", "ClaimInstallation"}
ROUTES = tuple(all_routes())


def as_key(secret: str) -> dict[str, str]:
    return {"x-api-key": secret}


async def claimed(call: HttpCalls, heard: HeardClaims) -> str:
    """Makes the first administrator by the printed token; returns their key."""
    made = await call("POST", "/v1/installation:claim", json={"token": heard.tokens[0]})
    assert 200 == made.status, made.json
    return str(made.json["key"])


async def service(call: HttpCalls, administrator: str, name: str) -> str:
    """Makes a key of a service account."""
    body = {"principal": f"service:{name}"}
    made = await call("POST", "/v1/keys", json=body, headers=as_key(administrator))
    assert 200 == made.status, made.json
    return str(made.json["secret"])


def sent(name: str, request: Any) -> tuple[str, str, dict[str, Any]]:
    """Returns verb, path and options of a readable call that says what a request says."""
    routes = [route for route in ROUTES if route.bound.method.name == name]
    filled = [route for route in routes if not route.variable or _holds(request, route.variable)]
    return (filled[0].verb, *_written(filled[0], request))


def _holds(request: Any, path: str) -> bool:
    for part in path.split("."):
        request = getattr(request, part)
    return bool(request)


def _written(route: Route, request: Any) -> tuple[str, dict[str, Any]]:
    said = json_format.MessageToDict(request, preserving_proto_field_name=True)
    path = route.template
    if route.variable:
        value: Any = said
        for part in route.variable.split("."):
            value = value.get(part, {}) if isinstance(value, dict) else value
        *parents, last = route.variable.split(".")
        inner = said
        for part in parents:
            inner = inner.get(part, {})
        inner.pop(last, None)
        path = "/" + "/".join(
            (*route.segments[: route.start], quote(str(value)), *route.segments[route.end :])
        )
        path += f":{route.custom}" if route.custom else ""
    if route.body == "*":
        return path, {"json": said}
    options: dict[str, Any] = {}
    if route.body:
        options["json"] = said.pop(route.body, {})
    pairs = []
    for name, value in said.items():
        values = value if isinstance(value, list) else [value]
        pairs += [(name, str(one).lower() if isinstance(one, bool) else str(one)) for one in values]
    return path, {**options, "params": pairs}


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> HeardClaims:
    return HeardClaims(monkeypatch)


async def test_without_a_credential_nothing_but_who_one_is(
    tmp_path: Path, heard: HeardClaims
) -> None:
    """Every route of every method, with what HTTP clients look for in a 401."""
    async with served_gateway(tmp_path, **REQUIRED) as served, http_calls(served) as call:
        for name in BOUND:
            request = json_format.ParseDict(_said(name), BOUND[name].request())
            verb, path, options = sent(name, request)
            answered = await call(verb, path, **options)
            if name in OPEN:
                assert 401 != answered.status or "CLAIM" in answered.json["reason"], name
                continue
            told = (answered.status, answered.headers.get("www-authenticate"))
            assert (401, 'Bearer realm="scops"') == told, (name, answered.json)
        wrong = await call("GET", "/v1/me", headers={"authorization": "Bearer sk_no_such"})
        two = await call("GET", "/v1/me", headers={"authorization": "Bearer x", "x-api-key": "y"})

    assert (401, 401) == (wrong.status, two.status)


async def test_every_method_says_the_same_by_every_door(tmp_path: Path, heard: HeardClaims) -> None:
    """A stranger learns nothing of a hidden scope; an administrator is told what gRPC tells."""
    async with served_gateway(tmp_path, **REQUIRED) as served, http_calls(served) as call:
        administrator = await claimed(call, heard)
        owner, stranger = [await service(call, administrator, name) for name in ("owl", "eve")]
        body = {
            **SCOPE_BODY,
            "rules": [{"kind": "KIND_PREFIX", "pattern": f"{SECRETS[1]}.example"}],
            "seeds": [f"https://{SECRETS[1]}.example/"],
            "displayName": SECRETS[0],
        }
        made = await call("POST", f"/v1/scopes?scopeId={HIDDEN}", json=body, headers=as_key(owner))
        assert 200 == made.status, made.json
        for name, bound in BOUND.items():
            if bound.streams:
                for key in (stranger, administrator):
                    await _same_by_every_door(StreamCall(served, name, _said(name), key))
                continue
            request = json_format.ParseDict(_said(name), BOUND[name].request())
            verb, path, options = sent(name, request)
            said = json_format.MessageToDict(request)
            for key in (stranger, administrator):
                by_route = await call(verb, path, headers=as_key(key), **options)
                by_connect = await call("POST", BOUND[name].path, json=said, headers=as_key(key))
                # What is done by the first is there for the second.
                if by_route.status != 200 and by_connect.status != 200:
                    assert by_route.json["reason"] == _reason(by_connect.json), name
                if key == stranger:
                    texts = (by_route.body + by_connect.body).decode()
                    assert not [word for word in SECRETS if word in texts], name
        seen = await call("GET", f"/v1/scopes/{HIDDEN}", headers=as_key(owner))

    assert SECRETS[0] == seen.json["scope"]["displayName"]


async def _same_by_every_door(call: StreamCall) -> None:
    """A stream says the same whichever door it leaves by, and nothing that is hidden."""
    told = []
    for door in DOORS.values():
        said: list[str] = []
        async with aclosing(door(call)) as parts:
            try:
                said.append(str(await anext(parts)))
            except Refused as refused:
                said.append(refused.reason)
        told.append(said)

    assert told[:1] * len(told) == told, call.name
    assert not [word for word in SECRETS if word in str(told)], call.name


def _said(name: str) -> dict[str, Any]:
    """Returns a request of a method that does not take anything away from the others."""
    scope = "other" if name in ("DeleteScope", "TransferScope") else HIDDEN
    return requests_of(name, scope, "pages/p-1", "https://elsewhere.example/a")


def _reason(error: Any) -> str:
    """Returns the reason in the details of a Connect error."""
    (packed,) = [one for one in error["details"] if one["type"] == "google.rpc.ErrorInfo"]
    value = packed["value"]
    data = base64.b64decode(value + "=" * (-len(value) % 4))
    return str(error_details_pb2.ErrorInfo.FromString(data).reason)
