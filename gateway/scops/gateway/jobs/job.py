"""A job as seen from outside: what was accepted, and what its ledger last said of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from scops.common.bus.ports import Outgoing
from scops.common.contract.ids import JobId, event_id
from scops.common.contract.messages import crawl
from scops.common.contract.messages.types import ScopeRef
from scops.common.contract.service_table import Lane, Role


class ApiJobState(StrEnum):
    """State of a job as callers see it."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED_STATES = (crawl.JobState.COMPLETED, crawl.JobState.FAILED, crawl.JobState.CANCELLED)
# Reasons of cancellations that no caller asks for.
BYTES_SPENT = "DAILY_QUOTA_REACHED"
SCOPE_DELETED = "SCOPE_DELETED"
NO_COUNTS = crawl.JobCounts()
OPEN_STATES = (ApiJobState.QUEUED, ApiJobState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """An accepted request to crawl.

    Attributes:
        owner: the principal that asked for it.
        urls: the pages to fetch now, without following links; empty crawls the scope.
        attempt: how often its commands were sent, from 1.
        cancel_reason: why it was to be cancelled, where no caller asked.
        sent_time: when they were last sent.
    """

    job_id: JobId
    organisation_id: str
    owner: str
    scope: ScopeRef
    urls: tuple[str, ...] = ()
    page_limit: int = 0
    state: ApiJobState = ApiJobState.QUEUED
    counts: crawl.JobCounts = NO_COUNTS
    created_time: datetime
    finished_time: datetime | None = None
    cancel_requested: bool = False
    cancel_reason: str = ""
    attempt: int = 1
    sent_time: datetime


def finished_state(state: crawl.JobState) -> ApiJobState | None:
    """Returns how the ledger says that a job ended, or None while it has not."""
    return ApiJobState(state.value) if state in ENDED_STATES else None


def start_command(job: Job) -> Outgoing:
    """Returns the command that starts a job: named pages on lane now, a crawl on bulk."""
    if job.urls:
        fetch = crawl.FetchPage(
            job_id=job.job_id, scope=job.scope, accepted_time=job.created_time, urls=job.urls
        )
        return _command(job, fetch, Lane.NOW, 0)
    message = crawl.CrawlScope(
        job_id=job.job_id,
        scope=job.scope,
        accepted_time=job.created_time,
        page_limit=job.page_limit,
    )
    return _command(job, message, Lane.BULK, 0)


def cancel_command(job: Job) -> Outgoing:
    """Returns the command that cancels a job; a person waits for it."""
    return _command(job, crawl.CancelJob(job_id=job.job_id), Lane.NOW, 1)


def _command(job: Job, message: object, lane: Lane, ordinal: int) -> Outgoing:
    # The cause of a command is the job's attempt: sent again after a loss, it is a new message.
    cause = f"{job.job_id}:{job.attempt}"
    return Outgoing(
        message=message,
        event_id=event_id(Role.GATEWAY, cause, ordinal),
        organisation_id=job.organisation_id,
        lane=lane,
    )
