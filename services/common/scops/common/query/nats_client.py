"""Asks other roles: over NATS request/reply, or at the desk of one that runs in this process."""

import asyncio
import random
from dataclasses import replace
from datetime import datetime

from nats.aio.client import Client
from nats.errors import Error, NoRespondersError

from scops.common.access.bearing import borne
from scops.common.contract import wire
from scops.common.contract.errors import StoreUnavailable, TransientError
from scops.common.contract.ids import uuid7
from scops.common.observe.tracing import span
from scops.common.observe.trail import Trail, current
from scops.common.query import codec
from scops.common.query.deadline import deadline_exceeded, earliest, seconds_left
from scops.common.query.desk import Desk, NearDesks
from scops.common.query.ports import QueryMethod, Request, Response
from scops.common.runtime.clock import Clock


class NatsQueryClient:
    """The `QueryClient` port on NATS.

    Args:
        near: the desks of this process. A question goes there in the same encoding, with the same
            headers, unless the desk is full: then another process may have room.
    """

    def __init__(
        self,
        client: Client,
        *,
        organisation_id: str,
        clock: Clock,
        chance: random.Random,
        near: NearDesks,
    ) -> None:
        self._client = client
        self._organisation_id = organisation_id
        self._clock = clock
        self._chance = chance
        self._near = near

    async def call(
        self, method: QueryMethod[Request, Response], request: Request, *, deadline: datetime
    ) -> Response:
        attributes = {"messaging.system": "nats", "rpc.method": method.subject}
        with span(f"ask {method.role}.{method.name}", "client", attributes):
            return await self._call(method, request, deadline)

    async def _call(
        self, method: QueryMethod[Request, Response], request: Request, deadline: datetime
    ) -> Response:
        until = earliest(deadline)
        left = seconds_left(until, self._clock, asked=method.subject)
        headers = codec.request_headers(
            until,
            organisation_id=self._organisation_id,
            trail=self._trail(),
            assertion=borne(),
        )
        data = wire.encode(request)
        codec.check_reply_size(data, asked=method.subject)
        desk = self._near.get(method.subject)
        if desk is not None and not desk.is_full:
            return wire.decode(
                method.response, await _asked_near(desk, method.subject, headers, data, left)
            )
        return await self._asked_far(method, headers, data, left)

    async def _asked_far(
        self,
        method: QueryMethod[Request, Response],
        headers: dict[str, str],
        data: bytes,
        left: float,
    ) -> Response:
        try:
            reply = await self._client.request(method.subject, data, timeout=left, headers=headers)
        except NoRespondersError as error:
            raise nobody_answers(method.role, method.subject) from error
        except TimeoutError as error:
            raise deadline_exceeded(method.subject) from error
        except (Error, OSError) as error:
            raise StoreUnavailable(
                f"Asking {method.subject} failed: {error!r}. Check that the bus is running.",
                reason="BUS_UNAVAILABLE",
            ) from error
        raised = codec.error_of(reply.header or {})
        if raised is not None:
            raise raised
        return wire.decode(method.response, reply.data)

    def _trail(self) -> Trail:
        """Returns the current trail; a question that nobody's request began gets an id here."""
        trail = current()
        if trail.request_id:
            return trail
        return replace(trail, request_id=uuid7(self._clock.now(), self._chance.randbytes(10)))


async def _asked_near(
    desk: Desk, subject: str, headers: dict[str, str], data: bytes, left: float
) -> bytes:
    """Returns the encoded answer of a role in this process.

    As over the bus, the question is answered to its end if who asked stops waiting.
    """
    task = desk.begin(desk.answer(subject, headers, data))
    try:
        async with asyncio.timeout(left):
            return await asyncio.shield(task)
    except TimeoutError as error:
        raise deadline_exceeded(subject) from error


def nobody_answers(role: str, subject: str) -> TransientError:
    """Returns the error of a question to a role of which no instance runs."""
    return TransientError(
        f"No {role} is running to answer {subject}. Start one (`scops run {role}`), or wait "
        "until it is ready.",
        reason="NO_RESPONDERS",
        role=role,
    )
