"""`scops job …`: accepted crawls."""

from typing import Annotated

import typer
from rich.table import Table

from scops.api.v1alpha1 import job_service_pb2 as pb
from scops.standalone.client import GatewayClient
from scops.standalone.output import Output, console, last_part, print_json, short_time
from scops.standalone.settings import CommandSettings

app = typer.Typer(help="Accepted crawls.", no_args_is_help=True)
ENDED = (pb.Job.STATE_COMPLETED, pb.Job.STATE_FAILED, pb.Job.STATE_CANCELLED)
COUNTS = ("open", "indexed", "unchanged", "gone", "blocked", "dead", "cancelled")


@app.command()
def show(
    job: str,
    pages: Annotated[bool, typer.Option("--pages", help="List each page's outcome.")] = False,
) -> None:
    """Shows a job; with --pages the outcome of every page."""
    with GatewayClient(CommandSettings()) as client:
        answer = client.call(client.jobs.GetJob, pb.GetJobRequest(name=f"jobs/{last_part(job)}"))
    if Output.is_json():
        print_json(answer)
        return
    show_job(answer.job)
    if pages or answer.job.counts.blocked or answer.job.counts.dead:
        _show_outcomes(answer, everything=pages)


@app.command("list")
def list_jobs() -> None:
    """Lists the newest jobs."""
    with GatewayClient(CommandSettings()) as client:
        answer = client.call(client.jobs.ListJobs, pb.ListJobsRequest(page_size=50))
    if Output.is_json():
        print_json(answer)
        return
    table = Table("job", "scope", "state", "pages", "started")
    for job in answer.jobs:
        table.add_row(
            last_part(job.name),
            last_part(job.scope),
            _state(job),
            _counts(job.counts),
            short_time(job.create_time),
        )
    console.print(table)


@app.command()
def cancel(job: str) -> None:
    """Cancels a job; what was fetched stays."""
    with GatewayClient(CommandSettings()) as client:
        request = pb.CancelJobRequest(name=f"jobs/{last_part(job)}")
        show_job(client.call(client.jobs.CancelJob, request).job)


def show_job(job: pb.Job) -> None:
    """Prints a job."""
    if Output.is_json():
        print_json(job)
        return
    console.print(
        f"job {last_part(job.name)}  scope {last_part(job.scope)}  [bold]{_state(job)}[/bold]  "
        f"{_counts(job.counts)}",
        highlight=False,
    )


def _show_outcomes(answer: pb.GetJobResponse, *, everything: bool) -> None:
    table = Table("outcome", "page", "reason")
    for row in answer.outcomes:
        if everything or row.outcome in ("blocked", "dead"):
            table.add_row(row.outcome, row.uri, row.reason)
    console.print(table)


def _state(job: pb.Job) -> str:
    return pb.Job.State.Name(job.state).removeprefix("STATE_").lower()


def _counts(counts: pb.JobCounts) -> str:
    present = ((name, getattr(counts, name)) for name in COUNTS)
    return ", ".join(f"{number} {name}" for name, number in present if number) or "no pages yet"
