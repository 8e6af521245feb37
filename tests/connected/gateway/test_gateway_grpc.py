"""The real gRPC server, called by the generated stubs: the services, reflection, health."""

import asyncio
import uuid
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from scops.api.v1alpha1 import job_service_pb2 as jobs
from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.common.contract.errors import StoreUnavailable
from tests.connected.gateway.calls import StatusCode, create_request, failed, reason
from tests.fakes.worlds.gateway import DOCS, ServedGateway, served_gateway


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
