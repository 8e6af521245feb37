"""Streams of the gateway by every door: what each part says, as JSON."""

import base64
import json
import struct
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp
import grpc
from google.protobuf import json_format
from google.rpc import error_details_pb2, status_pb2

from scops.gateway.api.method import BoundMethod
from tests.connected.gateway.calls import reason
from tests.fakes.worlds.gateway import ServedGateway
from tests.fakes.worlds.methods import BOUND

HEAD_BYTES = 5
LAST, TRAILERS = 0b10, 0b1000_0000
ROUTES: Mapping[str, Callable[[Mapping[str, Any]], tuple[str, str]]] = {
    "StreamAnswer": lambda fields: ("POST", "/v1/answer:stream"),
    "WatchJob": lambda fields: ("GET", f"/v1/{fields['name']}:watch"),
    "WatchResearch": lambda fields: ("GET", f"/v1/{fields['name']}:watch"),
    "WatchChanges": lambda fields: ("GET", f"/v1/{fields['scope']}/changes:watch"),
}
NAMED = ("name", "scope")


class Refused(Exception):
    """A stream that ended with a reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class StreamCall:
    """A call of a method with a stream of responses."""

    served: ServedGateway
    name: str
    fields: Mapping[str, Any]
    key: str = ""

    @property
    def bound(self) -> BoundMethod:
        return BOUND[self.name]

    @property
    def url(self) -> str:
        return f"http://{self.served.gateway.http_address}"

    @property
    def headers(self) -> dict[str, str]:
        return {"x-api-key": self.key} if self.key else {}

    def request(self) -> Any:
        return json_format.ParseDict(dict(self.fields), self.bound.request())


async def by_grpc(call: StreamCall) -> AsyncIterator[dict[str, Any]]:
    """Asks by gRPC."""
    asked = call.served.channel.unary_stream(
        call.bound.path,
        request_serializer=call.bound.request.SerializeToString,
        response_deserializer=call.bound.response.FromString,
    )(call.request(), metadata=tuple(call.headers.items()))
    try:
        async for part in asked:
            yield json_format.MessageToDict(part)
    except grpc.aio.AioRpcError as error:
        raise Refused(reason(error)) from error
    finally:
        asked.cancel()


async def by_connect(call: StreamCall) -> AsyncIterator[dict[str, Any]]:
    """Asks by Connect's streams of JSON."""
    body = _enveloped(json_format.MessageToJson(call.request()).encode())
    headers = {"content-type": "application/connect+json", "connect-protocol-version": "1"}
    async for flags, data in _envelopes(call, headers, body):
        if not flags & LAST:
            yield json.loads(data)
            continue
        error = json.loads(data).get("error")
        if error:
            details = [one for one in error["details"] if one["type"].endswith("ErrorInfo")]
            value = base64.b64decode(details[0]["value"] + "==")
            raise Refused(error_details_pb2.ErrorInfo.FromString(value).reason)


async def by_grpc_web(call: StreamCall) -> AsyncIterator[dict[str, Any]]:
    """Asks by gRPC-Web."""
    headers = {"content-type": "application/grpc-web+proto", "x-grpc-web": "1"}
    body = _enveloped(call.request().SerializeToString())
    async for flags, data in _envelopes(call, headers, body):
        if not flags & TRAILERS:
            yield json_format.MessageToDict(call.bound.response.FromString(data))
            continue
        pairs = (line.split(":", 1) for line in data.decode().splitlines() if line)
        trailers = {name.strip().lower(): value.strip() for name, value in pairs}
        if trailers["grpc-status"] != "0":
            packed = base64.b64decode(trailers["grpc-status-details-bin"] + "==")
            info = error_details_pb2.ErrorInfo()
            status_pb2.Status.FromString(packed).details[0].Unpack(info)
            raise Refused(info.reason)


async def by_events(call: StreamCall) -> AsyncIterator[dict[str, Any]]:
    """Asks by a readable route, as Server-Sent Events."""
    verb, path = ROUTES[call.name](call.fields)
    left = {key: value for key, value in call.fields.items() if key not in NAMED}
    asked = {"json": dict(call.fields)} if verb == "POST" else {"params": left}
    async with (
        aiohttp.ClientSession() as session,
        session.request(verb, call.url + path, headers=call.headers, **asked) as response,
    ):
        if response.status != 200:
            raise Refused((await response.json(content_type=None))["reason"])
        assert response.headers["content-type"].startswith("text/event-stream")
        name = ""
        async for line in response.content:
            field, _, value = line.decode().rstrip("\n").partition(": ")
            if field == "event":
                name = value
            elif field == "data" and name == "problem":
                raise Refused(json.loads(value)["reason"])
            elif field == "data" and name != "end":
                yield json.loads(value)


DOORS = {"grpc": by_grpc, "connect": by_connect, "grpc-web": by_grpc_web, "events": by_events}


def _enveloped(data: bytes) -> bytes:
    return struct.pack(">BI", 0, len(data)) + data


async def _envelopes(
    call: StreamCall, headers: Mapping[str, str], body: bytes
) -> AsyncIterator[tuple[int, bytes]]:
    async with (
        aiohttp.ClientSession() as session,
        session.post(
            call.url + call.bound.path, data=body, headers={**headers, **call.headers}
        ) as response,
    ):
        while not response.content.at_eof():
            try:
                head = await response.content.readexactly(HEAD_BYTES)
            except aiohttp.http_exceptions.HttpProcessingError:
                raise
            except Exception as error:
                if "IncompleteRead" in type(error).__name__:
                    return
                raise
            flags, size = struct.unpack(">BI", head)
            yield flags, await response.content.readexactly(size)
