"""Every method of the API as a door serves it, with a request for each about a scope."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message

from scops.common.access.principal import Principal
from scops.gateway.api.method import BoundMethod
from scops.gateway.api.methods import METHODS, bound_methods
from scops.gateway.calls import Call
from tests.fakes.worlds.gateway import GatewayWorld

BOUND: dict[str, BoundMethod] = {
    bound.method.name: bound for service in METHODS for bound in bound_methods(service)
}


def person(name: str, **values: Any) -> Principal:
    """Builds a caller."""
    return Principal(**{"principal_id": f"user:{name}", "organisation_id": "main", **values})


def requests_of(name: str, scope: str, page: str, uri: str) -> dict[str, Any]:
    """Returns the request of a method about a scope and one of its pages."""
    named, asked = {"name": f"scopes/{scope}"}, {"query": "fee", "scopes": [f"scopes/{scope}"]}
    rule = {"kind": "KIND_PREFIX", "pattern": "example"}
    chat = {"name": "chats/none"}
    origin = "/".join(uri.split("/")[:3])
    requests: dict[str, dict[str, Any]] = {
        "WhoAmI": {},
        "ClaimInstallation": {"token": "t"},
        "CreateKey": {"key": {"scopes": [f"scopes/{scope}"]}},
        "ListKeys": {"page_size": 100},
        "RevokeKey": {"name": "keys/0123456789abcdef"},
        "SetInstallationRole": {
            "subject": "user:new",
            "role": "INSTALLATION_ROLE_OPERATOR",
        },
        "SetGroupMember": {"group": "team", "subject": "user:new"},
        "ListMembers": {"page_size": 100},
        "GetQuotas": {},
        "ListAuditEntries": {"page_size": 100},
        "VerifyAudit": {},
        "GetHealth": {},
        "ListQueues": {},
        "ListDeadLetters": {"page_size": 100},
        "ReplayDeadLetter": {"name": "deadLetters/none"},
        "DropDeadLetter": {"name": "deadLetters/none"},
        "CreateChat": {"title": "prices"},
        "GetChat": chat,
        "ListChats": {"page_size": 100},
        "RenameChat": {**chat, "title": "prices"},
        "DeleteChat": chat,
        "ShareChat": chat,
        "ListChatTurns": chat,
        "GetChatTurn": {"name": "chats/none/turns/1"},
        "CreateResearch": {"research": {"question": "how much?", "scope": f"scopes/{scope}"}},
        "GetResearch": {"name": "researches/none"},
        "WatchResearch": {"name": "researches/none"},
        "ListResearches": {"page_size": 100},
        "CancelResearch": {"name": "researches/none"},
        "DeleteResearch": {"name": "researches/none"},
        "CreateScope": {"scope_id": f"new-{scope}", "scope": {"rules": [rule]}},
        "GetScope": named,
        "GetScopeUse": named,
        "ListScopes": {"page_size": 100},
        "UpdateScope": {"scope": {**named, "page_limit": 7}},
        "DeleteScope": named,
        "PreviewScope": {"rules": [rule | {"pattern": uri.split("/")[2]}]},
        "AddPages": {**named, "uris": ["https://elsewhere.example/"]},
        "ShareScope": {**named, "grant": {"subject": "user:new", "role": "SCOPE_ROLE_VIEWER"}},
        "TransferScope": {**named, "owner": "user:new"},
        "ForkScope": {**named, "scope_id": f"fork-{scope}"},
        "ListScopeRevisions": named,
        "RevertScope": {**named, "revision": 1},
        "PutCredential": {**named, "origin": origin, "bearer": {"token": "t-12345"}},
        "ListCredentials": named,
        "DeleteCredential": {**named, "origin": origin},
        "TestCredential": {**named, "uri": uri},
        "ListPages": {"scope": f"scopes/{scope}", "page_size": 100},
        "GetPage": {"uri": uri},
        "PutPageCapture": {
            "scope": f"scopes/{scope}",
            "uri": uri,
            "content": b64encode(b"<p>seen</p>").decode(),
        },
        "SignalPages": {"scope": f"scopes/{scope}", "uris": [uri]},
        "LocatePage": {"uri": uri},
        "ReadPage": {"uri": uri},
        "ListPageVersions": {"name": page},
        "DiffPageVersions": {"name": page},
        "WhatChanged": {"scope": f"scopes/{scope}", "since": "2026-01-01T00:00:00Z"},
        "ListPageChanges": {"name": page},
        "WatchChanges": {"scope": f"scopes/{scope}"},
        "RechunkPages": {"scope": f"scopes/{scope}"},
        "PinPageVersion": {"name": page, "version": "latest", "days": 3},
        "ListVolatileBlocks": {"name": page},
        "SetVolatileBlock": {"name": page, "block": "00ff", "loud": True},
        "ListTemplates": {"scope": f"scopes/{scope}"},
        "CreateJob": {"job": {"scope": f"scopes/{scope}"}},
        "GetJob": {"name": "jobs/none"},
        "WatchJob": {"name": "jobs/none"},
        "ListJobs": {"page_size": 100},
        "CancelJob": {"name": "jobs/none"},
        "PurgePages": {"scope": f"scopes/{scope}", "reason": "gone"},
        "GetPurge": {"name": "purges/none"},
        "ListPurges": {"page_size": 100},
        "ExportPages": {"scope": f"scopes/{scope}"},
        "ImportPages": {
            "scope": f"scopes/{scope}",
            "pages": [
                {
                    "uri": uri,
                    "observed_time": "2026-01-01T00:00:00Z",
                    "gone_reason": "not_found",
                }
            ],
        },
        "CreateWatch": {
            "watch": {
                "scope": f"scopes/{scope}",
                "target": {"kind": "KIND_WEBHOOK", "address": "https://hooks.example/in"},
            }
        },
        "GetWatch": {"name": "watches/none"},
        "ListWatches": {"page_size": 100},
        "UpdateWatch": {"watch": {"name": "watches/none", "paused": True}},
        "DeleteWatch": {"name": "watches/none"},
        "TestWatch": {"name": "watches/none"},
        "Search": {**asked, "page_size": 100},
        "Answer": {**asked, "explain": True},
        "StreamAnswer": {**asked, "explain": True},
        "Explain": {**asked, "page_size": 100},
        "ResolveCitations": {"citations": [{"page": page, "version": "v", "uri": uri}]},
    }
    return requests[name]


def calling(world: GatewayWorld, principal: Principal) -> Call:
    """Builds a call of somebody."""
    return replace(world.call(), principal=principal)


async def served(world: GatewayWorld, caller: Principal, name: str, fields: Any) -> Message:
    """Serves a method as a door does; of a stream it returns the last part."""
    return (await parts_of(world, caller, name, fields))[-1]


async def parts_of(
    world: GatewayWorld, caller: Principal, name: str, fields: Any
) -> Sequence[Message]:
    """Serves a method as a door does, and returns all its parts; of what lasts the first ones."""
    request = json_format.ParseDict(fields, BOUND[name].request())
    return await responses(world, name, request, calling(world, caller))


async def responses(
    world: GatewayWorld, name: str, request: Message, call: Call
) -> Sequence[Message]:
    """Serves a request of a method, and returns all parts; of what lasts the first ones."""
    bound = BOUND[name]
    if bound.method.every is not None:
        return tuple((await bound.look(world.ports, request, call, None)).parts)
    if bound.streams:
        return [part async for part in bound.parts(world.ports, request, call)]
    return [await bound.answer(world.ports, request, call)]
