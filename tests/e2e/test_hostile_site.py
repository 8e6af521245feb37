"""A site that means harm beside an honest one: the honest one is crawled and answered meanwhile.

Honest sites of equal size are crawled by two systems of equal settings, alone and beside a hostile
site, so that the figures of one run are compared with each other. Other tests share the machine,
now more, now less: a crawl is measured several times and its median counts, and the usual time is
what it takes before or after, whichever is longer.
"""

import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import psutil
import pytest

from scops.api.v1alpha1.job_service_pb2 import Job
from tests.e2e.system import System
from tests.fakes.servers.hostile_site import hostile_paths, hostile_site, second_edition
from tests.fakes.servers.origin import Origin, running

MIB = 1024 * 1024
HONEST_PAGES = 30
CRAWLS = 3
QUESTIONS = 8
# "Within twice the usual time", and what a busy machine adds to a short measurement.
SLOWER_MAX = 2.0
SLACK_SECONDS = 2.0
# The system with its models and parsing processes; what pages may add is bounded.
MEMORY_BYTES_MAX = 1_100 * MIB
HOSTILE_SECONDS_MAX = 400.0
# Two editions of the hostile site take minutes each; each wait within has its own bound.
pytestmark = pytest.mark.timeout(1_200)


@dataclass
class Run:
    """What one system showed of honest sites: seconds of each crawl and of each question."""

    crawl_seconds: list[float] = field(default_factory=list)
    answer_seconds: list[float] = field(default_factory=list)
    right: int = 0
    list_seconds: float = 0.0


@dataclass
class Beside:
    """The runs, and what became of the hostile site.

    Attributes:
        ended: whether the hostile job ended before the last honest crawl did.
    """

    alone: Run
    after: Run
    beside: Run
    ended: bool
    hostile: Job
    again: Job
    outcomes: dict[str, tuple[str, str]]
    memory_bytes_max: int
    log: str


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beside]:
    with ExitStack() as stack:
        honest = [stack.enter_context(running(honest_site(one))) for one in range(3 * CRAWLS)]
        hostile = stack.enter_context(running(hostile_site("127.0.0.3")))
        quiet = stack.enter_context(System(tmp_path_factory.mktemp("alone")))
        alone = use(quiet, honest[:CRAWLS])
        with System(tmp_path_factory.mktemp("beside")) as system, Memory(system) as memory:
            system.create_scope("hostile", seeds=[f"{hostile.url}/"])
            job = system.start_crawl("hostile")
            system.until(lambda: hostile.count(200) > len(hostile_paths()) // 2, seconds=120)
            beside = use(system, honest[CRAWLS : 2 * CRAWLS])
            ended = system.job(job).job.state == Job.STATE_COMPLETED
            first = system.wait_job(job, seconds=HOSTILE_SECONDS_MAX)
            outcomes = system.outcomes(first)
            second_edition(hostile)
            again = system.wait_job(system.start_crawl("hostile"), seconds=HOSTILE_SECONDS_MAX)
            for number in range(QUESTIONS):
                beside.right += asked(system, number)
        after = Run(crawl_seconds=crawled(quiet, honest[2 * CRAWLS :], first=2 * CRAWLS))
        yield Beside(
            alone,
            after,
            beside,
            ended,
            first,
            again,
            outcomes,
            memory.bytes_max,
            system.log.read_text(),
        )


def test_the_honest_site_is_crawled_within_twice_the_usual_time(both: Beside) -> None:
    """The hostile pages take their share of the machine and no more."""
    usual = max(statistics.median(one.crawl_seconds) for one in (both.alone, both.after))
    told = (both.alone, both.after, both.beside)

    assert not both.ended, told
    assert statistics.median(both.beside.crawl_seconds) < SLOWER_MAX * usual + SLACK_SECONDS, told


def test_questions_are_answered_within_twice_the_usual_time(both: Beside) -> None:
    """No question waits behind a page; the answers are the right ones, also afterwards."""
    usual = max(both.alone.answer_seconds)
    assert 3 * QUESTIONS == both.alone.right + both.beside.right
    assert max(both.beside.answer_seconds) < SLOWER_MAX * usual + SLACK_SECONDS, both.beside


def test_jobs_are_listed_meanwhile(both: Beside) -> None:
    """The gateway shares its process with everything else and stays awake."""
    assert both.beside.list_seconds < SLOWER_MAX * both.alone.list_seconds + SLACK_SECONDS


def test_every_hostile_page_ends_with_one_outcome(both: Beside) -> None:
    """Also in the second edition, each of whose texts is compared with the first."""
    assert Job.STATE_COMPLETED == both.hostile.state
    assert Job.STATE_COMPLETED == both.again.state
    assert 0 == both.hostile.counts.open + both.again.counts.open
    ended = {url.split("/", 3)[3] for url in both.outcomes}
    missing = {path[1:] for path in hostile_paths()[:-1]} - ended
    assert not missing


def test_memory_stays_bounded(both: Beside) -> None:
    """Of all processes of the system together."""
    assert both.memory_bytes_max < MEMORY_BYTES_MAX, both.memory_bytes_max / MIB


def test_no_stack_trace_is_logged(both: Beside) -> None:
    """Hostile pages are no errors of ours."""
    assert "Traceback" not in both.log


def honest_site(number: int) -> Origin:
    """Returns a site of plain pages, each of which answers one question; no two say the same."""
    origin = Origin()
    links = "".join(f'<li><a href="/{n}.html">Lamp {n}</a></li>' for n in range(HONEST_PAGES))
    origin.replace("/", f"<html><body><h1>Lamps {number}</h1><ul>{links}</ul></body></html>")
    for n in range(HONEST_PAGES):
        text = f"<p>Lamp number {n} burns for {n + 100} hours before its oil is used up.</p>"
        more = "".join(
            f"<p>Keeper {n} wrote line {m} of log {number} in the tower.</p>" for m in range(9)
        )
        origin.replace(f"/{n}.html", f"<html><body><h1>Lamp {n}</h1>{text}{more}</body></html>")
    return origin


def use(system: System, sites: Sequence[Origin]) -> Run:
    """Crawls honest sites and asks about the first, with a clock in hand."""
    run = Run(crawl_seconds=crawled(system, sites[:1], first=0))
    for number in range(QUESTIONS):
        started = time.monotonic()
        run.right += asked(system, number)
        run.answer_seconds.append(time.monotonic() - started)
    started = time.monotonic()
    assert 0 == system.run("job", "list").code
    run.list_seconds = time.monotonic() - started
    run.crawl_seconds += crawled(system, sites[1:], first=1)
    return run


def crawled(system: System, sites: Sequence[Origin], *, first: int) -> list[float]:
    """Crawls sites one after the other; returns the seconds of each, numbered from `first`."""
    seconds = []
    for number, site in enumerate(sites, first):
        scope = f"honest-{number}"
        system.create_scope(scope, seeds=[f"{site.url}/"])
        started = time.monotonic()
        job = system.crawl(scope)
        seconds.append(time.monotonic() - started)
        assert HONEST_PAGES + 1 == job.counts.indexed, job
    return seconds


def asked(system: System, number: int) -> bool:
    """Returns whether a question about the honest site is answered rightly."""
    answer = system.ask(f"How many hours does lamp number {number} burn?", "honest-0")
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
