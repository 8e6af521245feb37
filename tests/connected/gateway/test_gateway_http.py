"""The real HTTP server: readable routes, Connect, gRPC-Web, and who is kept out."""

import asyncio
import base64
import json
import struct
import uuid
from pathlib import Path

import pytest

from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.common.contract.errors import StoreUnavailable
from scops.common.query.ports import RETRIEVE
from tests.connected.gateway.calls import forever
from tests.connected.gateway.http_calls import SCOPE_BODY, http_calls
from tests.fakes.worlds.gateway import served_gateway

SERVICE = "/scops.api.v1alpha1.ScopeService"


async def test_scope_lives_through_its_whole_life_by_readable_routes(tmp_path: Path) -> None:
    """A scope is created, read, listed, changed, crawled and removed by routes and JSON."""
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        made = await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY)
        read = await call("GET", "/v1/scopes/docs")
        listed = await call("GET", "/v1/scopes?page_size=5")
        change = {"pageLimit": 9, "etag": made.json["scope"]["etag"]}
        changed = await call("PATCH", "/v1/scopes/docs?updateMask=pageLimit", json=change)
        job = await call("POST", f"/v1/scopes/docs:crawl?requestId={uuid.uuid4()}", json={})
        jobs = await call("GET", "/v1/jobs?scope=scopes/docs")
        cancelled = await call("POST", f"/v1/{job.json['job']['name']}:cancel")
        revisions = await call("GET", "/v1/scopes/docs/revisions")
        removed = await call("DELETE", "/v1/scopes/docs")
        gone = await call("GET", "/v1/scopes/docs")

    assert (200, "scopes/docs") == (made.status, made.json["scope"]["name"])
    assert made.json == read.json
    assert [made.json["scope"]] == listed.json["scopes"]
    assert (200, 9) == (changed.status, changed.json["scope"]["pageLimit"])
    assert (200, "scopes/docs") == (job.status, job.json["job"]["scope"])
    assert [job.json["job"]["name"]] == [one["name"] for one in jobs.json["jobs"]]
    assert 200 == cancelled.status
    assert 2 == len(revisions.json["revisions"])
    assert (200, 404) == (removed.status, gone.status)


async def test_problem_says_what_why_and_what_next(tmp_path: Path) -> None:
    """A failure is a problem document, with the reason and the field that gRPC names too."""
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        absent = await call("GET", "/v1/scopes/none", headers={"x-request-id": "mine"})
        invalid = await call("POST", "/v1/scopes?scopeId=Docs", json=SCOPE_BODY)

    assert "application/problem+json" == absent.headers["content-type"]
    assert (404, "SCOPE_NOT_FOUND", "mine") == (
        absent.status,
        absent.json["reason"],
        absent.json["requestId"],
    )
    assert "mine" == absent.headers["x-request-id"]
    assert (400, "scope_id") == (invalid.status, invalid.json["field"])
    assert invalid.json["detail"]


@pytest.mark.parametrize(
    ("verb", "path", "body", "status", "reason"),
    [
        ("GET", "/v1/nothing", None, 404, "ROUTE_NOT_FOUND"),
        ("GET", "/v1", None, 404, "ROUTE_NOT_FOUND"),
        ("GET", "/v1/scopes/a/b/c", None, 404, "ROUTE_NOT_FOUND"),
        ("GET", "/v1/pages/a%0Ab/nothing", None, 404, "ROUTE_NOT_FOUND"),
        ("GET", "/v1/scopes/", None, 404, "ROUTE_NOT_FOUND"),
        ("GET", "//v1/scopes", None, 404, "ROUTE_NOT_FOUND"),
        ("PUT", "/v1/scopes/docs", b"{}", 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/v1/scopes?pagesize=5", None, 400, "FIELD_UNKNOWN"),
        ("GET", "/v1/scopes?pageSize=5&pageSize=6", None, 400, "FIELD_TWICE"),
        ("GET", "/v1/scopes?pageSize=many", None, 400, "REQUEST_UNREADABLE"),
        ("GET", "/v1/scopes?pageSize=99999999999", None, 400, "REQUEST_UNREADABLE"),
        ("GET", "/v1/search?query=x&scopes=*&weights=1", None, 400, "FIELD_NOT_PLAIN"),
        ("GET", "/v1/search?query.x=1", None, 400, "FIELD_UNKNOWN"),
        ("GET", "/v1/search?asOfTime=yesterday", None, 400, "REQUEST_UNREADABLE"),
        ("POST", "/v1/search?query=x", b'{"query": "x"}', 400, "FIELD_TWICE"),
        ("POST", "/v1/search", b"{", 400, "REQUEST_UNREADABLE"),
        ("POST", "/v1/search", b"[]", 400, "REQUEST_UNREADABLE"),
        ("POST", "/v1/search", b"[" * 100_000, 400, "REQUEST_UNREADABLE"),
        ("POST", "/v1/search", b'{"query": "\xff"}', 400, "REQUEST_UNREADABLE"),
        ("POST", "/v1/search", b'{"query": "\\ud800"}', 400, "REQUEST_UNREADABLE"),
        ("POST", "/v1/search", b'{"querry": "x"}', 400, "REQUEST_UNREADABLE"),
        ("POST", "/v1/search", b'{"query": {"query": 1}}', 400, "REQUEST_UNREADABLE"),
        ("POST", "/v1/search", b"x" * (4 * 1024 * 1024 + 1), 400, "REQUEST_TOO_LARGE"),
        ("DELETE", "/v1/scopes/docs", b"{}", 400, "REQUEST_UNREADABLE"),
    ],
)
async def test_what_cannot_be_read_is_refused_with_a_reason(
    tmp_path: Path, verb: str, path: str, body: bytes | None, status: int, reason: str
) -> None:
    """Bad routes, fields and bodies get a problem that names them, and never an INTERNAL."""
    headers = {"content-type": "application/json"} if body is not None else {}
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        answered = await call(verb, path, data=body, headers=headers)

    assert (status, reason) == (answered.status, answered.json["reason"])


async def test_reads_are_told_apart_by_their_tag(tmp_path: Path) -> None:
    """Who has what there is gets 304 without it; a change gives another tag."""
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY)
        first = await call("GET", "/v1/scopes/docs")
        same = await call(
            "GET", "/v1/scopes/docs", headers={"if-none-match": first.headers["etag"]}
        )
        await call("PATCH", "/v1/scopes/docs?updateMask=pageLimit", json={"pageLimit": 3})
        other = await call(
            "GET", "/v1/scopes/docs", headers={"if-none-match": first.headers["etag"]}
        )

    assert "private, no-cache" == first.headers["cache-control"]
    assert (304, b"") == (same.status, same.body)
    assert 200 == other.status
    assert first.headers["etag"] != other.headers["etag"]


@pytest.mark.parametrize("encoding", ["br", "gzip"])
async def test_long_responses_are_compressed(tmp_path: Path, encoding: str) -> None:
    """A reader gets what it takes, and the same bytes without."""
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        plain = await call("GET", "/openapi.json", headers={"accept-encoding": "identity"})
        short = await call("GET", "/openapi.json", headers={"accept-encoding": encoding})

    assert encoding == short.headers["content-encoding"]
    assert int(short.headers["content-length"]) < len(plain.body) / 5
    assert plain.json == short.json


async def test_connect_says_the_same_as_grpc(tmp_path: Path) -> None:
    """Connect takes JSON and protobuf, reads by GET, and tells failures with their details."""
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        created = {"scopeId": "docs", "scope": SCOPE_BODY}
        made = await call("POST", f"{SERVICE}/CreateScope", json=created)
        message = base64.urlsafe_b64encode(b"").decode()
        listed = await call("GET", f"{SERVICE}/ListScopes?encoding=json&message=%7B%7D")
        empty = await call("GET", f"{SERVICE}/ListScopes?encoding=proto&base64=1&message={message}")
        refused = await call("GET", f"{SERVICE}/DeleteScope?encoding=json&message=%7B%7D")
        absent = await call("POST", f"{SERVICE}/GetScope", json={"name": "scopes/none"})
        unknown = await call("POST", f"{SERVICE}/GetScope", json={"nam": "scopes/none"})

    assert 200 == made.status
    assert [made.json["scope"]] == listed.json["scopes"]
    read = scopes.ListScopesResponse.FromString(empty.body)
    assert ["scopes/docs"] == [scope.name for scope in read.scopes]
    assert 405 == refused.status
    assert (404, "not_found") == (absent.status, absent.json["code"])
    assert "google.rpc.ErrorInfo" in [one["type"] for one in absent.json["details"]]
    assert (400, "invalid_argument") == (unknown.status, unknown.json["code"])


async def test_grpc_web_is_served(tmp_path: Path) -> None:
    """A framed message comes back framed, with the status behind it."""
    request = scopes.ListScopesRequest(page_size=3).SerializeToString()
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        answered = await call(
            "POST",
            f"{SERVICE}/ListScopes",
            data=struct.pack(">BI", 0, len(request)) + request,
            headers={"content-type": "application/grpc-web+proto", "x-grpc-web": "1"},
        )

    flag, length = struct.unpack(">BI", answered.body[:5])
    assert 0 == flag
    scopes.ListScopesResponse.FromString(answered.body[5 : 5 + length])
    assert b"grpc-status: 0" in answered.body[5 + length :].lower()


async def test_pages_of_others_are_kept_out(tmp_path: Path) -> None:
    """A call of a foreign page, and one by a foreign name of this machine, are refused."""
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        port = served.gateway.http.port
        own = await call("GET", "/v1/scopes", headers={"origin": f"http://127.0.0.1:{port}"})
        foreign = await call("GET", "/v1/scopes", headers={"origin": "https://evil.example"})
        opaque = await call("POST", "/v1/scopes", headers={"origin": "null"}, json={})
        asked = {"origin": "https://evil.example", "access-control-request-method": "POST"}
        preflight = await call("OPTIONS", "/v1/scopes", headers=asked)
        rebound = await call("GET", "/v1/scopes", headers={"host": f"evil.example:{port}"})
        connect = await call(
            "POST", f"{SERVICE}/ListScopes", headers={"origin": "https://evil.example"}, json={}
        )

    assert 200 == own.status
    assert [403] * 5 == [one.status for one in (foreign, opaque, preflight, rebound, connect)]
    assert {"ORIGIN_REFUSED", "HOST_UNKNOWN"} == {foreign.json["reason"], rebound.json["reason"]}


async def test_extensions_that_may_call_are_let_in(tmp_path: Path) -> None:
    """By a header that browsers send for no page without asking first; asking is refused."""
    extension = {"origin": "chrome-extension://abcdefghijklmnopabcdefghijklmnop"}
    said = {"x-scops-extension": "1"}
    scope = {"rules": [{"kind": "KIND_PREFIX", "pattern": "docs.example.org"}]}
    asking = {"access-control-request-method": "POST"}
    headers = {"access-control-request-headers": "content-type,x-scops-extension"}
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        firefox = {"origin": "moz-extension://2c127fa4-62c7-7e4f-90e5-472b45eecfdc"}
        let_in = [
            await call("POST", f"/v1/scopes?scopeId={name}", headers=one | said, json=scope)
            for name, one in {"chrome": extension, "firefox": firefox}.items()
        ]
        silent = await call("POST", "/v1/scopes?scopeId=c", headers=extension, json=scope)
        page = await call("GET", "/v1/scopes", headers={"origin": "https://evil.example"} | said)
        opaque = await call("GET", "/v1/scopes", headers={"origin": "null"} | said)
        asked = await call("OPTIONS", "/v1/scopes", headers=extension | asking | headers)
        rebound = await call("GET", "/v1/scopes", headers=extension | said | {"host": "evil.test"})

    assert [200, 200] == [one.status for one in let_in]
    assert [403] * 5 == [one.status for one in (silent, page, opaque, asked, rebound)]


async def test_an_operator_lets_pages_of_others_in(tmp_path: Path) -> None:
    """Origins that a setting names are told so by CORS, and no others."""
    wiki = "https://wiki.example.org"
    async with (
        served_gateway(tmp_path, http_origins=(wiki,)) as served,
        http_calls(served) as call,
    ):
        asked = {
            "origin": wiki,
            "access-control-request-method": "PATCH",
            "access-control-request-headers": "authorization, content-type",
        }
        preflight = await call("OPTIONS", "/v1/scopes/docs", headers=asked)
        read = await call("GET", "/v1/scopes", headers={"origin": wiki})
        foreign = await call("GET", "/v1/scopes", headers={"origin": "https://evil.example"})

    assert (200, wiki) == (preflight.status, preflight.headers["access-control-allow-origin"])
    assert wiki == read.headers["access-control-allow-origin"]
    assert 403 == foreign.status
    assert "access-control-allow-origin" not in foreign.headers


async def test_health_description_and_page(tmp_path: Path) -> None:
    """Probes, the OpenAPI document and a page of it, which loads nothing from elsewhere."""
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        live, unready = await call("GET", "/livez"), await call("GET", "/readyz")
        served.gateway.http.set_ready(True)
        ready = await call("GET", "/readyz")
        described, page = await call("GET", "/openapi.json"), await call("GET", "/api")

    assert (200, 503, 200) == (live.status, unready.status, ready.status)
    assert "3.1.0" == described.json["openapi"]
    assert all(path.encode() in page.body for path in described.json["paths"])
    assert b"http://" not in page.body
    assert b"https://" not in page.body.replace(b"`https://", b"")
    assert "default-src 'none'" in page.headers["content-security-policy"]


async def test_a_caller_who_leaves_ends_its_call(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The question behind a call is cancelled when the connection is gone; that is no error."""
    cancelled, asked = asyncio.Event(), asyncio.Event()

    async def reply(request: object) -> object:
        asked.set()
        try:
            return await forever(request)  # type: ignore[arg-type]
        finally:
            cancelled.set()

    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        served.answer(RETRIEVE, reply)
        await call("POST", "/v1/scopes?scopeId=docs", json=SCOPE_BODY)
        left = asyncio.ensure_future(
            call("POST", "/v1/search", json={"query": "how often", "scopes": ["scopes/docs"]})
        )
        await asked.wait()
        left.cancel()
        async with asyncio.timeout(5):
            await cancelled.wait()
        await call("GET", "/v1/scopes/docs")

    assert [] == [one.getMessage() for one in caplog.records if one.levelname == "ERROR"]


async def test_a_body_that_never_ends_ends_by_the_deadline(tmp_path: Path) -> None:
    """Who sends byte by byte holds a call no longer than it may take."""

    async def drops() -> object:
        yield b'{"query": "'
        await asyncio.sleep(3600)

    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        headers = {"content-type": "application/json", "connect-timeout-ms": "300"}
        answered = await call("POST", "/v1/search", data=drops(), headers=headers)
        wrong = await call("GET", "/v1/scopes", headers={"connect-timeout-ms": "soon"})

    assert (504, "DEADLINE_EXCEEDED") == (answered.status, answered.json["reason"])
    assert (400, "TIMEOUT_INVALID") == (wrong.status, wrong.json["reason"])


async def test_a_taken_port_is_told(tmp_path: Path) -> None:
    """The second gateway on one port says so, and what to set."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    async with served_gateway(tmp_path / "a") as served:
        with pytest.raises(StoreUnavailable, match="SCOPS_GATEWAY_HTTP_PORT"):
            async with served_gateway(tmp_path / "b", http_port=served.gateway.http.port):
                pass


async def test_budget_is_told_by_headers(tmp_path: Path) -> None:
    """Who has spent their budget is told when to come again as HTTP clients expect it."""
    settings = {"identity": "required", "principal_units_per_second": 0.1}
    async with served_gateway(tmp_path, **settings) as served, http_calls(served) as call:
        answers = [await call("GET", "/v1/me") for _ in range(5)]
        told = await call("POST", "/scops.api.v1alpha1.IdentityService/WhoAmI", json={})

    refused = answers[-1]
    assert [200, 429] == [answers[0].status, refused.status]
    assert int(refused.headers["retry-after"]) >= refused.json["retryAfterSeconds"]
    assert {"1", "0"} == {refused.headers[f"ratelimit-{name}"] for name in ("limit", "remaining")}
    assert (429, refused.headers["ratelimit-limit"]) == (
        told.status,
        told.headers["ratelimit-limit"],
    )
    assert "resource_exhausted" == json.loads(told.body)["code"]
