"""What came in by HTTP: its body, what it says of itself, and whether its caller has left."""

import asyncio
import json
from typing import Any

from starlette.requests import Request

from scops.common.contract.errors import InvalidInput
from scops.gateway.adapters.http.headers import call_headers, remaining_seconds
from scops.gateway.adapters.http.replies import JSON_TYPE
from scops.gateway.requests.limits import MESSAGE_BYTES_MAX
from scops.gateway.streams import Arrival

SYSTEM = "http"


def arrival_of(request: Request) -> Arrival:
    """Returns what a request says of itself as a call.

    Raises:
        InvalidInput: the caller's deadline cannot be read.
    """
    headers = call_headers(request.headers.items())
    return Arrival(
        headers=headers,
        peer=request.client.host if request.client else "",
        remaining_seconds=remaining_seconds(headers),
        system=SYSTEM,
    )


async def left(request: Request, arrived: asyncio.Event) -> None:
    """Returns once the caller has left.

    Args:
        arrived: set once the body was read.
    """
    await arrived.wait()
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def body_of(request: Request) -> Any:
    """Returns what the body says as JSON; None where there is none.

    Raises:
        InvalidInput: it is too long or no JSON.
    """
    return json_of(request, await bytes_of(request))


async def bytes_of(request: Request) -> bytes:
    """Returns the body as it came, which can be read once.

    Raises:
        InvalidInput: it is too long.
    """
    read = bytearray()
    async for part in request.stream():
        read += part
        if len(read) > MESSAGE_BYTES_MAX:
            raise InvalidInput(
                f"The body is longer than {MESSAGE_BYTES_MAX} bytes.", reason="REQUEST_TOO_LARGE"
            )
    return bytes(read)


def json_of(request: Request, read: bytes) -> Any:
    """Returns what a body says as JSON; None for an empty one.

    Raises:
        InvalidInput: it is no JSON.
    """
    if not read:
        return None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON_TYPE:
        raise InvalidInput(
            f"The body is {kind or 'of no type'}; send it as {JSON_TYPE}.",
            reason="REQUEST_UNREADABLE",
        )
    try:
        return json.loads(read)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"The body is no JSON: {error}.", reason="REQUEST_UNREADABLE") from error
