"""What a benchmark asks of a running system, through its public API."""

import time
import uuid
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, TypeVar, cast

import grpc

from benchmarks.shared.system.html_pages import PREFIX
from benchmarks.shared.system.origin import SITEMAP, Origin
from scops.api.v1alpha1 import (
    job_service_pb2,
    job_service_pb2_grpc,
    scope_service_pb2,
    scope_service_pb2_grpc,
    search_service_pb2,
    search_service_pb2_grpc,
)

Response = TypeVar("Response")
CALL_SECONDS = 20.0
CRAWL_SECONDS_MAX = 1800.0
# Polls cost CPU that is counted; how long a crawl took is known to two hundredths all the same.
POLL_SECONDS_MIN = 0.1
POLL_SHARE = 0.02
JOBS_LISTED = 20
# What a call raises that nothing is known after.
UNANSWERED = (TimeoutError, grpc.RpcError)
OPEN_STATES = (job_service_pb2.Job.STATE_QUEUED, job_service_pb2.Job.STATE_RUNNING)


class Client:
    """The services that benchmarks need, over one channel."""

    def __init__(self, address: str) -> None:
        self._channel = grpc.insecure_channel(address)
        self._scopes = scope_service_pb2_grpc.ScopeServiceStub(self._channel)
        self._jobs = job_service_pb2_grpc.JobServiceStub(self._channel)
        self._search = search_service_pb2_grpc.SearchServiceStub(self._channel)

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._channel.close()

    def create_scope(self, scope_id: str, origin: Origin, *, prefix: str = PREFIX) -> None:
        """Makes a scope of the pages of an origin, found by links and by its sitemap."""
        pattern = (origin.url + prefix).removeprefix("http://").rstrip("/")
        first = next(path for path in origin.paths if path.startswith(prefix))
        self.create_prefix_scope(
            scope_id, pattern, seed=origin.url + first, sitemaps=[origin.url + SITEMAP]
        )

    def create_prefix_scope(
        self, scope_id: str, prefix: str, *, seed: str = "", sitemaps: Sequence[str] = ()
    ) -> None:
        """Makes a scope of the pages under a prefix; without a seed it is never crawled."""
        rule = scope_service_pb2.ScopeRule(
            kind=scope_service_pb2.ScopeRule.KIND_PREFIX, pattern=prefix
        )
        scope = scope_service_pb2.Scope(
            display_name=scope_id,
            rules=[rule],
            seeds=[seed or f"https://{prefix}/"],
            sitemaps=sitemaps,
        )
        request = scope_service_pb2.CreateScopeRequest(scope_id=scope_id, scope=scope)
        _call(self._scopes.CreateScope, request)

    def search(
        self, scope_id: str, query: str, limit: int, *, recipe: str = "hybrid"
    ) -> Sequence[Any]:
        """Returns the passages of a search."""
        request = search_service_pb2.SearchRequest(
            query=query, scopes=[f"scopes/{scope_id}"], page_size=limit, recipe=recipe
        )
        return _call(self._search.Search, request).passages

    def start_crawl(self, scope_id: str, *, urls: Sequence[str] = ()) -> str:
        """Starts a crawl, or a fetch of some pages on the lane `now`; returns the job's name."""
        job = job_service_pb2.Job(scope=f"scopes/{scope_id}", urls=urls)
        request = job_service_pb2.CreateJobRequest(job=job, request_id=str(uuid.uuid4()))
        return str(_call(self._jobs.CreateJob, request).job.name)

    def wait(self, scope_id: str, name: str) -> job_service_pb2.JobCounts:
        """Waits for the end of a job and returns its counts.

        It reads the list of jobs: reading one job collects the outcome of every page, which
        would cost CPU that no user needs to spend.

        Raises:
            SystemExit: the job failed or did not end in time.
        """
        started = time.monotonic()
        request = job_service_pb2.ListJobsRequest(scope=f"scopes/{scope_id}", page_size=JOBS_LISTED)
        while (waited := time.monotonic() - started) < CRAWL_SECONDS_MAX:
            listed = _call(self._jobs.ListJobs, request).jobs
            job = next(item for item in listed if item.name == name)
            if job.state not in OPEN_STATES:
                break
            time.sleep(max(POLL_SECONDS_MIN, POLL_SHARE * waited))
        if job.state != job_service_pb2.Job.STATE_COMPLETED:
            raise SystemExit(f"benchmarks: {name} did not complete: {job}")
        return job.counts

    def job(self, name: str) -> job_service_pb2.Job:
        """Returns a job as it stands."""
        return _call(self._jobs.GetJob, job_service_pb2.GetJobRequest(name=name)).job

    def failures(self, name: str) -> list[str]:
        """Returns the pages of a job that cannot be found now, with the reason."""
        request = job_service_pb2.GetJobRequest(name=name)
        return [
            f"{page.uri}: {page.outcome} {page.reason}"
            for page in _call(self._jobs.GetJob, request).outcomes
            if page.outcome not in ("indexed", "unchanged", "joined")
        ]

    def answer(
        self,
        scope_id: str,
        query: str,
        *,
        checked: bool = False,
        recipe: str = "",
        worded: bool = False,
    ) -> search_service_pb2.AnswerResponse:
        """Asks for quotes.

        Args:
            checked: the cited pages are checked before the answer goes out.
            recipe: empty takes the default.
            worded: the configured model words the answer.
        """
        asked = search_service_pb2.AnswerRequest
        request = asked(
            query=query,
            scopes=[f"scopes/{scope_id}"],
            mode=asked.MODE_MODEL if worded else asked.MODE_EXTRACTIVE,
            recipe=recipe,
        )
        if checked:
            request.revalidate = asked.REVALIDATE_ALWAYS
        return _call(self._search.Answer, request)

    def resolve(
        self, citations: Sequence[search_service_pb2.Citation]
    ) -> list[search_service_pb2.ResolvedCitation]:
        """Looks stored citations up again."""
        request = search_service_pb2.ResolveCitationsRequest(citations=citations)
        return list(_call(self._search.ResolveCitations, request).citations)


def _call(method: Callable[..., Response], request: Any) -> Response:
    """Returns the answer to a call.

    Raises:
        TimeoutError: it took longer than `CALL_SECONDS`.
    """
    try:
        return method(request, timeout=CALL_SECONDS, wait_for_ready=True)
    except grpc.RpcError as error:
        # What a stub raises is a call too, which its types do not say.
        if cast(grpc.Call, error).code() is grpc.StatusCode.DEADLINE_EXCEEDED:
            raise TimeoutError(f"No answer within {CALL_SECONDS:.0f} s.") from error
        raise
