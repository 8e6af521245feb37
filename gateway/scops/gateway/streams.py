"""What happens around a stream of responses, whatever carries it: a call that is told part by part.

The work of a stream goes on in a task of its own, as a call of `PublicCalls`: deadline, caller,
request id, admission, errors, metrics and span are those of any call. A door takes the parts one
by one; when it lets go of a stream, because its caller has left, the work ends.

Who calls is looked at again every two seconds while a stream is open. One that lasts looks again
and again, each time as a call of its own, holds no slot in between, and ends by itself, so that
its caller opens it anew, maybe at another replica: after ten minutes, and when a gateway stops.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from scops.common.contract.errors import Conflict, ResourceExhausted, TransientError
from scops.common.contract.ids import monotonic_seconds
from scops.gateway import metrics
from scops.gateway.admission.cost import CallCost
from scops.gateway.api.method import BoundMethod
from scops.gateway.calls import Call, CallOutcome, PublicCalls
from scops.gateway.ports import GatewayPorts

# A caller's rights are looked at again so often while an answer is put together.
RIGHTS_SECONDS = 2.0
# Of one look of a stream that lasts.
LOOK_SECONDS = 10.0
# After it a stream that lasts is opened anew.
STREAM_SECONDS_MAX = 600.0
# Longest pause for who has spent their budget: their rights are looked at in between.
REFUSED_SECONDS_MAX = 3.0
# Open streams of one gateway.
STREAMS_MAX = 500
# Parts of a stream that lasts which wait for a slow caller; an answer's are few and all may.
WAITING_PARTS = 2
TOO_MANY_SECONDS = 5.0

Tell = Callable[[Any], Awaitable[None]]
Read = Callable[[], Awaitable[Message]]
Look = Callable[[Call, Any], Awaitable[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """What a door says of a call that came in; the fields are those that `PublicCalls` takes."""

    headers: Mapping[str, str]
    peer: str
    remaining_seconds: float | None
    system: str


class OpenStream:
    """The parts of a stream, for the one who has it open."""

    def __init__(self, parts: "asyncio.Queue[CallOutcome | None]") -> None:
        self._parts = parts

    async def next(self, within: float | None = None) -> CallOutcome | None:
        """Returns the next part, or the failure that ends the stream; None once it has ended.

        Raises:
            TimeoutError: nothing came within so many seconds; the stream goes on.
        """
        return await asyncio.wait_for(self._parts.get(), within)

    async def __aiter__(self) -> AsyncIterator[CallOutcome]:
        while (outcome := await self.next()) is not None:
            yield outcome


class PublicStreams:
    """Serves the streams of every door.

    Args:
        per_principal: streams that one caller may have open; 0 bounds nobody.
    """

    def __init__(self, calls: PublicCalls, *, per_principal: int) -> None:
        self._calls = calls
        self._per_principal = per_principal
        self._open: Counter[str] = Counter()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Has the streams that last end, with a reason; answers under way are finished."""
        self._stopping.set()

    @asynccontextmanager
    async def serve(
        self, bound: BoundMethod, ports: GatewayPorts, read: Read, arrival: Arrival
    ) -> AsyncIterator[OpenStream]:
        """Opens a stream of a method of the API.

        Args:
            read: returns the request, inside of the call.
        """
        cost, every = bound.method.cost, bound.method.every
        if every is None:

            async def parts(call: Call) -> AsyncIterator[Message]:
                request = await read()
                async for part in bound.parts(ports, request, call):
                    yield part

            async with self.open(bound.path, parts, cost, arrival) as stream:
                yield stream
            return
        requests: list[Message] = []

        async def look(call: Call, told: Any) -> Any:
            if not requests:
                requests.append(await read())
            return await bound.look(ports, requests[0], call, told)

        async def work(call: Call, tell: Tell) -> None:
            await self._look_on(look, every, cost, arrival, tell)

        async with self._opened(bound.path, work, CallCost.NOTHING, arrival, lasts=True) as stream:
            yield stream

    @asynccontextmanager
    async def open(
        self,
        path: str,
        parts: Callable[[Call], AsyncIterator[Any]],
        cost: CallCost,
        arrival: Arrival,
    ) -> AsyncIterator[OpenStream]:
        """Opens a stream of what some work yields inside of a call.

        Args:
            path: of the method that it counts as.
        """

        async def work(call: Call, tell: Tell) -> None:
            async for part in self._guarded(parts(call), call, arrival):
                await tell(part)

        async with self._opened(path, work, cost, arrival, lasts=False) as stream:
            yield stream

    @asynccontextmanager
    async def _opened(
        self,
        path: str,
        work: Callable[[Call, Tell], Awaitable[None]],
        cost: CallCost,
        arrival: Arrival,
        *,
        lasts: bool,
    ) -> AsyncIterator[OpenStream]:
        parts: asyncio.Queue[CallOutcome | None] = asyncio.Queue(WAITING_PARTS if lasts else 0)

        async def counted(call: Call) -> None:
            async def tell(part: Any) -> None:
                await parts.put(CallOutcome(request_id=call.request_id, response=part))

            with self._counted(call.principal.principal_id, path):
                await work(call, tell)

        async def run() -> None:
            outcome = await self._calls.serve(
                path,
                counted,
                headers=arrival.headers,
                peer=arrival.peer,
                cost=cost,
                remaining_seconds=arrival.remaining_seconds,
                system=arrival.system,
                lasts=lasts,
            )
            await parts.put(outcome if outcome.failure is not None else None)

        task = asyncio.create_task(run(), name=f"stream {path}")
        try:
            yield OpenStream(parts)
        finally:
            task.cancel()
            await asyncio.wait({task})

    @contextmanager
    def _counted(self, principal_id: str, path: str) -> Iterator[None]:
        """Counts a stream as open inside.

        Raises:
            ResourceExhausted: its caller has too many, or all callers together.
        """
        held = self._open[principal_id]
        if self._open.total() >= STREAMS_MAX or 0 < self._per_principal <= held:
            raise ResourceExhausted(
                f"You have {held} streams open, and all callers {self._open.total()}; each may "
                f"have {self._per_principal or STREAMS_MAX} here, and all {STREAMS_MAX}. End one "
                "that is not needed, or come again.",
                reason="TOO_MANY_STREAMS",
                retry_after_seconds=TOO_MANY_SECONDS,
                held=str(held),
            )
        self._open[principal_id] += 1
        metrics.OPEN_STREAMS.labels(method=path).inc()
        try:
            yield
        finally:
            metrics.OPEN_STREAMS.labels(method=path).dec()
            self._open[principal_id] -= 1
            if not self._open[principal_id]:
                del self._open[principal_id]

    async def _guarded(
        self, parts: AsyncIterator[Any], call: Call, arrival: Arrival
    ) -> AsyncIterator[Any]:
        """Yields parts while their caller is who they were.

        Raises:
            NotAuthenticated: their credential does not count any more.
            Conflict: what they may do has changed.
        """
        ended = object()
        while True:
            coming = asyncio.ensure_future(anext(parts, ended))
            try:
                while not coming.done():
                    await asyncio.wait({coming}, timeout=RIGHTS_SECONDS)
                    await self._check_same(call, arrival)
            finally:
                if not coming.done():
                    coming.cancel()
                    await asyncio.wait({coming})
            part = coming.result()
            if part is ended:
                return
            yield part

    async def _check_same(self, call: Call, arrival: Arrival) -> None:
        caller = await self._calls.caller(arrival.headers, arrival.peer)
        if caller.principal != call.principal:
            raise Conflict(
                "What you may do has changed while this was answered. Ask again.",
                reason="RIGHTS_CHANGED",
            )

    async def _look_on(
        self, look: Look, every: float, cost: CallCost, arrival: Arrival, tell: Tell
    ) -> None:
        """Looks until there is nothing more to see.

        Raises:
            TransientError: the gateway stops, or the stream has been open long enough.
        """
        until, told, has_looked = monotonic_seconds() + STREAM_SECONDS_MAX, None, False
        while True:
            pause = every
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    async with self._calls.entered(
                        arrival.headers, arrival.peer, cost=cost, seconds=LOOK_SECONDS
                    ) as call:
                        seen = await look(call, told)
            except ResourceExhausted as error:
                # Who comes too often is looked after later; only a beginning is refused.
                if not has_looked:
                    raise
                pause = min(error.retry_after_seconds or every, REFUSED_SECONDS_MAX)
            else:
                has_looked, told = True, seen.told
                for part in seen.parts:
                    await tell(part)
                if seen.is_over:
                    return
                pause = 0.0 if seen.has_more else every
            await self._rest(pause, until)

    async def _rest(self, seconds: float, until: float) -> None:
        """Waits between two looks.

        Raises:
            TransientError: there is no next one.
        """
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds)
        except TimeoutError:
            if monotonic_seconds() < until:
                return
            raise _opened_anew("was open long enough", "STREAM_TIME_OVER") from None
        raise _opened_anew("ends because this gateway stops", "GATEWAY_STOPPING")


def _opened_anew(why: str, reason: str) -> TransientError:
    return TransientError(
        f"The stream {why}. Open it again, from the last cursor where it has one.", reason=reason
    )
