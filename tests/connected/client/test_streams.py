"""Streams of the Python client against the real gRPC server."""

import asyncio
from pathlib import Path

import pytest

from scops.client import AsyncScops, JobState, NotFound, Scops
from scops.common.contract.messages.crawl import JobCounts, JobStatusRequest, JobStatusResponse
from scops.common.query.ports import JOB_STATUS
from scops.gateway.jobs.job import ApiJobState
from tests.connected.gateway.explained import explained

pytestmark = pytest.mark.usefixtures("nobody_is_logged_in")


@pytest.fixture
def nobody_is_logged_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))
    monkeypatch.delenv("SCOPS_TOKEN", raising=False)


async def no_jobs(request: JobStatusRequest) -> JobStatusResponse:
    """A ledger that knows no job yet."""
    return JobStatusResponse()


async def test_an_answer_comes_part_by_part(tmp_path: Path) -> None:
    """In an event loop: its sources before it is put together, and last as `answer` returns it."""
    async with (
        explained(tmp_path) as (served, explainer),
        AsyncScops(served.gateway.address) as client,
    ):
        parts = client.answer_stream("how often", "docs")
        first = await anext(parts)
        await explainer.answering.wait()
        explainer.may_answer.set()
        rest = [part async for part in parts]
        whole = await client.answer("how often", "docs")

    assert first.sources is not None
    assert ["https://docs.example.org/"] == [one.uri for one in first.sources.passages]
    told = [part.statement.statement for part in rest if part.statement is not None]
    assert whole.statements == tuple(told)
    assert whole == rest[-1].answer


async def test_an_answer_comes_part_by_part_to_a_thread(tmp_path: Path) -> None:
    """The same, without an event loop."""
    async with explained(tmp_path) as (served, explainer):
        explainer.may_answer.set()

        def ask() -> list[str]:
            with Scops(served.gateway.address) as client:
                parts = list(client.answer_stream("how often", "docs"))
                with pytest.raises(NotFound):
                    list(client.answer_stream("how often", "nowhere"))
            return [
                name
                for part in parts
                for name in ("sources", "statement", "answer")
                if getattr(part, name) is not None
            ]

        told = await asyncio.to_thread(ask)

    assert ["sources", "statement", "statement", "answer"] == told


async def test_a_job_is_watched_until_it_ends(tmp_path: Path) -> None:
    """And waited for by the same stream."""
    async with explained(tmp_path) as (served, _), AsyncScops(served.gateway.address) as client:
        served.answer(JOB_STATUS, no_jobs)
        job = await client.crawl("docs")
        store, now = served.gateway.ports.jobs, served.gateway.ports.clock.now()
        seen = []
        async for progress in client.watch_job(job):
            seen.append(progress.job.state)
            if progress.job.state is JobState.QUEUED:
                job_id = job.name.removeprefix("jobs/")
                await store.finish(job_id, ApiJobState.FAILED, JobCounts(dead=1), at=now)
        ended = await client.wait_job(job)

    assert [JobState.QUEUED, JobState.FAILED] == seen
    assert (JobState.FAILED, 1) == (ended.job.state, ended.job.counts.dead)
