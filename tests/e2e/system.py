"""`scops up` as a process group with a data folder of its own, and its public API as functions."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import grpc
import psutil
from google.protobuf.timestamp_pb2 import Timestamp

from scops.api.v1alpha1 import (
    job_service_pb2,
    job_service_pb2_grpc,
    page_service_pb2,
    page_service_pb2_grpc,
    scope_service_pb2,
    scope_service_pb2_grpc,
    search_service_pb2,
    search_service_pb2_grpc,
)
from scops.api.v1alpha1.job_service_pb2 import Job
from scops.common.archive.opening import open_archive
from scops.common.contract.messages.types import BodyRef
from tests.e2e import index_files
from tests.fakes.servers.machine import free_port

Response = TypeVar("Response")
READY_SECONDS = 120.0
STOP_SECONDS = 60.0
CALL_SECONDS = 45.0
COMMAND_SECONDS = 120.0
CRAWL_SECONDS = 300.0
POLL_SECONDS = 0.1
PATIENCE = 100
PATIENT_CALL_SECONDS = 15.0
# gRPC's server answers CANCELLED to a call that arrives in the moment in which it ends.
AGAIN = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
)
ENDED = (Job.STATE_COMPLETED, Job.STATE_FAILED, Job.STATE_CANCELLED)


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed for programs."""
        return json.loads(self.out)


class System:
    """A running system, or one that can be started on its folder again.

    Args:
        folder: its data; kept when it stops.
        python: of the environment that holds Scops; ours where it is not named.
        settings: further `SCOPS_*` variables.
    """

    def __init__(self, folder: Path, *, python: Path | str = "", **settings: str) -> None:
        self._python = python
        self.data = folder / "data"
        self.organisation_id = "main"
        self.log = folder / "up.log"
        self.ready_seconds = READY_SECONDS
        self.address = f"127.0.0.1:{free_port()}"
        self.health_url = f"http://127.0.0.1:{free_port()}"
        folder.mkdir(parents=True, exist_ok=True)
        self.environment = {
            **clean_environment(),
            "SCOPS_DATA_DIR": str(self.data),
            "SCOPS_GATEWAY_PORT": self.address.rpartition(":")[2],
            "SCOPS_COMMAND_ADDRESS": self.address,
            "SCOPS_HEALTH_PORT": self.health_url.rpartition(":")[2],
            "SCOPS_FETCHER_ALLOWED_PRIVATE": "127.0.0.0/8:*",
            "SCOPS_FETCHER_DELAYS": "127.0.0.0/8=0.02",
            "SCOPS_LOG_LEVEL": "warning",
            "SCOPS_LOG_FORMAT": "json",
            **settings,
        }
        self._children: list[subprocess.Popen[bytes]] = []
        self._channel: grpc.Channel | None = None

    @property
    def http_url(self) -> str:
        """Where the HTTP API is served: on the port after that of gRPC."""
        host, _, port = self.address.rpartition(":")
        return f"http://{host}:{int(port) + 1}"

    def __enter__(self) -> "System":
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> "System":
        """Starts `scops up` and waits until it is ready."""
        self.spawn("up")
        try:
            self.wait_ready()
        except AssertionError:
            self.kill()
            raise
        return self

    def spawn(
        self, *words: str, python: Path | str = "", **settings: str
    ) -> "subprocess.Popen[bytes]":
        """Starts a command that runs until it is stopped, in a process group of its own.

        Args:
            python: of another environment than the system's.
        """
        with self.log.open("ab") as log:
            child = subprocess.Popen(
                command(*words, python=python or self._python),
                env={**self.environment, **settings},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._children.append(child)
        return child

    def wait_ready(self, health_url: str = "") -> None:
        """Waits until the system says that it is ready."""
        limit = time.monotonic() + self.ready_seconds
        url = f"{health_url or self.health_url}/readyz"
        while not _answers(url):
            ended = [child.returncode for child in self._children if child.poll() is not None]
            assert not ended, f"it ended with {ended}:\n{self.log.read_text()[-4000:]}"
            assert time.monotonic() < limit, f"not ready:\n{self.log.read_text()[-4000:]}"
            time.sleep(POLL_SECONDS)

    def problems(self, health_url: str = "") -> dict[str, str]:
        """Returns what keeps it from being ready; as long as nobody answers, that."""
        try:
            with urllib.request.urlopen(f"{health_url or self.health_url}/readyz", timeout=5):
                return {}
        except urllib.error.HTTPError as error:
            return dict(json.loads(error.read())["problems"])
        except (urllib.error.URLError, OSError) as error:
            return {"health": repr(error)}

    def is_alive(self, health_url: str = "") -> bool:
        """Returns whether a restart would not help."""
        return _answers(f"{health_url or self.health_url}/livez")

    def stop(self) -> list[int]:
        """Stops everything that was started as Ctrl-C would; returns the exit codes."""
        self._close_channel()
        for child in self._children:
            if child.poll() is None:
                child.send_signal(signal.SIGINT)
        codes = [_wait(child) for child in self._children]
        self._children.clear()
        return codes

    def kill(self) -> None:
        """Ends everything at once, as `kill -9` and a power cut do."""
        self._close_channel()
        for child in self._children:
            # It may have ended by itself, which is what the test is about to be told.
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait(STOP_SECONDS)
        self._children.clear()

    def process_ids(self) -> list[int]:
        """Returns the processes of everything that was started, children included."""
        started = [child.pid for child in self._children if child.poll() is None]
        with contextlib.suppress(psutil.Error):
            below = [one.pid for pid in started for one in psutil.Process(pid).children(True)]
            return started + below
        return started

    def run(self, *words: str, python: Path | str = "", **settings: str) -> Ended:
        """Runs a `scops` command to its end; `python` as of `spawn`."""
        environment = {**self.environment, **settings}
        return run_command(*words, environment=environment, python=python or self._python)

    def metric(self, name: str, **labels: str) -> float:
        """Returns a metric of the running system, summed over the labels that are not named."""
        return metric_of(self.health_url, name, **labels)

    def heads(self) -> list[index_files.Head]:
        """Returns every head: URL, closed, manifest, version."""
        return index_files.heads(self.data)

    def chunk_objects(self) -> list[tuple[str, str]]:
        """Returns every live object of the store with its chunk."""
        return index_files.chunk_objects(self.data)

    def chunks_by_url(self) -> list[index_files.Chunk]:
        """Returns every chunk that a head lists, as URL, header and text."""
        return index_files.chunks_by_url(self.data)

    def create_scope(
        self,
        scope_id: str,
        *,
        seeds: Sequence[str] = (),
        include: Sequence[str] = (),
        sitemaps: Sequence[str] = (),
        page_limit: int = 0,
    ) -> None:
        """Creates a scope of prefixes; without any, of the hosts of its seeds."""
        prefixes = include or list(dict.fromkeys(seed.split("/")[2] for seed in seeds))
        prefix = scope_service_pb2.ScopeRule.KIND_PREFIX
        scope = scope_service_pb2.Scope(
            rules=[scope_service_pb2.ScopeRule(kind=prefix, pattern=text) for text in prefixes],
            seeds=seeds,
            sitemaps=sitemaps,
            page_limit=page_limit,
        )
        stub = scope_service_pb2_grpc.ScopeServiceStub(self.channel)
        call(
            stub.CreateScope,
            scope_service_pb2.CreateScopeRequest(scope_id=scope_id, scope=scope),
        )

    def start_crawl(self, scope_id: str, *, urls: Sequence[str] = ()) -> str:
        """Starts a job and returns its name."""
        job = Job(scope=f"scopes/{scope_id}", urls=urls)
        request = job_service_pb2.CreateJobRequest(job=job, request_id=str(uuid.uuid4()))
        return str(call_patiently(lambda: self._jobs.CreateJob, request).job.name)

    def job(self, name: str) -> job_service_pb2.GetJobResponse:
        """Returns a job with the outcome of each page."""
        request = job_service_pb2.GetJobRequest(name=name)
        return call_patiently(lambda: self._jobs.GetJob, request)

    def wait_job(self, name: str, *, seconds: float = CRAWL_SECONDS) -> Job:
        """Waits until a job has ended."""
        self.until(lambda: self.job(name).job.state in ENDED, seconds=seconds)
        return self.job(name).job

    def until(self, condition: Callable[[], bool], *, seconds: float = CRAWL_SECONDS) -> None:
        """Waits until a condition holds."""
        limit = time.monotonic() + seconds
        while not condition():
            said = self.log.read_text()[-4000:]
            assert time.monotonic() < limit, f"not within {seconds:.0f} s; the system said:\n{said}"
            time.sleep(POLL_SECONDS)

    def crawl(self, scope_id: str, *, urls: Sequence[str] = ()) -> Job:
        """Crawls a scope, or some pages of it, to the end."""
        return self.wait_job(self.start_crawl(scope_id, urls=urls))

    def outcomes(self, job: Job) -> dict[str, tuple[str, str]]:
        """Returns outcome and reason of each page of a job, by URL, once its fetcher tells them."""
        told: list[job_service_pb2.GetJobResponse] = []

        def are_told() -> bool:
            told.append(self.job(job.name))
            return not told[-1].outcomes_missing_reason

        self.until(are_told)
        return {row.uri: (row.outcome, row.reason) for row in told[-1].outcomes}

    def ask(
        self, query: str, scope_id: str, *, as_of: datetime | None = None, explain: bool = False
    ) -> search_service_pb2.AnswerResponse:
        """Asks a question."""
        request = search_service_pb2.AnswerRequest(
            query=query, scopes=[f"scopes/{scope_id}"], as_of_time=_stamp(as_of), explain=explain
        )
        return call(search_service_pb2_grpc.SearchServiceStub(self.channel).Answer, request)

    def search(self, query: str, scope_id: str) -> search_service_pb2.SearchResponse:
        """Ranks passages."""
        request = search_service_pb2.SearchRequest(query=query, scopes=[f"scopes/{scope_id}"])
        return call(search_service_pb2_grpc.SearchServiceStub(self.channel).Search, request)

    def page(self, url: str) -> page_service_pb2.Page:
        """Returns what is known of a page."""
        return call(self._pages.GetPage, page_service_pb2.GetPageRequest(uri=url)).page

    def wait_fetched(self, url: str) -> page_service_pb2.Page:
        """Waits until a page, which nobody may know yet, is fetched."""

        def is_fetched() -> bool:
            try:
                return self.page(url).status == "fetched"
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.NOT_FOUND:
                    raise
                return False

        self.until(is_fetched)
        return self.page(url)

    def history(self, url: str) -> page_service_pb2.ListPageVersionsResponse:
        """Returns the versions of a page, newest first."""
        name = self.page(url).name
        request = page_service_pb2.ListPageVersionsRequest(name=name, page_size=100)
        return call(self._pages.ListPageVersions, request)

    def archived_text(self, text_digest: str) -> str:
        """Returns a clean text from the archive, checked against its digest."""
        archive = open_archive(f"file://{self.data}/archive", self.organisation_id)
        try:
            return asyncio.run(archive.get(BodyRef(digest=text_digest))).decode()
        finally:
            archive.close()

    @property
    def channel(self) -> grpc.Channel:
        """The connection to the gateway, for stubs."""
        if self._channel is None:
            self._channel = grpc.insecure_channel(self.address)
        return self._channel

    @property
    def _jobs(self) -> job_service_pb2_grpc.JobServiceStub:
        return job_service_pb2_grpc.JobServiceStub(self.channel)

    @property
    def _pages(self) -> page_service_pb2_grpc.PageServiceStub:
        return page_service_pb2_grpc.PageServiceStub(self.channel)

    def _close_channel(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None


def metric_of(health_url: str, name: str, **labels: str) -> float:
    """Returns a metric of a process, summed over the labels that are not named."""
    with urllib.request.urlopen(f"{health_url}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    wanted = [f'{key}="{value}"' for key, value in labels.items()]
    return sum(
        float(line.rpartition(" ")[2])
        for line in lines
        if line.startswith((f"{name} ", f"{name}{{")) and all(one in line for one in wanted)
    )


def call(
    method: Callable[..., Response], request: Any, *, seconds: float = CALL_SECONDS
) -> Response:
    """Calls a method of a stub."""
    return method(request, timeout=seconds, wait_for_ready=True)


def call_patiently(method: Callable[[], Callable[..., Response]], request: Any) -> Response:
    """Calls a method that may be called again (AIP-194).

    Its gateway may be killed meanwhile, or the role that the gateway asks: then nobody answers.
    """
    for _ in range(PATIENCE):
        try:
            return call(method(), request, seconds=PATIENT_CALL_SECONDS)
        except grpc.RpcError as error:
            if error.code() not in AGAIN:
                raise
            time.sleep(POLL_SECONDS)
    return call(method(), request)


def command(*words: str, python: Path | str = "") -> list[str]:
    """Returns the command line of `scops`."""
    return [str(python or sys.executable), "-m", "scops.standalone", *words]


def run_command(*words: str, environment: dict[str, str], python: Path | str = "") -> Ended:
    """Runs a `scops` command to its end, as a script would: its output is no terminal."""
    done = subprocess.run(
        command(*words, python=python),
        env=environment,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def clean_environment() -> dict[str, str]:
    """Returns our environment without settings of Scops, but for the cache of the model."""
    kept = "SCOPS_CACHE_DIR"
    return {
        name: value
        for name, value in os.environ.items()
        if name == kept or not name.startswith("SCOPS_")
    }


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _wait(child: "subprocess.Popen[bytes]") -> int:
    try:
        return child.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        raise


def _stamp(instant: datetime | None) -> Timestamp | None:
    if instant is None:
        return None
    stamp = Timestamp()
    stamp.FromDatetime(instant)
    return stamp
