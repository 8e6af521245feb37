"""Bounds of a call: deadlines, cancellation, size, and how many at once."""

import asyncio
from pathlib import Path
from typing import Any

from grpc_health.v1 import health_pb2, health_pb2_grpc

from scops.api.v1alpha1 import job_service_pb2 as jobs
from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.api.v1alpha1 import search_service_pb2 as search
from scops.common.contract.messages.retrieval import RetrieveRequest, RetrieveResponse
from scops.common.query.ports import RETRIEVE
from tests.connected.gateway.calls import (
    StatusCode,
    ask_docs,
    create_request,
    failed,
    forever,
    reason,
)
from tests.fakes.worlds.gateway import DOCS, ServedGateway, served_gateway


async def test_deadline_ends_the_question_too(tmp_path: Path) -> None:
    """A slow service costs the caller no more than the deadline, and is told to stop."""
    async with served_gateway(tmp_path, deadline_default_seconds=0.3) as served:
        await served.scopes.CreateScope(create_request())
        ended = asyncio.Event()

        async def slow(request: RetrieveRequest) -> RetrieveResponse:
            try:
                return await forever(request)
            finally:
                ended.set()

        served.answer(RETRIEVE, slow)
        error = await failed(served.search.Search(ask_docs()))

        assert (StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED") == (error.code(), reason(error))
        assert ended.is_set()


async def test_callers_own_deadline_counts(tmp_path: Path) -> None:
    """A call that names a deadline ends by it."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())
        served.answer(RETRIEVE, forever)
        error = await failed(served.search.Search(ask_docs(), timeout=0.3))

        assert StatusCode.DEADLINE_EXCEEDED is error.code()


async def test_too_long_deadline_is_refused(tmp_path: Path) -> None:
    """Nobody holds a call for more than a minute."""
    async with served_gateway(tmp_path) as served:
        error = await failed(served.scopes.ListScopes(scopes.ListScopesRequest(), timeout=120))
        assert (StatusCode.INVALID_ARGUMENT, "DEADLINE_TOO_LONG") == (error.code(), reason(error))

        await served.scopes.ListScopes(scopes.ListScopesRequest(), timeout=60)


async def test_callers_cancellation_reaches_the_question(tmp_path: Path) -> None:
    """Work for a caller who left stops."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())
        begun, ended = asyncio.Event(), asyncio.Event()

        async def slow(request: RetrieveRequest) -> RetrieveResponse:
            begun.set()
            try:
                return await forever(request)
            finally:
                ended.set()

        served.answer(RETRIEVE, slow)
        call = served.search.Search(ask_docs())
        waiting = asyncio.ensure_future(call)
        await begun.wait()
        call.cancel()
        async with asyncio.timeout(5):
            await ended.wait()
        await asyncio.wait([waiting])

        assert waiting.cancelled()


async def test_query_beyond_the_limit_of_a_message_is_refused(tmp_path: Path) -> None:
    """Five mebibytes never reach a handler."""
    async with served_gateway(tmp_path) as served:
        request = search.SearchRequest(query="x" * 5 * 1024 * 1024, scopes=["*"])
        error = await failed(served.search.Search(request))

        assert StatusCode.RESOURCE_EXHAUSTED is error.code()


async def test_too_many_calls_at_once_are_refused(tmp_path: Path) -> None:
    """Beyond the bound a call is refused at once instead of waiting."""
    async with served_gateway(tmp_path, concurrent_calls_max=2) as served:
        await served.scopes.CreateScope(create_request())
        served.answer(RETRIEVE, forever)
        calls = [served.search.Search(ask_docs(), timeout=1) for _ in range(5)]
        errors = await asyncio.gather(*(failed(call) for call in calls))
        codes = sorted(error.code().name for error in errors)

        assert ["DEADLINE_EXCEEDED"] * 2 + ["RESOURCE_EXHAUSTED"] * 3 == codes


async def test_probes_get_through_a_flood(tmp_path: Path) -> None:
    """A gateway that serves its most is alive, and is not taken out of service for it."""
    async with served_gateway(tmp_path, concurrent_calls_max=2) as served:
        await served.scopes.CreateScope(create_request())
        served.answer(RETRIEVE, forever)
        calls = [asyncio.ensure_future(failed(_long_search(served))) for _ in range(8)]
        refused, held = await asyncio.wait(calls, timeout=0.5)
        probe: Any = health_pb2_grpc.HealthStub(served.channel)
        health = await probe.Check(health_pb2.HealthCheckRequest(service="liveness"))
        error = await failed(served.jobs.CancelJob(jobs.CancelJobRequest(name="jobs/none")))

        assert health_pb2.HealthCheckResponse.SERVING == health.status
        assert (StatusCode.NOT_FOUND, "JOB_NOT_FOUND") == (error.code(), reason(error))
        assert (6, 2) == (len(refused), len(held))
        assert {"OVERLOADED"} == {reason(task.result()) for task in refused}
        await asyncio.wait(held)


def _long_search(served: ServedGateway) -> Any:
    return served.search.Search(ask_docs(), timeout=1.5)


async def test_callers_who_leave_during_a_write_do_no_harm(tmp_path: Path) -> None:
    """A write that its caller abandoned happened wholly or not at all; the next ones work."""
    async with served_gateway(tmp_path) as served:
        for number in range(40):
            call = served.scopes.CreateScope(create_request(f"s{number}"))
            waiting = asyncio.ensure_future(call)
            await asyncio.sleep(number * 0.0003)
            call.cancel()
            await asyncio.wait([waiting])
        await served.scopes.CreateScope(create_request("last"))
        listed = await served.scopes.ListScopes(scopes.ListScopesRequest(page_size=100))
        found = {scope.name: list(scope.seeds) for scope in listed.scopes}

        assert found["scopes/last"] == [DOCS]
        assert all(seeds == [DOCS] for seeds in found.values())
