"""A site that means harm: each of its pages ends, and takes no more than it may."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import psutil
import pytest

from scops.api.v1alpha1.job_service_pb2 import Job
from tests.e2e.system import System
from tests.fakes.servers.honest_site import honest_site
from tests.fakes.servers.hostile_site import hostile_paths, hostile_site, second_edition
from tests.fakes.servers.origin import running

MIB = 1024 * 1024
QUESTIONS = 8
# The system with its models and parsing processes; what pages may add is bounded.
MEMORY_BYTES_MAX = 1_100 * MIB
HOSTILE_SECONDS_MAX = 400.0
# Paragraphs and links by thousands; by ten thousands most of the time goes into embedding them.
PLAIN = 20_000
# The pages of the site, and some of the thousands of addresses that nothing answers at.
PAGE_LIMIT = 120
# Two editions of the hostile site take minutes each; each wait within has its own bound.
pytestmark = [pytest.mark.long, pytest.mark.timeout(1_200)]


@dataclass
class Crawled:
    """What became of two editions of the hostile site, and of the honest one after them."""

    first: Job
    again: Job
    outcomes: dict[str, tuple[str, str]]
    right: int
    memory_bytes_max: int
    log: str


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    with (
        running(hostile_site("127.0.0.3", PLAIN)) as hostile,
        running(honest_site(0)) as honest,
        System(tmp_path_factory.mktemp("hostile")) as system,
        Memory(system) as memory,
    ):
        system.create_scope("hostile", seeds=[f"{hostile.url}/"], page_limit=PAGE_LIMIT)
        system.create_scope("honest", seeds=[f"{honest.url}/"])
        job = system.start_crawl("hostile")
        system.crawl("honest")
        first = system.wait_job(job, seconds=HOSTILE_SECONDS_MAX)
        outcomes = system.outcomes(first)
        second_edition(hostile, PLAIN)
        again = system.wait_job(system.start_crawl("hostile"), seconds=HOSTILE_SECONDS_MAX)
        right = sum(asked(system, number) for number in range(QUESTIONS))
        log = system.log.read_text()
        yield Crawled(first, again, outcomes, right, memory.bytes_max, log)


def test_every_hostile_page_ends_with_one_outcome(crawled: Crawled) -> None:
    """Also in the second edition, each of whose texts is compared with the first."""
    assert Job.STATE_COMPLETED == crawled.first.state
    assert Job.STATE_COMPLETED == crawled.again.state
    assert 0 == crawled.first.counts.open + crawled.again.counts.open
    ended = {url.split("/", 3)[3] for url in crawled.outcomes}
    missing = {path[1:] for path in hostile_paths()[:-1]} - ended
    assert not missing


def test_memory_stays_bounded(crawled: Crawled) -> None:
    """Of all processes of the system together."""
    assert crawled.memory_bytes_max < MEMORY_BYTES_MAX, crawled.memory_bytes_max / MIB


def test_questions_are_answered_afterwards(crawled: Crawled) -> None:
    """Rightly, from the honest site that was crawled meanwhile."""
    assert QUESTIONS == crawled.right


def test_no_stack_trace_is_logged(crawled: Crawled) -> None:
    """Hostile pages are no errors of ours."""
    assert "Traceback" not in crawled.log


def asked(system: System, number: int) -> bool:
    """Returns whether a question about the honest site is answered rightly."""
    answer = system.ask(f"How many hours does lamp number {number} burn?", "honest")
    return any(f"{number + 100} hours" in one.quote for one in answer.citations)


class Memory:
    """Watches the resident memory of a system's processes, all together."""

    def __init__(self, system: System) -> None:
        self.bytes_max = 0
        self._system = system
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Memory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(0.5):
            self.bytes_max = max(self.bytes_max, self._bytes())

    def _bytes(self) -> int:
        return sum(_unique_bytes(pid) for pid in self._system.process_ids())


def _unique_bytes(pid: int) -> int:
    """Memory that would be free if the process ended; nothing where it has ended."""
    try:
        return int(psutil.Process(pid).memory_full_info().pss)
    except psutil.Error:
        return 0
