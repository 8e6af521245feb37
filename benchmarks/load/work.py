"""What the system has to do meanwhile: crawls of a site that changes, and pages for a person."""

import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from benchmarks.shared.command import progress
from benchmarks.shared.system.client import OPEN_STATES, UNANSWERED, Client
from benchmarks.shared.system.edits import edit_share
from benchmarks.shared.system.html_pages import SEED
from benchmarks.shared.system.origin import Origin
from scops.api.v1alpha1.job_service_pb2 import Job

FETCH_EVERY_SECONDS = 5.0
LOOK_SECONDS = 2.0
SETTLE_SECONDS_MAX = 1800.0


@dataclass(slots=True)
class Work:
    """Jobs that were accepted, in their order, and what became of them.

    Attributes:
        refused: those that were not accepted, or not within 20 s.
        settle_seconds: from the end of the load until the last job had ended.
    """

    jobs: list[str] = field(default_factory=list)
    refused: int = 0
    ended: int = 0
    failed: int = 0
    pages_indexed: int = 0
    settle_seconds: float = 0.0

    def start(self, client: Client, scope_id: str, *, urls: Sequence[str] = ()) -> str:
        """Starts a job and returns its name; none where it was not accepted."""
        try:
            name = client.start_crawl(scope_id, urls=urls)
        except UNANSWERED:
            self.refused += 1
            return ""
        self.jobs.append(name)
        return name

    @property
    def left(self) -> int:
        """Jobs that are not known to have ended."""
        return len(self.jobs) - self.ended

    def settle(self, client: Client) -> None:
        """Waits until every job has ended, or no longer."""
        started, left = time.monotonic(), list(self.jobs)
        self.ended = 0
        while left and self.settle_seconds < SETTLE_SECONDS_MAX:
            left = [name for name in left if not self._has_ended(client.job(name))]
            self.settle_seconds = time.monotonic() - started
            time.sleep(LOOK_SECONDS if left else 0.0)
        progress(f"{len(left)} jobs are left after {self.settle_seconds:.0f} s")

    def _has_ended(self, job: Job) -> bool:
        if job.state in OPEN_STATES:
            return False
        self.ended += 1
        self.failed += job.state != Job.STATE_COMPLETED
        self.pages_indexed += job.counts.indexed
        return True


@contextmanager
def working(address: str, scope_id: str, origin: Origin) -> Iterator[Work]:
    """Starts jobs while inside, and stops starting them at the end; yields them."""
    work, ended = Work(), threading.Event()
    threads = [
        threading.Thread(target=run, args=(address, scope_id, origin, work, ended))
        for run in (_crawl_again_and_again, _fetch_pages)
    ]
    for thread in threads:
        thread.start()
    try:
        yield work
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def _crawl_again_and_again(
    address: str, scope_id: str, origin: Origin, work: Work, ended: threading.Event
) -> None:
    chance = random.Random(SEED)
    with Client(address) as client:
        while not ended.wait(LOOK_SECONDS):
            edit_share(origin, 1.0, chance)
            name = work.start(client, scope_id)
            while name and not ended.wait(LOOK_SECONDS) and _is_open(client, name):
                continue


def _fetch_pages(
    address: str, scope_id: str, origin: Origin, work: Work, ended: threading.Event
) -> None:
    chance = random.Random(SEED)
    with Client(address) as client:
        while not ended.wait(FETCH_EVERY_SECONDS):
            work.start(client, scope_id, urls=[origin.url + chance.choice(origin.paths)])


def _is_open(client: Client, name: str) -> bool:
    """Says whether a job is at work; one of which nothing is told now still is."""
    try:
        return client.job(name).state in OPEN_STATES
    except UNANSWERED:
        return True
