"""What happens around a call, without any door: deadline, caller, request id, errors, metrics."""

import asyncio
import random
import uuid
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
import structlog
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from scops.common.access.assertion import KEY_BYTES, IdentitySigner
from scops.common.access.principal import Principal
from scops.common.contract.errors import (
    AlreadyExists,
    BlobMissing,
    Conflict,
    InvalidInput,
    NotFound,
    NotPermitted,
    NotYetKnown,
    ScopsError,
    TransientError,
)
from scops.common.observe.trail import current
from scops.gateway import calls as calls_module
from scops.gateway.admission.cost import CallCost
from scops.gateway.calls import Call, CallOutcome, PublicCalls, failure_of
from scops.gateway.settings import GatewaySettings
from tests.fakes.clock import START, ManualClock
from tests.fakes.identity import OneCaller, unbounded

PATH = "/scops.api.v1alpha1.TestService/Test"
CALLER = Principal(principal_id="ann", organisation_id="main")


async def served(
    work: Callable[[Call], Awaitable[Any]],
    *,
    remaining_seconds: float | None = None,
    headers: dict[str, str] | None = None,
    **settings: Any,
) -> CallOutcome:
    calls = PublicCalls(
        settings=GatewaySettings(**settings),
        clock=ManualClock(),
        chance=random.Random(1),
        authenticator=OneCaller(CALLER),
        admission=unbounded(),
        signer=IdentitySigner(b"k" * KEY_BYTES),
    )
    return await calls.serve(
        PATH,
        work,
        headers=headers or {},
        peer="",
        cost=CallCost.LOOKUP,
        remaining_seconds=remaining_seconds,
        system="test",
    )


@pytest.mark.parametrize(("seconds", "levels"), [(0.0, []), (10.0, ["info"])])
async def test_a_slow_call_is_told_at_the_usual_level(
    monkeypatch: pytest.MonkeyPatch, seconds: float, levels: list[str]
) -> None:
    """What went well and fast is not: clients poll jobs."""
    times = iter((100.0, 100.0 + seconds))
    monkeypatch.setattr(calls_module, "monotonic_seconds", lambda: next(times))
    # Others may have left the log at another level.
    structlog.reset_defaults()
    with capture_logs() as lines:
        await served(as_asked)

    told = [one for one in lines if one["event"] == "call_answered"]
    assert levels == [one["log_level"] for one in told if one["log_level"] != "debug"]
    assert [round(seconds, 4)] == [one["seconds"] for one in told]


async def failed(error: Exception, **options: Any) -> CallOutcome:
    async def work(call: Call) -> None:
        raise error

    return await served(work, **options)


async def as_asked(call: Call) -> Call:
    return call


def counted(code: str) -> float:
    labels = {"method": PATH, "code": code}
    return REGISTRY.get_sample_value("scops_gateway_calls_total", labels) or 0.0


@pytest.mark.parametrize(("remaining", "seconds"), [(None, 7.0), (3.5, 3.5), (61.0, 61.0)])
async def test_call_has_the_callers_deadline_or_the_default(
    remaining: float | None, seconds: float
) -> None:
    """The use case passes it on with its questions; gRPC's rounding up is let through."""
    outcome = await served(
        as_asked, remaining_seconds=remaining, deadline_default_seconds=7, deadline_max_seconds=60
    )
    call: Call = outcome.response

    assert (CALLER, START + timedelta(seconds=seconds)) == (call.principal, call.deadline)


async def test_too_long_deadline_is_the_callers_error() -> None:
    """Nobody holds a call for longer; no work begins."""
    begun = []

    async def work(call: Call) -> None:
        begun.append(call)

    failure = (await served(work, remaining_seconds=120.0)).failure

    assert failure is not None
    assert ("INVALID_ARGUMENT", "DEADLINE_TOO_LONG", []) == (failure.code, failure.reason, begun)


async def test_late_work_is_ended() -> None:
    """The caller learns that time ran out, and the work stops."""
    ended = asyncio.Event()

    async def work(call: Call) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    failure = (await served(work, remaining_seconds=0.05)).failure

    assert failure is not None
    assert ("DEADLINE_EXCEEDED", None) == (failure.code, failure.retry_after_seconds)
    assert ended.is_set()


async def test_service_that_ran_out_of_time_is_a_deadline_too() -> None:
    """It says so by an error of its own."""
    error = TransientError("No answer in time.", reason="DEADLINE_EXCEEDED")
    outcome = await failed(error)

    assert "DEADLINE_EXCEEDED" == outcome.code


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFound("n"), "NOT_FOUND"),
        (AlreadyExists("a"), "ALREADY_EXISTS"),
        (NotPermitted("p"), "PERMISSION_DENIED"),
        (Conflict("c"), "ABORTED"),
        (InvalidInput("i"), "INVALID_ARGUMENT"),
        (NotYetKnown("t"), "UNAVAILABLE"),
        (BlobMissing("b"), "INTERNAL"),
        (ScopsError("s"), "INTERNAL"),
    ],
)
def test_class_of_an_error_decides_the_code(error: ScopsError, code: str) -> None:
    """The first class that fits decides."""
    failure = failure_of(error)

    assert (code, error.reason, error.message) == (failure.code, failure.reason, failure.message)


def test_field_and_delay_reach_the_failure() -> None:
    """Only what a caller got wrong names a field, and only what may pass names a delay."""
    wrong = failure_of(InvalidInput("wrong", field="scope.seeds[0]"))
    busy = failure_of(TransientError("busy", retry_after_seconds=7))
    away = failure_of(TransientError("away"))

    assert ("scope.seeds[0]", None) == (wrong.field, wrong.retry_after_seconds)
    assert ("", 7, 1.0) == (busy.field, busy.retry_after_seconds, away.retry_after_seconds)


async def test_bug_shows_the_request_id_and_nothing_of_the_inside() -> None:
    """What nobody foresaw is INTERNAL."""
    outcome = await failed(KeyError("password=hunter2"), headers={"x-request-id": "mine-1"})

    assert outcome.failure is not None
    assert ("INTERNAL", {}) == (outcome.code, outcome.failure.metadata)
    assert "mine-1" in outcome.failure.message
    assert "hunter2" not in outcome.failure.message


@pytest.mark.parametrize("given", ["", "has space", "x" * 300])
async def test_call_without_a_sound_request_id_gets_one(given: str) -> None:
    """The caller's own is kept where it is sound; questions carry the same one."""

    async def work(call: Call) -> str:
        return current().request_id

    kept = await served(work, headers={"x-request-id": "mine-1"})
    minted = await served(work, headers={"x-request-id": given})

    assert ("mine-1", "mine-1") == (kept.request_id, kept.response)
    assert 7 == uuid.UUID(minted.request_id).version
    assert minted.request_id == minted.response


async def test_every_call_is_counted_by_its_code() -> None:
    """A caller who leaves counts as cancelled."""

    async def forever(call: Call) -> None:
        await asyncio.sleep(3600)

    before = [counted(code) for code in ("OK", "NOT_FOUND", "CANCELLED")]
    await served(as_asked)
    await failed(NotFound("n"))
    waiting = asyncio.create_task(served(forever))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    after = [counted(code) for code in ("OK", "NOT_FOUND", "CANCELLED")]

    assert [1.0, 1.0, 1.0] == [now - then for now, then in zip(after, before, strict=True)]
