"""Jobs as rows and back."""

import dataclasses
from typing import Any

from sqlalchemy import Row

from scops.common.contract.ids import JobId, ScopeId
from scops.common.contract.messages.crawl import JobCounts
from scops.common.contract.messages.types import ScopeRef
from scops.gateway.jobs.job import ApiJobState, Job

COUNT_NAMES = tuple(field.name for field in dataclasses.fields(JobCounts))


def job_of_row(row: Row[Any]) -> Job:
    """Returns the job of a row."""
    return Job(
        job_id=JobId(row.job_id),
        organisation_id=row.organisation_id,
        owner=row.owner,
        scope=ScopeRef(scope_id=ScopeId(row.scope_id), revision=row.scope_revision),
        urls=tuple(row.urls),
        page_limit=row.page_limit,
        state=ApiJobState(row.state),
        counts=JobCounts(**{name: row._mapping[name] for name in COUNT_NAMES}),
        created_time=row.created_at,
        finished_time=row.finished_at,
        cancel_requested=row.cancel_requested,
        attempt=row.attempt,
        sent_time=row.sent_at,
    )


def new_row(job: Job) -> dict[str, Any]:
    """Returns the row of a job that was just accepted."""
    return {
        "job_id": job.job_id,
        "organisation_id": job.organisation_id,
        "scope_id": job.scope.scope_id,
        "scope_revision": job.scope.revision,
        "owner": job.owner,
        "urls": list(job.urls),
        "page_limit": job.page_limit,
        "state": job.state.value,
        **count_values(job.counts),
        "counted_at": job.created_time,
        "created_at": job.created_time,
        "finished_at": job.finished_time,
        "cancel_requested": job.cancel_requested,
        "attempt": job.attempt,
        "sent_at": job.sent_time,
    }


def count_values(counts: JobCounts) -> dict[str, int]:
    """Returns the columns of a job's counts."""
    return {name: getattr(counts, name) for name in COUNT_NAMES}
