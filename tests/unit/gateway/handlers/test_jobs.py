"""Jobs: accepted once, followed, cancelled, compared with the ledger."""

from dataclasses import replace
from datetime import timedelta

import pytest
from prometheus_client import REGISTRY

from scops.api.v1alpha1 import scope_service_pb2
from scops.common.bus.ports import Cause
from scops.common.contract.errors import InvalidInput, NotFound, NotPermitted
from scops.common.contract.ids import EventId, JobId, ScopeId
from scops.common.contract.messages.crawl import (
    CancelJob,
    CrawlFinished,
    CrawlProgressed,
    CrawlScope,
    FetchPage,
    JobCounts,
    JobRecord,
    JobStatusRequest,
    JobStatusResponse,
    PageOutcome,
)
from scops.common.contract.messages.crawl import JobState as LedgerState
from scops.common.contract.messages.types import RuleKind, ScopeRef, ScopeRule
from scops.common.contract.service_table import Lane
from scops.common.db.outbox import relay
from scops.common.query.ports import JOB_STATUS
from scops.gateway.adapters.sql.requests import REQUEST_ID_DAYS
from scops.gateway.adapters.sql.tables import outbox
from scops.gateway.api.responses import message
from scops.gateway.handlers import jobs as job_requests
from scops.gateway.handlers.crawl_events import handle_crawl_finished, handle_crawl_progressed
from scops.gateway.jobs import ledger as ledger_module
from scops.gateway.jobs.job import ApiJobState, Job
from scops.gateway.jobs.ledger import reconcile
from scops.gateway.scopes.revisions import ScopeChange
from tests.fakes.bus import RecordingPublisher
from tests.fakes.clock import START, ManualClock
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world, prefix

DOCS_ID = ScopeId("docs")
REQUEST = "8f14e45f-ceea-467f-ab5d-9f2b0a1c2d3e"


async def accepted(
    world: GatewayWorld,
    *,
    urls: tuple[str, ...] = (),
    page_limit: int = 0,
    request_id: str = "",
    caller: str = "local",
) -> Job:
    return await job_requests.create_job(
        world.ports,
        world.call(caller),
        scope_id=DOCS_ID,
        urls=urls,
        page_limit=page_limit,
        request_id=request_id,
    )


async def sent(world: GatewayWorld) -> RecordingPublisher:
    publisher = RecordingPublisher()
    await relay(world.database, outbox, publisher, clock=ManualClock())
    return publisher


async def stored(world: GatewayWorld, job: Job) -> Job:
    found = await world.ports.jobs.get(job.job_id)
    assert found is not None
    return found


def cause(*, seconds: int) -> Cause:
    return Cause(
        event_id=EventId(f"event-{seconds}"),
        organisation_id="main",
        lane=Lane.BULK,
        published_time=START + timedelta(seconds=seconds),
    )


def record(
    job: Job, state: LedgerState, *, outcomes: tuple[PageOutcome, ...] = (), **counts: int
) -> JobRecord:
    return JobRecord(
        job_id=job.job_id,
        scope_id=job.scope.scope_id,
        state=state,
        counts=JobCounts(**counts),
        accepted_time=job.created_time,
        outcomes=outcomes,
    )


async def test_crawl_goes_by_the_bulk_lane_with_its_scopes_revision() -> None:
    """A crawl names the scope as its caller saw it, and waits behind nobody."""
    async with gateway_world() as world:
        await world.create_scope()
        job = await accepted(world, page_limit=5)
        (command,) = (await sent(world)).published

        expected = CrawlScope(
            job_id=job.job_id,
            scope=ScopeRef(scope_id=DOCS_ID, revision=1),
            accepted_time=job.created_time,
            page_limit=5,
        )
        assert (expected, Lane.BULK) == (command.message, command.lane)


async def test_named_pages_go_by_the_lane_now() -> None:
    """A person waits for the pages they name; URLs travel canonical and once."""
    async with gateway_world() as world:
        await world.create_scope()
        await accepted(world, urls=(f"{DOCS}a#x", f"{DOCS}a", f"{DOCS}b"))
        (command,) = (await sent(world)).published

        assert isinstance(command.message, FetchPage)
        assert ((f"{DOCS}a", f"{DOCS}b"), Lane.NOW) == (command.message.urls, command.lane)


async def test_repeated_request_id_sends_one_command() -> None:
    """The same request twice is one job."""
    async with gateway_world() as world:
        await world.create_scope()
        first = await accepted(world, request_id=REQUEST)
        again = await accepted(world, request_id=REQUEST)

        assert first == again
        assert 1 == len((await sent(world)).published)


@pytest.mark.parametrize(
    ("urls", "page_limit", "reason"),
    [
        (("https://elsewhere.org/",), 0, "URL_OUTSIDE_SCOPE"),
        (("file:///etc/passwd",), 0, "INVALID_URL"),
        (("http://ann:pw@docs.example.org/",), 0, "INVALID_URL"),
        (tuple(f"{DOCS}{n}" for n in range(101)), 0, "TOO_MANY_URLS"),
        ((DOCS + "x" * 50_000,), 0, "TOO_MANY_URLS"),
        ((DOCS,), 5, "PAGE_LIMIT_WITH_URLS"),
        ((), -1, "LIMIT_OUT_OF_RANGE"),
    ],
)
async def test_unusable_job_is_refused(urls: tuple[str, ...], page_limit: int, reason: str) -> None:
    """What cannot be crawled is refused before a job exists."""
    async with gateway_world() as world:
        await world.create_scope()
        with pytest.raises(InvalidInput) as caught:
            await accepted(world, urls=urls, page_limit=page_limit)

        assert reason == caught.value.reason
        assert [] == (await sent(world)).published


async def test_crawl_without_a_start_is_refused() -> None:
    """A crawl that could reach nothing says so at once."""
    async with gateway_world() as world:
        await world.create_scope(seeds=())
        with pytest.raises(InvalidInput) as caught:
            await accepted(world)

        assert "SCOPE_WITHOUT_SEEDS" == caught.value.reason


async def test_a_scope_with_a_stored_rule_that_is_not_read_says_so() -> None:
    """Its owner sees which rule it is, and a crawl that would fetch nothing is refused."""
    async with gateway_world() as world:
        stored = await world.create_scope()
        broken = ScopeRule(kind=RuleKind.REGEX, pattern="[](]|.*[)]?", exclude=True)
        scope = replace(stored.scope, rules=(*stored.scope.rules, broken), revision=2)
        assert await world.ports.scopes.replace(
            replace(stored, scope=scope), expected_revision=1, change=ScopeChange(principal="local")
        )
        held = await world.ports.scopes.get(scope.organisation_id, scope.scope_id)
        shown = message(scope_service_pb2.GetScopeResponse, held)
        with pytest.raises(InvalidInput) as caught:
            await accepted(world)

        assert "SCOPE_RULES_UNUSABLE" == caught.value.reason
        assert "[](]|.*[)]?" in caught.value.message
        assert [True] == ["[](]|.*[)]?" in error for error in shown.scope.rule_errors]


async def test_only_the_owner_crawls() -> None:
    """Seeing a public scope is no right to crawl it."""
    async with gateway_world() as world:
        await world.create_scope(owner="ann", public=True)
        with pytest.raises(NotPermitted):
            await accepted(world, caller="bob")


async def test_progress_moves_a_job_from_queued_to_running() -> None:
    """The first counts say that the fetcher has taken the job up."""
    async with gateway_world() as world:
        await world.create_scope()
        job = await accepted(world)
        assert ApiJobState.QUEUED is job.state
        event = CrawlProgressed(job_id=job.job_id, counts=JobCounts(open=3, indexed=1))
        await handle_crawl_progressed(event, cause(seconds=1), world.ports)
        job = await stored(world, job)

        assert (ApiJobState.RUNNING, event.counts) == (job.state, job.counts)


async def test_late_progress_changes_nothing() -> None:
    """Counts never go back to what an older message says, nor past the end."""
    async with gateway_world() as world:
        await world.create_scope()
        job = await accepted(world)
        newer = CrawlProgressed(job_id=job.job_id, counts=JobCounts(open=1, indexed=2))
        older = CrawlProgressed(job_id=job.job_id, counts=JobCounts(open=3))
        await handle_crawl_progressed(newer, cause(seconds=2), world.ports)
        await handle_crawl_progressed(older, cause(seconds=1), world.ports)
        assert newer.counts == (await stored(world, job)).counts

        finished = CrawlFinished(
            job_id=job.job_id,
            state=LedgerState.COMPLETED,
            counts=JobCounts(indexed=3),
            finished_time=START + timedelta(seconds=3),
        )
        await handle_crawl_finished(finished, cause(seconds=3), world.ports)
        await handle_crawl_progressed(newer, cause(seconds=4), world.ports)
        job = await stored(world, job)

        assert (ApiJobState.COMPLETED, JobCounts(indexed=3)) == (job.state, job.counts)


async def test_first_end_of_a_job_stays() -> None:
    """A redelivered or contradicting end changes nothing."""
    async with gateway_world() as world:
        await world.create_scope()
        job = await accepted(world)
        for state in (LedgerState.CANCELLED, LedgerState.COMPLETED):
            event = CrawlFinished(
                job_id=job.job_id, state=state, counts=JobCounts(), finished_time=START
            )
            await handle_crawl_finished(event, cause(seconds=1), world.ports)

        assert ApiJobState.CANCELLED is (await stored(world, job)).state


async def test_news_of_an_unknown_job_are_ignored() -> None:
    """A job that this gateway does not hold is none of its business."""
    async with gateway_world() as world:
        event = CrawlProgressed(job_id=JobId("nobody"), counts=JobCounts(open=1))

        assert () == await handle_crawl_progressed(event, cause(seconds=1), world.ports)


async def test_get_job_reads_the_ledger() -> None:
    """What was missed on the bus is learned when asked, with each page's outcome."""
    async with gateway_world() as world:
        await world.create_scope()
        job = await accepted(world)
        outcome = PageOutcome(url=DOCS, outcome="indexed")
        done = record(job, LedgerState.COMPLETED, outcomes=(outcome,), indexed=1)
        world.says(JOB_STATUS, JobStatusResponse(jobs=(done,)))
        view = await job_requests.get_job(world.ports, world.call(), job.job_id)

        assert (ApiJobState.COMPLETED, (outcome,)) == (view.job.state, view.outcomes)


async def test_get_job_without_fetcher_says_why_outcomes_are_missing() -> None:
    """A service that does not answer costs the outcomes, not the answer."""
    async with gateway_world() as world:
        await world.create_scope()
        job = await accepted(world)
        view = await job_requests.get_job(world.ports, world.call(), job.job_id)

        assert job == view.job
        assert "fetcher" in view.missing_reason


async def test_cancelling_sends_one_command_and_twice_is_once() -> None:
    """Cancelling again changes nothing."""
    async with gateway_world() as world:
        await world.create_scope()
        job = await accepted(world)
        for _ in range(2):
            await job_requests.cancel_job(world.ports, world.call(), job.job_id)
        messages = (await sent(world)).messages

        assert [CancelJob(job_id=job.job_id)] == messages[1:]


async def test_cancelling_an_ended_job_sends_nothing() -> None:
    """What has ended stays as it is."""
    async with gateway_world() as world:
        await world.create_scope()
        job = await accepted(world)
        await world.ports.jobs.finish(job.job_id, ApiJobState.COMPLETED, JobCounts(), at=START)
        cancelled = await job_requests.cancel_job(world.ports, world.call(), job.job_id)

        assert ApiJobState.COMPLETED is cancelled.state
        assert [CrawlScope] == [type(message) for message in (await sent(world)).messages]


async def test_hidden_job_is_not_found() -> None:
    """A job of a scope that the caller may not see does not exist for them."""
    async with gateway_world() as world:
        await world.create_scope()
        job = await accepted(world)
        with pytest.raises(NotFound):
            await job_requests.get_job(world.ports, world.call("bob"), job.job_id)
        jobs, _ = await job_requests.list_jobs(
            world.ports, world.call("bob"), scope_id=None, page_size=0, page_token=""
        )

        assert () == jobs


async def test_jobs_are_listed_newest_first_without_gap() -> None:
    """Pages of the listing join, newest first."""
    async with gateway_world() as world:
        await world.create_scope()
        ids = []
        for _ in range(5):
            world.clock.advance(1)
            ids.append((await accepted(world)).job_id)
        found: list[JobId] = []
        token = ""
        for _ in range(5):
            jobs, token = await job_requests.list_jobs(
                world.ports, world.call(), scope_id=DOCS_ID, page_size=2, page_token=token
            )
            found += [job.job_id for job in jobs]
            if not token:
                break

        assert list(reversed(ids)) == found


async def test_reconciling_learns_what_was_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a time without the bus, open jobs are as the ledger says."""
    monkeypatch.setattr(ledger_module, "JOBS_BATCH", 2)
    async with gateway_world() as world:
        await world.create_scope()
        jobs = [await accepted(world) for _ in range(3)]

        async def ledger(request: JobStatusRequest) -> JobStatusResponse:
            assert len(request.job_ids) <= 2
            known = [job for job in jobs if job.job_id in request.job_ids]
            records = [record(job, LedgerState.COMPLETED, indexed=2) for job in known]
            return JobStatusResponse(jobs=tuple(records))

        world.answer(JOB_STATUS, ledger)

        assert 3 == await reconcile(world.ports)
        assert [ApiJobState.COMPLETED] * 3 == [(await stored(world, job)).state for job in jobs]


async def test_command_that_never_arrived_is_sent_again_as_a_new_message() -> None:
    """A job the ledger does not know after a while gets its command again, under a new id."""
    async with gateway_world() as world:
        await world.create_scope()
        await accepted(world)
        first = (await sent(world)).published
        world.says(JOB_STATUS, JobStatusResponse())
        await reconcile(world.ports)
        assert [] == (await sent(world)).published

        world.clock.advance(ledger_module.RESEND_SECONDS + 1)
        await reconcile(world.ports)
        await reconcile(world.ports)
        again = (await sent(world)).published

        assert [first[0].message] == [outgoing.message for outgoing in again]
        assert first[0].event_id != again[0].event_id


async def test_lost_cancellation_is_sent_again() -> None:
    """A job that was cancelled and still runs is cancelled again."""
    async with gateway_world() as world:
        await world.create_scope()
        job = await accepted(world)
        await job_requests.cancel_job(world.ports, world.call(), job.job_id)
        await sent(world)
        running = record(job, LedgerState.RUNNING, open=2)
        world.says(JOB_STATUS, JobStatusResponse(jobs=(running,)))
        world.clock.advance(ledger_module.RESEND_SECONDS + 1)
        await reconcile(world.ports)
        messages = (await sent(world)).messages

        assert CancelJob(job_id=job.job_id) in messages


async def test_forgotten_request_ids_make_room() -> None:
    """A request_id is remembered for its days and no longer."""
    async with gateway_world() as world:
        await world.create_scope()
        first = await accepted(world, request_id=REQUEST)
        world.clock.advance((REQUEST_ID_DAYS + 1) * 86_400)
        await accepted(world)
        again = await accepted(world, request_id=REQUEST)

        assert first.job_id != again.job_id


async def test_page_rules_are_a_start() -> None:
    """A scope of hand-picked pages can be crawled without seeds."""
    async with gateway_world() as world:
        page = ScopeRule(kind=RuleKind.PAGE, pattern=f"{DOCS}a")
        await world.create_scope(rules=(prefix("x.org"), page), seeds=())

        assert ApiJobState.QUEUED is (await accepted(world)).state


def _ended(state: str) -> tuple[float, float]:
    """Returns how many jobs ended so in this process, and their seconds."""
    labels = {"state": state}
    names = ("scops_gateway_job_seconds_count", "scops_gateway_job_seconds_sum")
    count, seconds = (REGISTRY.get_sample_value(name, labels) or 0.0 for name in names)
    return count, seconds


async def test_a_job_is_measured_once_whoever_tells_of_its_end() -> None:
    """News from the bus come again, and the ledger tells the same."""
    async with gateway_world() as world:
        await world.create_scope()
        job = await accepted(world)
        before = _ended("completed")
        finished = CrawlFinished(
            job_id=job.job_id,
            state=LedgerState.COMPLETED,
            counts=JobCounts(indexed=3),
            finished_time=job.created_time + timedelta(seconds=40),
        )
        for _ in range(2):
            await handle_crawl_finished(finished, cause(seconds=40), world.ports)
        await ledger_module.absorb(
            world.ports, record(job, LedgerState.COMPLETED), asked_time=START
        )
        after = _ended("completed")

    assert (1, 40) == (after[0] - before[0], after[1] - before[1])
