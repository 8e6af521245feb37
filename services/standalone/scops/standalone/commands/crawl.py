"""`scops crawl`: starts a job, and follows it when asked to."""

import uuid
from typing import Annotated

import typer

from scops.api.v1alpha1 import job_service_pb2 as pb
from scops.client.calls import Call, Streaming
from scops.client.errors import DeadlineExceeded
from scops.standalone.commands.job import show_job, show_missing
from scops.standalone.terminal.client import GatewayClient, open_gateway
from scops.standalone.terminal.exits import CommandError, Exit
from scops.standalone.terminal.output import Output, diagnostics


def crawl(
    scope: Annotated[str, typer.Argument(help="The scope to crawl.")],
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the job has ended.")] = False,
    url: Annotated[
        list[str] | None, typer.Option(help="Fetch only this page, now; may be repeated.")
    ] = None,
    page_limit: Annotated[int, typer.Option(help="Most pages to fetch; 0: the scope's.")] = 0,
    timeout_seconds: Annotated[
        float, typer.Option(help="With --wait: give up waiting after this; the job goes on.")
    ] = 3600.0,
) -> None:
    """Crawls a scope politely: its seeds, sitemaps and the links inside its rules."""
    wanted = pb.Job(scope=f"scopes/{scope}", urls=url or [], page_limit=page_limit)
    with open_gateway() as client:
        request = pb.CreateJobRequest(job=wanted, request_id=str(uuid.uuid4()))
        job = client.call(client.jobs.CreateJob, request).job
        if not wait:
            show_job(job)
            return
        answer = follow(client, job, timeout_seconds=timeout_seconds)
    show_job(answer.job)
    if not Output.is_json():
        show_missing(answer)
    if answer.job.state != pb.Job.STATE_COMPLETED:
        raise typer.Exit(Exit.JOB_NOT_COMPLETED)


def follow(client: GatewayClient, job: pb.Job, *, timeout_seconds: float) -> pb.WatchJobResponse:
    """Watches a job until it has ended, with a progress bar on stderr.

    Raises:
        CommandError: it did not end in time.
    """
    # Only a job that is waited for needs them.
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (TextColumn("crawling"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    # A bar in a file or pipe would only be an empty line.
    hidden = not diagnostics.is_terminal
    answer = pb.WatchJobResponse(job=job)
    streaming: Streaming[pb.WatchJobResponse] = Streaming(
        Call("JobService", "WatchJob"), lambda message: message, lasts=True
    )
    request = pb.WatchJobRequest(name=job.name)
    with Progress(*columns, console=diagnostics, transient=True, disable=hidden) as progress:
        bar = progress.add_task("crawl", total=None)
        try:
            for answer in client.parts(streaming, request, seconds=timeout_seconds):
                done, left = _closed(answer.job.counts), answer.job.counts.open
                progress.update(bar, completed=done, total=done + left or None)
        except DeadlineExceeded as error:
            raise CommandError(
                f"The job {job.name} has not ended after {timeout_seconds:.0f} s; it goes "
                f"on. Follow it with `scops job show {job.name.split('/')[-1]}`.",
                code=Exit.JOB_NOT_COMPLETED,
                reason="JOB_RUNNING",
            ) from error
    return answer


def _closed(counts: pb.JobCounts) -> int:
    ended = (counts.indexed, counts.unchanged, counts.joined, counts.gone, counts.blocked)
    return sum(ended) + counts.dead + counts.cancelled
