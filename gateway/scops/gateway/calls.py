"""What happens around every public call, whatever carries it.

The deadline, the request id, the caller, errors, metrics, the span and the log line of a call
stand here. A door (gRPC now) hands over what the caller sent and puts the outcome into its own
form. This is the process edge: what is not a `ScopsError` is a bug and leaves as INTERNAL with
the request id, never with a stack trace.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from scops.common.access.assertion import IdentitySigner
from scops.common.access.bearing import bearing
from scops.common.access.principal import Principal
from scops.common.contract.errors import (
    AlreadyExists,
    Conflict,
    InvalidInput,
    NotAuthenticated,
    NotFound,
    NotPermitted,
    QuotaReached,
    ResourceExhausted,
    ScopsError,
    TransientError,
)
from scops.common.contract.ids import monotonic_seconds, uuid7
from scops.common.observe.log import get_logger
from scops.common.observe.tracing import exemplar, span
from scops.common.observe.trail import TRACE_PARENT, Trail, current, following, trail
from scops.common.runtime.clock import Clock
from scops.gateway import metrics
from scops.gateway.admission.admission import Admission
from scops.gateway.admission.cost import CallCost
from scops.gateway.identity.api_key import ApiKey
from scops.gateway.identity.authenticator import Authenticator
from scops.gateway.identity.caller import Caller, CredentialKind
from scops.gateway.identity.signature import SignedBody
from scops.gateway.requests.limits import FIELD
from scops.gateway.settings import GatewaySettings

REQUEST_ID = "x-request-id"
OK = "OK"
CANCELLED = "CANCELLED"
INTERNAL = "INTERNAL"
DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
# The first class that an error belongs to decides; any other is INTERNAL. Names of google.rpc.Code.
CODES: tuple[tuple[type[ScopsError], str], ...] = (
    (ResourceExhausted, "RESOURCE_EXHAUSTED"),
    (TransientError, "UNAVAILABLE"),
    (NotFound, "NOT_FOUND"),
    (AlreadyExists, "ALREADY_EXISTS"),
    (NotPermitted, "PERMISSION_DENIED"),
    (NotAuthenticated, "UNAUTHENTICATED"),
    (QuotaReached, "RESOURCE_EXHAUSTED"),
    (Conflict, "ABORTED"),
    (InvalidInput, "INVALID_ARGUMENT"),
)
RETRY_SECONDS_DEFAULT = 1.0
ENTROPY_BYTES = 10
# gRPC rounds a deadline up on the wire: a call of 60 s arrives with up to a second more.
DEADLINE_ROUNDING_SECONDS = 2.0
# For calls that last, which end before by themselves.
LASTING_SECONDS = 660.0
# Twice what a search may take by its service level: told at the level that people read.
SLOW_SECONDS = 1.0
_log = get_logger("gateway")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a use case knows of the call that it serves.

    Attributes:
        kind: what the caller came in by, with the key where it is one.
        deadline: questions to other services are given the same one.
        request_id: the caller's `x-request-id`, or one of ours; on every log line and error.
    """

    principal: Principal
    deadline: datetime
    request_id: str
    kind: CredentialKind = CredentialKind.LOCAL
    key: ApiKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFailure:
    """Why a call has no response, for people and for programs.

    Attributes:
        code: a name of google.rpc.Code.
        field: of the request that the error is about; empty for none.
        retry_after_seconds: when the call may be repeated; None where that cannot help.
    """

    code: str
    message: str
    reason: str
    metadata: Mapping[str, str]
    field: str = ""
    retry_after_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutcome:
    """What a call ended with: a response, or a failure."""

    request_id: str
    response: Any = None
    failure: CallFailure | None = None

    @property
    def code(self) -> str:
        """The name of the google.rpc.Code that the caller gets."""
        return self.failure.code if self.failure is not None else OK


class PublicCalls:
    """Serves the calls of every door.

    Args:
        authenticator: says who calls.
        admission: says which calls are served now.
        signer: signs for whom other services are asked.
        chance: makes request ids where the caller gives none.
    """

    def __init__(
        self,
        *,
        settings: GatewaySettings,
        clock: Clock,
        chance: random.Random,
        authenticator: Authenticator,
        admission: Admission,
        signer: IdentitySigner,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._chance = chance
        self._authenticator = authenticator
        self._admission = admission
        self._signer = signer

    async def serve(
        self,
        path: str,
        work: Callable[[Call], Awaitable[Any]],
        *,
        headers: Mapping[str, str],
        peer: str,
        cost: CallCost,
        remaining_seconds: float | None,
        system: str,
        lasts: bool = False,
        signed: SignedBody | None = None,
    ) -> CallOutcome:
        """Does the work of a call and returns its response, or why there is none.

        Args:
            path: of the method, such as `/scops.api.v1alpha1.JobService/GetJob`.
            headers: what the caller says of itself: its credential, `x-request-id` and
                `traceparent`.
            peer: the address that the call comes from.
            cost: what its answer takes.
            remaining_seconds: until the caller's own deadline; None where it names none.
            system: the door, such as `grpc`.
            lasts: whether it goes on until it is told to end, as long as a stream may.
            signed: what says who calls in place of the headers; None where nothing is signed.

        Raises:
            CancelledError: the caller has left.
        """
        started, code, leads_to = monotonic_seconds(), CANCELLED, None
        with following(self._trail(headers)):
            try:
                with span(path.strip("/"), "server", {"rpc.system": system}) as opened:
                    leads_to = exemplar()
                    outcome = await self._outcome(
                        work, headers, peer, cost, remaining_seconds, lasts, signed
                    )
                    code = outcome.code
                    if outcome.failure is not None:
                        opened.fail(code)
                return outcome
            finally:
                _record(path, code, monotonic_seconds() - started, leads_to)

    async def _outcome(
        self,
        work: Callable[[Call], Awaitable[Any]],
        headers: Mapping[str, str],
        peer: str,
        cost: CallCost,
        remaining_seconds: float | None,
        lasts: bool,
        signed: SignedBody | None,
    ) -> CallOutcome:
        request_id = current().request_id
        seconds = self._settings.deadline_default_seconds
        try:
            seconds = self._allowed_seconds(remaining_seconds, lasts)
            async with asyncio.timeout(seconds):
                within = min(seconds, self._settings.deadline_default_seconds) if lasts else seconds
                async with self.entered(
                    headers, peer, cost=cost, seconds=within, signed=signed
                ) as call:
                    return CallOutcome(request_id=request_id, response=await work(call))
        except ScopsError as error:
            # A service that ran out of our deadline says so by an error of its own.
            late = isinstance(error, TransientError) and error.reason == DEADLINE_EXCEEDED
            failure = deadline_failure(seconds) if late else failure_of(error)
        except TimeoutError:
            failure = deadline_failure(seconds)
        except Exception:  # noqa: BLE001 - the process edge: a bug must not reach the caller.
            _log.exception("call_failed")
            failure = unexpected_failure(request_id)
        return CallOutcome(request_id=request_id, failure=failure)

    @asynccontextmanager
    async def entered(
        self,
        headers: Mapping[str, str],
        peer: str,
        *,
        cost: CallCost,
        seconds: float,
        signed: SignedBody | None = None,
    ) -> AsyncIterator[Call]:
        """Says who calls and lets them in, to do the work of a call inside.

        Args:
            seconds: that the work may take.
            signed: what says who calls in place of the headers.

        Raises:
            NotAuthenticated: the credential does not count.
            ResourceExhausted: the call is not served now.
        """
        deadline = self._clock.now() + timedelta(seconds=seconds)
        if signed is not None:
            caller = await self._authenticator.signer(signed)
        else:
            caller = await self.caller(headers, peer)
        call = Call(
            principal=caller.principal,
            deadline=deadline,
            request_id=current().request_id,
            kind=caller.kind,
            key=caller.key,
        )
        async with self._admission.admitted(caller, peer, cost, seconds):
            with bearing(self._signer.assertion(call.principal, until=deadline)):
                yield call

    async def caller(self, headers: Mapping[str, str], peer: str) -> Caller:
        """Returns who calls, as it is known by now.

        Raises:
            NotAuthenticated: the credential does not count.
        """
        return await self._authenticator.caller(headers, peer)

    def _allowed_seconds(self, remaining: float | None, lasts: bool) -> float:
        if lasts:
            return LASTING_SECONDS if remaining is None else min(remaining, LASTING_SECONDS)
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

    def _trail(self, headers: Mapping[str, str]) -> Trail:
        """Returns what the caller says of itself, with a request id of ours where it has none."""
        known = trail(
            trace_parent=headers.get(TRACE_PARENT, ""), request_id=headers.get(REQUEST_ID, "")
        )
        if known.request_id:
            return known
        minted = uuid7(self._clock.now(), self._chance.randbytes(ENTROPY_BYTES))
        return replace(known, request_id=minted)


def failure_of(error: ScopsError) -> CallFailure:
    """Returns the failure of an error that was raised on purpose."""
    delay = None
    if isinstance(error, TransientError):
        delay = error.retry_after_seconds or RETRY_SECONDS_DEFAULT
    return CallFailure(
        code=next((code for kind, code in CODES if isinstance(error, kind)), INTERNAL),
        message=error.message,
        reason=error.reason,
        metadata=error.metadata,
        field=error.metadata.get(FIELD, "") if isinstance(error, InvalidInput) else "",
        retry_after_seconds=delay,
    )


def deadline_failure(seconds: float) -> CallFailure:
    """Returns the failure of a call that was not answered within its deadline."""
    return CallFailure(
        code=DEADLINE_EXCEEDED,
        message=f"The call was not answered within its deadline of {seconds:.3g} s. "
        "Repeat it with a longer one, or ask for less.",
        reason=DEADLINE_EXCEEDED,
        metadata={"deadline_seconds": f"{seconds:.3f}"},
    )


def unexpected_failure(request_id: str) -> CallFailure:
    """Returns the failure of a bug: where to look, and nothing of what is inside."""
    return CallFailure(
        code=INTERNAL,
        message="The gateway met an error that it does not know; this is a bug. "
        f"Its log holds the details under request_id {request_id}.",
        reason=INTERNAL,
        metadata={},
    )


def _record(path: str, code: str, seconds: float, leads_to: dict[str, str] | None) -> None:
    metrics.CALLS.labels(method=path, code=code).inc()
    metrics.CALL_SECONDS.labels(method=path).observe(seconds, leads_to)
    # Clients poll jobs: what went well and fast is told only to whoever looks closely.
    tell = _log.debug if code == OK and seconds < SLOW_SECONDS else _log.info
    # The trace that began here has ended before its call.
    tell("call_answered", method=path, code=code, seconds=round(seconds, 4), **(leads_to or {}))
