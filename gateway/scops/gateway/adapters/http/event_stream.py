"""Streams over plain HTTP, as Server-Sent Events (WHATWG HTML, section 9.2)."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from scops.common.contract.errors import ScopsError
from scops.gateway.adapters.http.arrivals import body_of, left
from scops.gateway.adapters.http.replies import NEVER_KEPT, problem, problem_details
from scops.gateway.calls import REQUEST_ID, CallFailure, CallOutcome, failure_of

EVENTS_TYPE = "text/event-stream"
# Quiet streams say that they live; proxies end those that are silent for a minute.
PING_SECONDS = 15.0
PING = b": \n\n"
MILLISECONDS = 1000
# Messages of which each is one of several parts have them in a field so called.
PART, CURSOR = "part", "cursor"

ReadBody = Callable[[], Awaitable[Any]]


class PartSource(Protocol):
    """What the parts of a stream are taken from; one that is open in `streams.py`, or several."""

    async def next(self, within: float | None = None) -> CallOutcome | None:
        """Returns what `OpenStream` does."""
        ...


Opening = Callable[[ReadBody], AbstractAsyncContextManager[PartSource]]


class EventForm(Protocol):
    """How what a stream tells is written."""

    def part(self, response: Any) -> bytes:
        """Returns the events of a part."""
        ...

    def end(self) -> bytes:
        """Returns what stands at the end of a stream that is whole."""
        ...

    def broken(self, failure: CallFailure, request_id: str) -> bytes:
        """Returns what stands at the end of a stream that breaks off."""
        ...

    def refused(self, failure: CallFailure, request_id: str) -> Response:
        """Returns the response where nothing was told."""
        ...


class EventStream:
    """The response to a request, which is opened when it is sent.

    A part that is a response itself is sent in place of a stream.

    Args:
        opening: opens the stream; what it is given reads the request's body.
    """

    def __init__(self, request: Request, opening: Opening, form: EventForm) -> None:
        self._request = request
        self._opening = opening
        self._form = form

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        arrived = asyncio.Event()

        async def body() -> Any:
            read = await body_of(self._request)
            arrived.set()
            return read

        try:
            opened = self._opening(body)
        except ScopsError as error:
            await self._form.refused(failure_of(error), "")(scope, receive, send)
            return
        async with opened as stream:
            leaving = asyncio.ensure_future(left(self._request, arrived))
            sending = asyncio.ensure_future(self._send(stream, scope, receive, send))
            try:
                await asyncio.wait({leaving, sending}, return_when=asyncio.FIRST_COMPLETED)
                if sending.done():
                    sending.result()
            finally:
                leaving.cancel()
                sending.cancel()

    async def _send(self, stream: PartSource, scope: Scope, receive: Receive, send: Send) -> None:
        outcome = await stream.next()
        if outcome is not None and outcome.failure is not None:
            refused = self._form.refused(outcome.failure, outcome.request_id)
            await refused(scope, receive, send)
            return
        if outcome is not None and isinstance(outcome.response, Response):
            await outcome.response(scope, receive, send)
            return
        await send(_start(outcome.request_id if outcome is not None else ""))
        while outcome is not None and outcome.failure is None:
            await send(_body(self._form.part(outcome.response)))
            outcome = await self._next(stream, send)
        if outcome is None:
            last = self._form.end()
        else:
            assert outcome.failure is not None
            last = self._form.broken(outcome.failure, outcome.request_id)
        await send(_body(last, more=False))

    async def _next(self, stream: PartSource, send: Send) -> CallOutcome | None:
        while True:
            try:
                return await stream.next(PING_SECONDS)
            except TimeoutError:
                await send(_body(PING))


class MessageEvents:
    """Messages as JSON: named by what part each is, and with its cursor as the event's id."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def part(self, response: Message) -> bytes:
        """Returns a message as an event."""
        fields = response.DESCRIPTOR.fields_by_name
        name = response.WhichOneof(PART) if PART in response.DESCRIPTOR.oneofs_by_name else ""
        cursor = getattr(response, CURSOR) if CURSOR in fields else ""
        data = MessageToJson(response, indent=None, ensure_ascii=False)
        return event(data, name=name or "", number=cursor)

    def end(self) -> bytes:
        """Returns the event by which a reader knows that nothing follows."""
        return event("{}", name="end")

    def broken(self, failure: CallFailure, request_id: str) -> bytes:
        """Returns why the stream ends, and when it may be opened again."""
        retry = failure.retry_after_seconds
        after = f"retry: {int(retry * MILLISECONDS)}\n" if retry is not None else ""
        details = json.dumps(problem_details(failure, request_id), ensure_ascii=False)
        return after.encode() + event(details, name="problem")

    def refused(self, failure: CallFailure, request_id: str) -> Response:
        """Returns a problem document."""
        return problem(self._request, failure, request_id)


def event(data: str, *, name: str = "", number: str = "") -> bytes:
    """Returns an event; its data is one line."""
    named = f"event: {name}\n" if name else ""
    numbered = f"id: {number}\n" if number else ""
    return f"{numbered}{named}data: {data}\n\n".encode()


def _start(request_id: str) -> dict[str, Any]:
    headers = {
        "content-type": f"{EVENTS_TYPE}; charset=utf-8",
        "cache-control": NEVER_KEPT,
        # Some proxies else keep events until there are many.
        "x-accel-buffering": "no",
        REQUEST_ID: request_id,
    }
    pairs = [(name.encode(), value.encode()) for name, value in headers.items() if value]
    return {"type": "http.response.start", "status": 200, "headers": pairs}


def _body(data: bytes, *, more: bool = True) -> dict[str, Any]:
    return {"type": "http.response.body", "body": data, "more_body": more}
