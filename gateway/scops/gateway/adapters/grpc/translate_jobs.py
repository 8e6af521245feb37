"""Jobs between the API's messages and ours."""

from scops.api.v1alpha1 import job_service_pb2 as pb
from scops.common.contract.messages.crawl import JobCounts, PageOutcome
from scops.gateway.adapters.grpc.translate_times import timestamp
from scops.gateway.handlers.jobs import JobWithOutcomes
from scops.gateway.jobs.job import ApiJobState, Job
from scops.gateway.requests.names import job_name, page_name, scope_name

NUMBER_OF_STATE = {
    ApiJobState.QUEUED: pb.Job.STATE_QUEUED,
    ApiJobState.RUNNING: pb.Job.STATE_RUNNING,
    ApiJobState.COMPLETED: pb.Job.STATE_COMPLETED,
    ApiJobState.FAILED: pb.Job.STATE_FAILED,
    ApiJobState.CANCELLED: pb.Job.STATE_CANCELLED,
}


def job_message(job: Job) -> pb.Job:
    """Returns the message of a job."""
    return pb.Job(
        name=job_name(job.job_id),
        scope=scope_name(job.scope.scope_id),
        state=NUMBER_OF_STATE[job.state],
        counts=_counts(job.counts),
        create_time=timestamp(job.created_time),
        finish_time=timestamp(job.finished_time),
        urls=job.urls,
        page_limit=job.page_limit,
    )


def job_view_message(view: JobWithOutcomes) -> pb.GetJobResponse:
    """Returns the message of a job with its outcomes."""
    return pb.GetJobResponse(
        job=job_message(view.job),
        outcomes=[_outcome(outcome) for outcome in view.outcomes],
        outcomes_missing_reason=view.missing_reason,
    )


def _counts(counts: JobCounts) -> pb.JobCounts:
    return pb.JobCounts(
        open=counts.open,
        indexed=counts.indexed,
        unchanged=counts.unchanged,
        joined=counts.joined,
        gone=counts.gone,
        blocked=counts.blocked,
        dead=counts.dead,
        cancelled=counts.cancelled,
    )


def _outcome(outcome: PageOutcome) -> pb.PageOutcome:
    return pb.PageOutcome(
        page=page_name(outcome.page_id),
        uri=outcome.url,
        outcome=outcome.outcome,
        reason=outcome.reason,
        joined_uri=outcome.joined_url,
    )
