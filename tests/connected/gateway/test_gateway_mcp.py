"""MCP over HTTP where callers have to say who they are, and from where they may call."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from scops.gateway.adapters.mcp import answering
from tests.connected.gateway.http_calls import SCOPE_BODY, http_calls
from tests.connected.gateway.test_gateway_http_identity import REQUIRED, as_key, claimed, service
from tests.fakes.identity import HeardClaims
from tests.fakes.worlds.gateway import ServedGateway, served_gateway

HIDDEN, SECRET = "quillfeather", "moonbeam"
TOOLS: dict[str, dict[str, Any]] = {
    "search": {"query": "fee", "scopes": [HIDDEN]},
    "answer": {"question": "how much?", "scopes": [HIDDEN]},
    "explain": {"query": "fee", "scopes": [HIDDEN]},
    "what_changed": {"scope": HIDDEN, "since": "2026-01-01"},
    "add_pages": {"scope": HIDDEN, "uris": ["https://docs.example.org/a"]},
    "crawl_scope": {"scope": HIDDEN},
}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPT = {"accept": "application/json, text/event-stream"}


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> HeardClaims:
    return HeardClaims(monkeypatch)


async def used(served: ServedGateway, key: str, uses: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Uses tools as the bearer of a key; returns each result, or the error's text."""
    found = {}
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}) as http:
        address = f"http://{served.gateway.http_address}/mcp"
        async with Client(streamable_http_client(address, http_client=http)) as client:
            for tool, arguments in uses.items():
                result = await client.call_tool(tool, arguments)
                text = result.content[0].text  # type: ignore[union-attr]
                found[tool] = text if result.is_error else result.structured_content
    return found


async def test_a_hidden_scope_is_not_there_for_any_tool(tmp_path: Path, heard: HeardClaims) -> None:
    """Who may not see it is told what they are told of one that is not; its owner sees it."""
    async with served_gateway(tmp_path, **REQUIRED) as served, http_calls(served) as call:
        administrator = await claimed(call, heard)
        owner, stranger = [await service(call, administrator, name) for name in ("owl", "eve")]
        body = {**SCOPE_BODY, "displayName": SECRET}
        await call("POST", f"/v1/scopes?scopeId={HIDDEN}", json=body, headers=as_key(owner))
        theirs = await used(served, owner, {"list_scopes": {}})
        listed = await used(served, stranger, {"list_scopes": {}})
        refused = await used(served, stranger, TOOLS)
        absent = {name: _renamed(arguments) for name, arguments in TOOLS.items()}
        told = await used(served, stranger, absent)

    assert [SECRET] == [one["title"] for one in theirs["list_scopes"]["scopes"]]
    assert [] == listed["list_scopes"]["scopes"]
    assert SECRET not in repr(refused)
    assert set(TOOLS) == set(refused)
    for name, text in refused.items():
        assert "SCOPE_NOT_FOUND" in text, (name, text)
        assert text == str(told[name]).replace("nowhere", HIDDEN)


def _renamed(arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        name: ["nowhere"] if value == [HIDDEN] else "nowhere" if value == HIDDEN else value
        for name, value in arguments.items()
    }


async def test_who_does_not_say_who_they_are_is_told_where_to(tmp_path: Path) -> None:
    """As RFC 9728 has it: the address of a document that names the issuers."""
    async with served_gateway(tmp_path, **REQUIRED) as served, http_calls(served) as call:
        refused = await call("POST", "/mcp", json=INITIALIZE, headers=ACCEPT)
        base = f"http://{served.gateway.http_address}"
        described = await call("GET", "/.well-known/oauth-protected-resource/mcp")
        wrong = await used(served, "sk_0123456789abcdef_wrong", {"list_scopes": {}})

    where = f"{base}/.well-known/oauth-protected-resource/mcp"
    assert (401, f'Bearer resource_metadata="{where}"') == (
        refused.status,
        refused.headers["www-authenticate"],
    )
    assert "CREDENTIAL_MISSING" == refused.json["reason"]
    assert (f"{base}/mcp", []) == (
        described.json["resource"],
        described.json["authorization_servers"],
    )
    assert "TOKEN_INVALID" in wrong["list_scopes"]


@pytest.mark.parametrize("path", ["/mcp", "/mcp/read-only"])
async def test_pages_of_others_are_kept_out(tmp_path: Path, path: str) -> None:
    """By the guard of every path; without identity other names of this machine are too."""
    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        served_here = await call("POST", path, json=INITIALIZE, headers=ACCEPT)
        foreign = {**ACCEPT, "origin": "https://evil.example"}
        elsewhere = await call("POST", path, json=INITIALIZE, headers=foreign)
        renamed = {**ACCEPT, "host": "evil.example"}
        rebound = await call("POST", path, json=INITIALIZE, headers=renamed)

    assert 200 == served_here.status
    assert (403, "ORIGIN_REFUSED") == (elsewhere.status, elsewhere.json["reason"])
    assert (403, "HOST_UNKNOWN") == (rebound.status, rebound.json["reason"])


async def test_an_answer_that_takes_longer_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what to ask, and nothing that could be taken for an answer."""
    monkeypatch.setattr(answering, "WAIT_SECONDS_MAX", 0)
    asked = {"question": "How much is it?", "url": "https://docs.example.org/"}
    async with (
        served_gateway(tmp_path) as served,
        Client(f"http://{served.gateway.http_address}/mcp") as client,
    ):
        told: Any = (await client.call_tool("answer", asked)).structured_content
        later = {"research": told["research"], "wait_seconds": 0}
        followed: Any = (await client.call_tool("get_research", later)).structured_content

    assert (False, False, []) == (told["ended"], told["answered"], told["citations"])
    assert "get_research" in told["shortfall"]
    assert (told["research"], "running") == (followed["research"], followed["state"])


async def test_only_who_wants_progress_is_answered_by_a_stream(tmp_path: Path) -> None:
    """Everybody else by one message, also where the request comes in pieces."""
    named = {"name": "list_scopes", "arguments": {}}
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": named}
    progress = {**ask, "params": {**named, "_meta": {"progressToken": 7}}}
    headers = {**ACCEPT, "mcp-protocol-version": "2025-06-18", "content-type": "application/json"}

    async def in_pieces() -> AsyncIterator[bytes]:
        whole = json.dumps(progress).encode()
        for piece in (whole[:20], whole[20:]):
            yield piece
            await asyncio.sleep(0.05)

    async with served_gateway(tmp_path) as served, http_calls(served) as call:
        plain = await call("POST", "/mcp", json=ask, headers=headers)
        told = await call("POST", "/mcp", json=progress, headers=headers)
        pieces = await call("POST", "/mcp", data=in_pieces(), headers=headers)

    assert "application/json" == plain.headers["content-type"].partition(";")[0]
    assert {"scopes": [], "more": False} == plain.json["result"]["structuredContent"]
    for streamed in (told, pieces):
        assert "text/event-stream" == streamed.headers["content-type"].partition(";")[0]
        assert b'"structuredContent"' in streamed.body
