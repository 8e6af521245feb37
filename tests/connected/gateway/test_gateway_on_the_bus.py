"""The gateway on a real nats-server: commands out, news in, scopes projected, ready by health."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from scops.api.v1alpha1 import job_service_pb2 as jobs
from scops.api.v1alpha1 import job_service_pb2_grpc as jobs_grpc
from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.api.v1alpha1 import scope_service_pb2_grpc as scopes_grpc
from scops.common.bus.consume.router import ServiceRouter
from scops.common.bus.nats_bus import NatsBus
from scops.common.bus.ports import Cause
from scops.common.config.settings import CommonSettings
from scops.common.contract.messages.crawl import (
    CrawlFinished,
    CrawlProgressed,
    CrawlScope,
    JobCounts,
)
from scops.common.contract.messages.crawl import JobState as LedgerState
from scops.common.contract.service_table import Role
from scops.common.db.migrate import upgrade
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.platform import Platform, open_platform
from scops.common.runtime.runner import Runner
from scops.common.runtime.service import Service
from scops.common.scope.projection import ScopeProjection
from scops.gateway import service
from scops.gateway.service import DATABASE, MIGRATIONS, Gateway
from scops.gateway.settings import GatewaySettings
from tests.connected.waiting import until
from tests.fakes.worlds.gateway import DOCS


async def crawl_at_once(command: CrawlScope, cause: Cause) -> Sequence[object]:
    """Plays a fetcher that finds one page and finishes."""
    progressed = CrawlProgressed(job_id=command.job_id, counts=JobCounts(open=1))
    finished = CrawlFinished(
        job_id=command.job_id,
        state=LedgerState.COMPLETED,
        counts=JobCounts(indexed=1),
        finished_time=cause.published_time,
    )
    return (progressed, finished)


@pytest.fixture(autouse=True)
def long_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """What happens soon happens because somebody was woken."""
    monkeypatch.setattr(service, "POLL_SECONDS", 60.0)


@asynccontextmanager
async def running(bus: NatsBus, common: CommonSettings) -> AsyncIterator[tuple[Gateway, Platform]]:
    """Runs the gateway, and a fetcher that finishes every crawl at once."""
    platform = await open_platform(
        common,
        publisher=bus.publisher,
        query_client=bus.query_client,
        backlog=bus.backlog,
        scope_publisher=ScopeProjection(bus.jetstream, clock=SystemClock()),
    )
    upgrade(platform.database(DATABASE).address, MIGRATIONS)
    gateway = Gateway(GatewaySettings(port=0), platform)
    router = ServiceRouter(Role.FETCHER)
    router.consumes(CrawlScope)(crawl_at_once)
    fetcher = Service(role=Role.FETCHER, router=router)
    runner = Runner([gateway.service, fetcher], platform, bus)
    await runner.start()
    await runner.until_running()
    try:
        yield gateway, platform
    finally:
        await runner.stop()
        await platform.close()


def docs_scope() -> scopes.CreateScopeRequest:
    rule = scopes.ScopeRule(kind=scopes.ScopeRule.KIND_PREFIX, pattern="docs.example.org")
    return scopes.CreateScopeRequest(
        scope_id="docs", scope=scopes.Scope(rules=[rule], seeds=[DOCS])
    )


async def test_job_goes_out_at_once_and_its_end_comes_back(
    bus: NatsBus, common: CommonSettings
) -> None:
    """A created job is sent without waiting for an interval, and ends by what the bus says."""
    async with (
        running(bus, common) as (gateway, _),
        grpc.aio.insecure_channel(gateway.address) as channel,
    ):
        stub = jobs_grpc.JobServiceStub(channel)
        await scopes_grpc.ScopeServiceStub(channel).CreateScope(docs_scope())
        job = (await stub.CreateJob(jobs.CreateJobRequest(job=jobs.Job(scope="scopes/docs")))).job

        async def is_done() -> bool:
            listed = await stub.ListJobs(jobs.ListJobsRequest())
            return [jobs.Job.STATE_COMPLETED] == [item.state for item in listed.jobs]

        await until(is_done)
        read = (await stub.GetJob(jobs.GetJobRequest(name=job.name))).job

        assert jobs.JobCounts(indexed=1) == read.counts


async def test_scope_reaches_those_who_watch(bus: NatsBus, common: CommonSettings) -> None:
    """A created scope arrives in the scope book of other services, and its deletion too."""
    async with (
        running(bus, common) as (gateway, platform),
        grpc.aio.insecure_channel(gateway.address) as channel,
    ):
        stub = scopes_grpc.ScopeServiceStub(channel)
        await stub.CreateScope(docs_scope())

        async def has_arrived() -> bool:
            return ["docs"] == [scope.scope_id for scope in platform.scope_book.all()]

        await until(has_arrived)
        await stub.DeleteScope(scopes.DeleteScopeRequest(name="scopes/docs"))

        async def has_left() -> bool:
            return () == platform.scope_book.all()

        await until(has_left)


async def test_gateway_is_ready_when_its_checks_pass(bus: NatsBus, common: CommonSettings) -> None:
    """Health says SERVING once the schema is there and the port is bound."""
    async with (
        running(bus, common) as (gateway, _),
        grpc.aio.insecure_channel(gateway.address) as channel,
    ):
        stub: Any = health_pb2_grpc.HealthStub(channel)
        request = health_pb2.HealthCheckRequest(service="readiness")

        async def is_ready() -> bool:
            answer = await stub.Check(request)
            return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

        await until(is_ready)
