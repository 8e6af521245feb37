"""`scops job …`: accepted crawls."""

from typing import Annotated

import typer
from rich.markup import escape

from scops.api.v1alpha1 import job_service_pb2 as pb
from scops.standalone.terminal.client import open_gateway
from scops.standalone.terminal.output import Output, last_part, line, print_json, short_time

app = typer.Typer(help="Accepted crawls.", no_args_is_help=True)
MISSING = ("blocked", "dead")
MISSING_SHOWN = 5
COUNTS = ("open", "indexed", "unchanged", "joined", "gone", "blocked", "dead", "cancelled")
WHY = {
    "DAILY_QUOTA_REACHED": "today's bytes are used: scops quota",
    "SCOPE_DELETED": "its scope was deleted",
}
JOINED_WORDS = {
    "moved": "moved to",
    "same_content": "same content as",
    "redirected": "leads for now to",
}


@app.command()
def show(
    job: str,
    pages: Annotated[bool, typer.Option("--pages", help="List each page's outcome.")] = False,
) -> None:
    """Shows a job; with --pages the outcome of every page."""
    with open_gateway() as client:
        answer = client.call(client.jobs.GetJob, pb.GetJobRequest(name=f"jobs/{last_part(job)}"))
    if Output.is_json():
        print_json(answer)
        return
    line(_summary(answer.job))
    if pages or answer.job.counts.blocked or answer.job.counts.dead:
        _show_outcomes(answer, everything=pages)


@app.command("list")
def list_jobs() -> None:
    """Lists the newest jobs."""
    with open_gateway() as client:
        answer = client.call(client.jobs.ListJobs, pb.ListJobsRequest(page_size=50))
    if Output.is_json():
        print_json(answer)
        return
    for job in answer.jobs:
        line(f"[dim]{short_time(job.create_time)}[/dim] {_summary(job)}")


@app.command()
def cancel(job: str) -> None:
    """Cancels a job; what was fetched stays."""
    with open_gateway() as client:
        request = pb.CancelJobRequest(name=f"jobs/{last_part(job)}")
        show_job(client.call(client.jobs.CancelJob, request).job)


def show_job(job: pb.Job) -> None:
    """Prints a job."""
    if Output.is_json():
        print_json(job)
    else:
        line(_summary(job))


def show_missing(answer: pb.GetJobResponse | pb.WatchJobResponse) -> None:
    """Prints why pages of an ended job are missing, for the first of them."""
    missing = [row for row in answer.outcomes if row.outcome in MISSING]
    for row in missing[:MISSING_SHOWN]:
        _show_outcome(row)
    if len(missing) > MISSING_SHOWN:
        rest = len(missing) - MISSING_SHOWN
        line(f"  … and {rest} more: scops job show {last_part(answer.job.name)}")


def _summary(job: pb.Job) -> str:
    return (
        f"job {last_part(job.name)} of scope {last_part(job.scope)}: "
        f"[bold]{_state(job)}[/bold]{_took(job)}, {_counts(job.counts)}{_why(job)}"
    )


def _show_outcomes(answer: pb.GetJobResponse, *, everything: bool) -> None:
    for row in answer.outcomes:
        if everything or row.outcome in MISSING:
            _show_outcome(row)
    if answer.outcomes_missing_reason:
        line(f"[yellow]{escape(answer.outcomes_missing_reason)}[/yellow]")


def _show_outcome(row: pb.PageOutcome) -> None:
    reason = joined_text(row.reason, row.joined_uri) or escape(row.reason)
    line(f"  [bold]{row.outcome:<9}[/bold] {escape(row.uri)}{f': {reason}' if reason else ''}")


def joined_text(reason: str, uri: str) -> str:
    """Returns why a page was joined and to which, empty where it was not."""
    return f"{JOINED_WORDS.get(reason, 'is now')} {escape(uri)}" if uri else ""


def _state(job: pb.Job) -> str:
    return pb.Job.State.Name(job.state).removeprefix("STATE_").lower()


def _why(job: pb.Job) -> str:
    return f" ({WHY.get(job.cancel_reason, job.cancel_reason)})" if job.cancel_reason else ""


def _took(job: pb.Job) -> str:
    if not job.HasField("finish_time"):
        return ""
    took = job.finish_time.ToDatetime() - job.create_time.ToDatetime()
    return f" in {took.total_seconds():.1f} s"


def _counts(counts: pb.JobCounts) -> str:
    present = ((name, getattr(counts, name)) for name in COUNTS)
    return ", ".join(f"{number} {name}" for name, number in present if number) or "no pages yet"
