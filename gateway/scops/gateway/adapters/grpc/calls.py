"""What happens around every call: its deadline, its request id, its errors, its log line.

This is the process edge: what is not a `ScopsError` is a bug and leaves as INTERNAL with the
request id, never with a stack trace.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import replace
from datetime import timedelta
from typing import Any

import grpc
from google.rpc import status_pb2
from grpc_status import rpc_status

from scops.common.contract.errors import InvalidInput, ScopsError, TransientError
from scops.common.contract.ids import monotonic_seconds, uuid7
from scops.common.observe.log import get_logger
from scops.common.observe.tracing import span
from scops.common.observe.trail import TRACE_PARENT, Trail, current, following, trail
from scops.common.runtime.clock import Clock
from scops.gateway import metrics
from scops.gateway.access.principal import Principal
from scops.gateway.adapters.grpc import errors
from scops.gateway.call import Call
from scops.gateway.settings import GatewaySettings

API_PREFIX = "/scops.api."
REQUEST_ID = "x-request-id"
DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
DETAILS_KEY = "grpc-status-details-bin"
ENTROPY_BYTES = 10
# gRPC rounds a deadline up on the wire: a call of 60 s arrives with up to a second more.
DEADLINE_ROUNDING_SECONDS = 2.0

Behaviour = Callable[[Any, Any], Awaitable[Any]]
_call: ContextVar[Call] = ContextVar("call")
_log = get_logger("gateway")


def current_call() -> Call:
    """Returns the call that the running task serves."""
    return _call.get()


class CallInterceptor(grpc.aio.ServerInterceptor):
    """Wraps every unary call of the API; health and reflection are left alone.

    Args:
        principal: who everybody is until there is identity.
        chance: makes request ids where the caller gives none.
    """

    def __init__(
        self,
        *,
        settings: GatewaySettings,
        clock: Clock,
        chance: random.Random,
        principal: Principal,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._chance = chance
        self._principal = principal

    async def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or handler.unary_unary is None or not method.startswith(API_PREFIX):
            return handler
        caller = self._trail(handler_call_details.invocation_metadata or ())

        async def serve(request: Any, context: Any) -> Any:
            with following(caller):
                return await self._serve(handler.unary_unary, request, context, method)

        return grpc.unary_unary_rpc_method_handler(
            serve,
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )

    async def _serve(self, behaviour: Behaviour, request: Any, context: Any, method: str) -> Any:
        started = monotonic_seconds()
        request_id = current().request_id
        code = "CANCELLED"
        try:
            with span(method.strip("/"), "server", {"rpc.system": "grpc"}) as told:
                outcome = await self._outcome(behaviour, request, context, request_id)
                if isinstance(outcome, status_pb2.Status):
                    code = rpc_status.to_status(outcome).code.name
                    told.fail(code)
            if isinstance(outcome, status_pb2.Status):
                await _abort(context, outcome, request_id)
            context.set_trailing_metadata(((REQUEST_ID, request_id),))
            code = "OK"
            return outcome
        finally:
            self._record(method, code, monotonic_seconds() - started)

    async def _outcome(
        self, behaviour: Behaviour, request: Any, context: Any, request_id: str
    ) -> Any:
        """Returns the response, or the status of what prevented it."""
        seconds = self._settings.deadline_default_seconds
        try:
            seconds = self._allowed_seconds(context.time_remaining())
            async with asyncio.timeout(seconds):
                _call.set(self._open(seconds, request_id))
                return await behaviour(request, context)
        except TransientError as error:
            # A service that ran out of our deadline says so by an error of its own.
            if error.reason == DEADLINE_EXCEEDED:
                return errors.deadline_status(seconds, request_id=request_id)
            return errors.status_of(error, request_id=request_id)
        except ScopsError as error:
            return errors.status_of(error, request_id=request_id)
        except TimeoutError:
            return errors.deadline_status(seconds, request_id=request_id)
        except Exception:  # noqa: BLE001 - the process edge: a bug must not reach the caller.
            _log.exception("call_failed")
            return errors.unexpected_status(request_id=request_id)

    def _allowed_seconds(self, remaining: float | None) -> float:
        if remaining is None:
            return self._settings.deadline_default_seconds
        most = self._settings.deadline_max_seconds
        if remaining > most + DEADLINE_ROUNDING_SECONDS:
            raise InvalidInput(
                f"The call's deadline lies {remaining:.0f} s ahead; at most {most:g} s are "
                "served. Set a shorter one; crawls go on as jobs.",
                reason="DEADLINE_TOO_LONG",
                deadline_max_seconds=f"{most:g}",
            )
        return remaining

    def _open(self, seconds: float, request_id: str) -> Call:
        return Call(
            principal=self._principal,
            deadline=self._clock.now() + timedelta(seconds=seconds),
            request_id=request_id,
        )

    def _trail(self, metadata: Any) -> Trail:
        """Returns what the caller says of itself, with a request id of ours where it has none."""
        given = {key: value for key, value in metadata if isinstance(value, str)}
        known = trail(
            trace_parent=given.get(TRACE_PARENT, ""), request_id=given.get(REQUEST_ID, "")
        )
        if known.request_id:
            return known
        minted = uuid7(self._clock.now(), self._chance.randbytes(ENTROPY_BYTES))
        return replace(known, request_id=minted)

    def _record(self, method: str, code: str, seconds: float) -> None:
        metrics.CALLS.labels(method=method, code=code).inc()
        metrics.CALL_SECONDS.labels(method=method).observe(seconds)
        # Clients poll jobs: what went well is told only to whoever looks closely.
        tell = _log.debug if code == "OK" else _log.info
        tell("call_answered", method=method, code=code, seconds=round(seconds, 4))


async def _abort(context: Any, status: status_pb2.Status, request_id: str) -> None:
    plain = rpc_status.to_status(status)
    trailing = ((DETAILS_KEY, status.SerializeToString()), (REQUEST_ID, request_id))
    await context.abort(plain.code, plain.details, trailing)
