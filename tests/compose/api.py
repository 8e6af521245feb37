"""Calls of the published API, as a program on the machine makes them: with a key."""

import time
from typing import Any

import grpc

from scops.api.v1alpha1 import job_service_pb2 as jobs
from scops.api.v1alpha1 import job_service_pb2_grpc as jobs_grpc
from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.api.v1alpha1 import scope_service_pb2_grpc as scopes_grpc
from scops.api.v1alpha1 import search_service_pb2 as search
from scops.api.v1alpha1 import search_service_pb2_grpc as search_grpc

ADDRESS = "127.0.0.1:7300"
CALL_SECONDS = 60.0
JOB_SECONDS = 600.0
RUNNING = (jobs.Job.STATE_QUEUED, jobs.Job.STATE_RUNNING)


class Api:
    """The API for whoever has a key; without one, for whoever has none."""

    def __init__(self, key: str = "") -> None:
        self._channel = grpc.insecure_channel(ADDRESS)
        self._metadata = (("authorization", f"Bearer {key}"),) if key else ()

    def crawl(self, scope_id: str, root: str, *, pages: int) -> Any:
        """Makes a scope below an address, and crawls it; returns the job once it ended."""
        scope = scopes.Scope(
            rules=[scopes.ScopeRule(kind=scopes.ScopeRule.KIND_PREFIX, pattern=root)],
            seeds=[root],
            page_limit=pages,
        )
        stub = scopes_grpc.ScopeServiceStub(self._channel)
        request = scopes.CreateScopeRequest(scope_id=scope_id, scope=scope)
        self._call(stub.CreateScope, request)
        started = jobs_grpc.JobServiceStub(self._channel)
        wanted = jobs.Job(scope=f"scopes/{scope_id}")
        job = self._call(started.CreateJob, jobs.CreateJobRequest(job=wanted)).job
        limit = time.monotonic() + JOB_SECONDS
        while job.state in RUNNING and time.monotonic() < limit:
            time.sleep(1.0)
            job = self._call(started.GetJob, jobs.GetJobRequest(name=job.name)).job
        return job

    def scopes(self) -> list[str]:
        """Returns the names of the scopes that the caller sees."""
        stub = scopes_grpc.ScopeServiceStub(self._channel)
        return [
            each.name for each in self._call(stub.ListScopes, scopes.ListScopesRequest()).scopes
        ]

    def answer(self, query: str, scope_id: str) -> Any:
        """Returns an answer from a scope."""
        stub = search_grpc.SearchServiceStub(self._channel)
        request = search.AnswerRequest(query=query, scopes=[f"scopes/{scope_id}"])
        return self._call(stub.Answer, request)

    def _call(self, method: Any, request: Any) -> Any:
        return method(request, timeout=CALL_SECONDS, metadata=self._metadata, wait_for_ready=True)
