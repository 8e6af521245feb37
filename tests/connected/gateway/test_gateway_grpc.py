"""The real gRPC server, called by the generated stubs."""

import asyncio
import uuid
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.timestamp_pb2 import Timestamp
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status

from scops.api.v1alpha1 import job_service_pb2 as jobs
from scops.api.v1alpha1 import page_service_pb2 as pages
from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.api.v1alpha1 import search_service_pb2 as search
from scops.common.errors import PermanentError, StoreUnavailable, TransientError
from scops.common.messages.retrieval import RetrieveRequest, RetrieveResponse
from scops.common.query.ports import RETRIEVE
from tests.fakes.gateway import DOCS, ServedGateway, served_gateway

StatusCode = grpc.StatusCode


def create_request(scope_id: str = "docs", **changes: Any) -> scopes.CreateScopeRequest:
    rule = scopes.ScopeRule(kind=scopes.ScopeRule.KIND_PREFIX, pattern="docs.example.org")
    values = {"rules": [rule], "seeds": [DOCS], **changes}
    return scopes.CreateScopeRequest(scope_id=scope_id, scope=scopes.Scope(**values))


async def failed(call: Any) -> grpc.aio.AioRpcError:
    """Returns the error that a call ends with."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value


def detail(error: grpc.aio.AioRpcError, kind: Any) -> Any:
    """Returns the detail of one kind in a rich status, or None."""
    status = rpc_status.from_call(cast(Any, error))
    assert status is not None, "the status has no details"
    for packed in status.details:
        message = kind()
        if packed.Unpack(message):
            return message
    return None


def reason(error: grpc.aio.AioRpcError) -> str:
    return str(detail(error, error_details_pb2.ErrorInfo).reason)


async def forever(request: RetrieveRequest) -> RetrieveResponse:
    await asyncio.sleep(3600)
    raise AssertionError("nobody waits so long")


def ask_docs() -> search.SearchRequest:
    return search.SearchRequest(query="how often", scopes=["scopes/docs"])


async def test_boundary_travels_with_the_rules_that_it_writes(tmp_path: Path) -> None:
    """A scope of seeds alone is read back with boundary and rules; an unknown one is refused."""
    async with served_gateway(tmp_path) as served:
        wanted = {"rules": [], "boundary": scopes.Scope.BOUNDARY_DOMAIN}
        made = (await served.scopes.CreateScope(create_request(**wanted))).scope
        error = await failed(served.scopes.CreateScope(create_request("other", boundary=9)))

        assert scopes.Scope.BOUNDARY_DOMAIN == made.boundary
        assert ["example.org", "*.example.org/**"] == [rule.pattern for rule in made.rules]
        assert (StatusCode.INVALID_ARGUMENT, "BOUNDARY_UNKNOWN") == (error.code(), reason(error))


async def test_scope_lives_through_its_whole_life(tmp_path: Path) -> None:
    """A scope is created, read, listed, changed and removed through the stubs."""
    async with served_gateway(tmp_path) as served:
        made = (await served.scopes.CreateScope(create_request())).scope
        read = (await served.scopes.GetScope(scopes.GetScopeRequest(name="scopes/docs"))).scope
        assert made == read
        change = scopes.Scope(name=made.name, page_limit=9, etag=made.etag)
        mask = FieldMask(paths=["page_limit"])
        request = scopes.UpdateScopeRequest(scope=change, update_mask=mask)
        changed = (await served.scopes.UpdateScope(request)).scope
        assert (9, 2, [DOCS]) == (changed.page_limit, changed.revision, list(changed.seeds))
        assert changed.etag != made.etag
        await served.scopes.DeleteScope(scopes.DeleteScopeRequest(name=made.name))
        listed = await served.scopes.ListScopes(scopes.ListScopesRequest())

        assert [] == list(listed.scopes)


async def test_stale_etag_is_aborted(tmp_path: Path) -> None:
    """A conflict says ABORTED, the reason, and which resource."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())
        change = scopes.Scope(name="scopes/docs", page_limit=9, etag="stale")
        error = await failed(served.scopes.UpdateScope(scopes.UpdateScopeRequest(scope=change)))

        assert (StatusCode.ABORTED, "ETAG_MISMATCH") == (error.code(), reason(error))


async def test_malformed_pattern_names_its_field(tmp_path: Path) -> None:
    """INVALID_ARGUMENT carries ErrorInfo with our domain and the field in BadRequest."""
    async with served_gateway(tmp_path) as served:
        rule = scopes.ScopeRule(kind=scopes.ScopeRule.KIND_REGEX, pattern="https://a\\.org/((")
        error = await failed(served.scopes.CreateScope(create_request(rules=[rule])))
        info = detail(error, error_details_pb2.ErrorInfo)
        violation = detail(error, error_details_pb2.BadRequest).field_violations[0]

        assert StatusCode.INVALID_ARGUMENT is error.code()
        assert ("MALFORMED_RULE", "scops") == (info.reason, info.domain)
        assert "scope.rules[0].pattern" == violation.field


async def test_longest_error_fits_its_headers(tmp_path: Path) -> None:
    """An error about a URL of 2,000 characters still arrives with its details."""
    async with served_gateway(tmp_path) as served:
        seed = "https://elsewhere.org/" + "ä" * 300
        error = await failed(served.scopes.CreateScope(create_request(seeds=[seed])))

        assert "URL_OUTSIDE_SCOPE" == reason(error)


async def test_unknown_scope_is_not_found_or_hidden(tmp_path: Path) -> None:
    """The caller cannot tell absent from hidden."""
    async with served_gateway(tmp_path) as served:
        error = await failed(served.search.Search(ask_docs()))

        assert (StatusCode.NOT_FOUND, "SCOPE_NOT_FOUND") == (error.code(), reason(error))
        assert "or you may not see it" in str(error.details())


async def test_concurrent_creates_make_one_scope(tmp_path: Path) -> None:
    """Of many creations of one id exactly one succeeds; the others are told."""
    async with served_gateway(tmp_path) as served:
        results = await asyncio.gather(
            *(served.scopes.CreateScope(create_request()) for _ in range(10)),
            return_exceptions=True,
        )
        codes = [item.code() for item in results if isinstance(item, grpc.aio.AioRpcError)]

        assert [StatusCode.ALREADY_EXISTS] * 9 == codes


async def test_concurrent_repeats_of_a_request_make_one_job(tmp_path: Path) -> None:
    """A request_id repeated at once is one job for everybody."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())
        request = jobs.CreateJobRequest(
            job=jobs.Job(scope="scopes/docs"), request_id=str(uuid.uuid4())
        )
        replies = await asyncio.gather(*(served.jobs.CreateJob(request) for _ in range(10)))

        assert 1 == len({reply.job.name for reply in replies})


async def test_cancelled_job_is_listed(tmp_path: Path) -> None:
    """A job goes from creation to the list; cancelling it waits for the fetcher."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())
        job = (
            await served.jobs.CreateJob(jobs.CreateJobRequest(job=jobs.Job(scope="scopes/docs")))
        ).job
        await served.jobs.CancelJob(jobs.CancelJobRequest(name=job.name))
        listed = (await served.jobs.ListJobs(jobs.ListJobsRequest())).jobs
        read = await served.jobs.GetJob(jobs.GetJobRequest(name=job.name))

        assert [jobs.Job.STATE_QUEUED] == [item.state for item in listed]
        assert "fetcher" in read.outcomes_missing_reason


async def test_altered_page_token_is_refused(tmp_path: Path) -> None:
    """A token that we did not give out is INVALID_ARGUMENT."""
    async with served_gateway(tmp_path) as served:
        for scope_id in ("a", "b"):
            await served.scopes.CreateScope(create_request(scope_id))
        first = await served.scopes.ListScopes(scopes.ListScopesRequest(page_size=1))
        token = "B" + first.next_page_token[1:]
        error = await failed(
            served.scopes.ListScopes(scopes.ListScopesRequest(page_size=1, page_token=token))
        )

        assert (StatusCode.INVALID_ARGUMENT, "PAGE_TOKEN_INVALID") == (error.code(), reason(error))


async def test_missing_service_is_unavailable_with_a_delay(tmp_path: Path) -> None:
    """What may succeed later says when to try again."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())
        error = await failed(served.search.Search(ask_docs()))
        retry = detail(error, error_details_pb2.RetryInfo)

        assert (StatusCode.UNAVAILABLE, "NO_RESPONDERS") == (error.code(), reason(error))
        assert 1 == retry.retry_delay.seconds


async def test_named_delay_reaches_the_caller(tmp_path: Path) -> None:
    """Where the cause names a delay, RetryInfo repeats it."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())

        async def busy(request: RetrieveRequest) -> RetrieveResponse:
            raise TransientError("The index rebuilds.", retry_after_seconds=7)

        served.answer(RETRIEVE, busy)
        error = await failed(served.search.Search(ask_docs()))

        assert 7 == detail(error, error_details_pb2.RetryInfo).retry_delay.seconds


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


async def test_bug_leaves_as_internal_without_its_inside(tmp_path: Path) -> None:
    """An error that nobody foresaw shows a request id and nothing else."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())

        class Broken:
            async def call(self, *arguments: object, **options: object) -> object:
                raise KeyError("password=hunter2")

        object.__setattr__(served.gateway.ports, "query_client", Broken())
        call = served.search.Search(ask_docs(), metadata=(("x-request-id", "mine-1"),))
        error = await failed(call)

        assert (StatusCode.INTERNAL, "INTERNAL") == (error.code(), reason(error))
        assert "mine-1" in str(error.details())
        assert "hunter2" not in str(error)
        assert "mine-1" == detail(error, error_details_pb2.RequestInfo).request_id


async def test_permanent_error_is_internal_with_its_reason(tmp_path: Path) -> None:
    """What repeating cannot cure says what it was."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())

        async def broken(request: RetrieveRequest) -> RetrieveResponse:
            raise PermanentError("A blob is missing.", reason="BLOB_MISSING")

        served.answer(RETRIEVE, broken)
        error = await failed(served.search.Search(ask_docs()))

        assert (StatusCode.INTERNAL, "BLOB_MISSING") == (error.code(), reason(error))


@pytest.mark.parametrize("given", ["mine-1", "", "has space", "x" * 300])
async def test_every_answer_has_a_request_id(tmp_path: Path, given: str) -> None:
    """The caller's id comes back when it is sound; else the call gets one of ours."""
    async with served_gateway(tmp_path) as served:
        metadata = (("x-request-id", given),) if given else ()
        call = served.scopes.ListScopes(scopes.ListScopesRequest(), metadata=metadata)
        await call
        returned = str((await call.trailing_metadata())["x-request-id"])

        assert (returned == "mine-1") if given == "mine-1" else uuid.UUID(returned).version == 7


async def test_impossible_instant_is_refused(tmp_path: Path) -> None:
    """A timestamp outside of time is the caller's error."""
    async with served_gateway(tmp_path) as served:
        await served.scopes.CreateScope(create_request())
        request = ask_docs()
        request.as_of_time.CopyFrom(Timestamp(seconds=10**15))
        error = await failed(served.search.Search(request))

        assert "INSTANT_INVALID" == reason(error)


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


async def test_page_without_a_name_is_refused(tmp_path: Path) -> None:
    """The PageService speaks through the same errors."""
    async with served_gateway(tmp_path) as served:
        error = await failed(served.pages.GetPage(pages.GetPageRequest()))

        assert "PAGE_NOT_NAMED" == reason(error)


async def test_reflection_lists_every_service(tmp_path: Path) -> None:
    """grpcurl finds the API without its protos."""
    async with served_gateway(tmp_path) as served:
        names = await reflected(served)

        api = {f"scops.api.v1alpha1.{n}Service" for n in ("Scope", "Page", "Job", "Search")}
        assert api < names


async def test_reflection_can_be_turned_off(tmp_path: Path) -> None:
    """An installation may keep its API to itself."""
    async with served_gateway(tmp_path, reflection=False) as served:
        error = await failed(reflected(served))

        assert StatusCode.UNIMPLEMENTED is error.code()


async def reflected(served: ServedGateway) -> set[str]:
    stub: Any = reflection_pb2_grpc.ServerReflectionStub(cast(Any, served.channel))
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    call = stub.ServerReflectionInfo(iter([request]))
    async for reply in call:
        return {service.name for service in reply.list_services_response.service}
    raise AssertionError("no answer")


async def test_health_has_its_three_names(tmp_path: Path) -> None:
    """Alive from the start; ready only when told so, and not any more when stopping."""
    async with served_gateway(tmp_path) as served:
        serving = health_pb2.HealthCheckResponse.SERVING
        waiting = health_pb2.HealthCheckResponse.NOT_SERVING
        assert [waiting, waiting, serving] == await health_of(served)
        await served.gateway.server.set_ready(True)

        assert [serving, serving, serving] == await health_of(served)


async def health_of(served: ServedGateway) -> list[int]:
    stub: Any = health_pb2_grpc.HealthStub(served.channel)
    names = ("", "readiness", "liveness")
    return [
        (await stub.Check(health_pb2.HealthCheckRequest(service=name))).status for name in names
    ]


async def test_taken_port_is_a_clear_error(tmp_path: Path) -> None:
    """A second gateway on one port says what to do instead of sharing the calls."""
    async with served_gateway(tmp_path) as served:
        port = int(served.gateway.address.rsplit(":", 1)[1])
        with pytest.raises(StoreUnavailable) as caught:
            async with served_gateway(tmp_path, port=port):
                pass

        assert "SCOPS_GATEWAY_PORT" in caught.value.message


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
