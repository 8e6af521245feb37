"""Compares jobs with the fetcher's ledger: what was missed on the bus is learned here."""

from dataclasses import replace
from datetime import datetime, timedelta

from scops.common.contract.ids import JobId
from scops.common.contract.messages.crawl import JobCounts, JobRecord, JobStatusRequest
from scops.common.query.ports import JOB_STATUS
from scops.gateway import metrics
from scops.gateway.jobs.job import (
    BYTES_SPENT,
    ApiJobState,
    Job,
    cancel_command,
    finished_state,
    start_command,
)
from scops.gateway.ports import GatewayPorts
from scops.gateway.quotas.daily import Spending, day_of

JOBS_BATCH = 100
ANSWER_SECONDS = 10.0
# A command whose effect the ledger lacks after this is sent again.
RESEND_SECONDS = 120.0
# A job that ended is listed for longer than a year; some are deleted at each look.
JOBS_KEPT = timedelta(days=400)
JOBS_FORGOTTEN_AT_ONCE = 1_000


async def absorb(ports: GatewayPorts, record: JobRecord, *, asked_time: datetime) -> None:
    """Takes over what the ledger says of a job.

    Args:
        asked_time: before the question was sent; news from the bus that are newer stay.
    """
    state = finished_state(record.state)
    if state is None:
        await note_progress(ports, record.job_id, record.counts, at=asked_time)
        return
    finished_time = record.finished_time or asked_time
    await end_job(ports, record.job_id, state, record.counts, at=finished_time)


async def note_progress(
    ports: GatewayPorts, job_id: JobId, counts: JobCounts, *, at: datetime
) -> None:
    """Takes newer counts of a job over, and stops it where its owner has no bytes left that day."""
    job = await ports.jobs.progress(job_id, counts, at=at)
    if job is None or job.cancel_requested or not ports.daily_quotas.bytes:
        return
    spent = await ports.usage.spent(job.organisation_id, job.owner, day_of(at))
    if ports.daily_quotas.is_used_up(job.owner, Spending.BYTES, spent):
        now, command = ports.clock.now(), cancel_command(job)
        await ports.jobs.request_cancel(job_id, command, now=now, reason=BYTES_SPENT)
        ports.outbox_wakeup.notify()


async def end_job(
    ports: GatewayPorts, job_id: JobId, state: ApiJobState, counts: JobCounts, *, at: datetime
) -> None:
    """Ends a job, and measures it the first time."""
    ended = await ports.jobs.finish(job_id, state, counts, at=at)
    if ended is not None:
        seconds = max(0.0, (at - ended.created_time).total_seconds())
        metrics.JOB_SECONDS.labels(state=state.value).observe(seconds)


async def reconcile(ports: GatewayPorts) -> int:
    """Compares every open job with the ledger and sends lost commands again; forgets old ones.

    Returns:
        The number of jobs compared.

    Raises:
        TransientError: the fetcher did not answer; what was compared so far is stored.
    """
    ended_before = ports.clock.now() - JOBS_KEPT
    await ports.jobs.forget(ended_before=ended_before, limit=JOBS_FORGOTTEN_AT_ONCE)
    compared, after = 0, JobId("")
    while jobs := await ports.jobs.open_jobs(after=after, limit=JOBS_BATCH):
        await _compare(ports, jobs)
        compared, after = compared + len(jobs), jobs[-1].job_id
    return compared


async def _compare(ports: GatewayPorts, jobs: tuple[Job, ...]) -> None:
    now = ports.clock.now()
    deadline = now + timedelta(seconds=ANSWER_SECONDS)
    request = JobStatusRequest(job_ids=tuple(job.job_id for job in jobs))
    response = await ports.query_client.call(JOB_STATUS, request, deadline=deadline)
    records = {record.job_id: record for record in response.jobs}
    for job in jobs:
        record = records.get(job.job_id)
        if record is not None:
            await absorb(ports, record, asked_time=now)
        if _is_lost(ports, job, record, now):
            await _send_again(ports, job, now)


def _is_lost(ports: GatewayPorts, job: Job, record: JobRecord | None, now: datetime) -> bool:
    """Returns whether a command should have shown in the ledger by now, and has not."""
    if now - job.sent_time < timedelta(seconds=RESEND_SECONDS):
        return False
    if record is None:
        return True
    return job.cancel_requested and finished_state(record.state) is None


async def _send_again(ports: GatewayPorts, job: Job, now: datetime) -> None:
    again = replace(job, attempt=job.attempt + 1)
    commands = [start_command(again)]
    if job.cancel_requested:
        commands.append(cancel_command(again))
    await ports.jobs.resend(again, commands, now=now)
    ports.outbox_wakeup.notify()
