"""Crawls, which go on as jobs."""

from collections.abc import Iterable
from functools import partial

from scops.client.calls import Call, Last, Listing, Plan, Streaming
from scops.client.codec import read
from scops.client.errors import DeadlineExceeded
from scops.client.methods.names import AnyJob, AnyScope, fresh_request_id, job_name, scope_name
from scops.client.values.jobs import Job, JobProgress

SERVICE = "JobService"


def crawl(scope: AnyScope, *, urls: Iterable[str] = (), page_limit: int = 0) -> Plan[Job]:
    """Starts a crawl of a scope, and returns its job at once.

    Args:
        urls: to fetch now, without following links; without any, the scope is crawled.
        page_limit: most pages to fetch; 0 is the scope's. Not for a job with urls.
    """
    job = {"scope": scope_name(scope), "urls": urls, "page_limit": page_limit}
    fields = {"job": job, "request_id": fresh_request_id()}
    return read(Job, (yield Call(SERVICE, "CreateJob", fields)).job)


def get_job(job: AnyJob) -> Plan[JobProgress]:
    """Reads a job, with the outcome of each page."""
    return read(JobProgress, (yield Call(SERVICE, "GetJob", {"name": job_name(job)})))


def watch_job(job: AnyJob) -> Streaming[JobProgress]:
    """Tells of a job whenever its state or counts change; the last time with each page's outcome.

    The first time is at once, as the job stands. A stream that breaks off is opened again.
    """
    call = Call(SERVICE, "WatchJob", {"name": job_name(job)}, is_harmless=True)
    return Streaming(call, partial(read, JobProgress), lasts=True)


def wait_job(job: AnyJob, *, seconds: float = 3600.0) -> Plan[JobProgress]:
    """Waits until a job has ended, whatever it ended with.

    Args:
        seconds: to wait; the job goes on after them.

    Raises:
        DeadlineExceeded: it has not ended by then.
    """
    try:
        found: JobProgress = yield Last(watch_job(job), seconds)
    except DeadlineExceeded as error:
        raise DeadlineExceeded(
            f"The job {job_name(job)} has not ended after {seconds:.0f} s; it goes on. Wait "
            "again, or cancel it.",
            reason="JOB_RUNNING",
        ) from error
    return found


def list_jobs(scope: AnyScope = "", *, page_size: int = 100) -> Listing[Job]:
    """Lists jobs, newest first, of one scope or of all."""
    name = scope_name(scope) if scope else ""
    return Listing(Call(SERVICE, "ListJobs", {"scope": name, "page_size": page_size}), "jobs", Job)


def cancel_job(job: AnyJob) -> Plan[Job]:
    """Cancels a job; its open pages end as cancelled."""
    call = Call(SERVICE, "CancelJob", {"name": job_name(job)}, is_harmless=True)
    return read(Job, (yield call).job)
