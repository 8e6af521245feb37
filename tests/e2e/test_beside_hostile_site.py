"""A site that means harm beside an honest one: the honest one is crawled and answered meanwhile.

Honest sites of equal size are crawled by two systems of equal settings, alone and beside a hostile
site, so that the figures of one run are compared with each other. A crawl is measured several
times and its median counts; the usual time is what it takes before or after, whichever is longer.
The test has the machine to itself: what other tests take of it would count as the pages' doing.
"""

import statistics
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import pytest

from scops.api.v1alpha1.job_service_pb2 import Job
from tests.e2e.system import System
from tests.fakes.servers.honest_site import HONEST_PAGES, honest_site
from tests.fakes.servers.hostile_site import hostile_paths, hostile_site
from tests.fakes.servers.origin import Origin, running

CRAWLS = 5
QUESTIONS = 8
# "Within twice the usual time", and what is added to a short measurement.
SLOWER_MAX = 2.0
SLACK_SECONDS = 2.0
pytestmark = pytest.mark.alone


@dataclass
class Run:
    """What one system showed of honest sites: seconds of each crawl and of each question."""

    crawl_seconds: list[float] = field(default_factory=list)
    answer_seconds: list[float] = field(default_factory=list)
    right: int = 0
    list_seconds: float = 0.0


@dataclass
class Beside:
    """The runs: alone, alone again afterwards, and while hostile pages are worked on.

    Attributes:
        ended: whether the hostile job ended before the last honest crawl did.
    """

    alone: Run
    after: Run
    beside: Run
    ended: bool


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Beside:
    with ExitStack() as stack:
        honest = [stack.enter_context(running(honest_site(one))) for one in range(3 * CRAWLS)]
        hostile = stack.enter_context(running(hostile_site("127.0.0.3")))
        quiet = stack.enter_context(System(tmp_path_factory.mktemp("alone")))
        alone = use(quiet, honest[:CRAWLS])
        with System(tmp_path_factory.mktemp("beside")) as system:
            system.create_scope("hostile", seeds=[f"{hostile.url}/"])
            job = system.start_crawl("hostile")
            system.until(lambda: hostile.count(200) > len(hostile_paths()) // 2, seconds=120)
            beside = use(system, honest[CRAWLS : 2 * CRAWLS])
            ended = system.job(job).job.state == Job.STATE_COMPLETED
        after = Run(crawl_seconds=crawled(quiet, honest[2 * CRAWLS :], first=2 * CRAWLS))
        return Beside(alone, after, beside, ended)


def test_the_honest_site_is_crawled_within_twice_the_usual_time(both: Beside) -> None:
    """The hostile pages take their share of the machine and no more."""
    usual = max(statistics.median(one.crawl_seconds) for one in (both.alone, both.after))
    told = (both.alone, both.after, both.beside)

    assert not both.ended, told
    assert statistics.median(both.beside.crawl_seconds) < SLOWER_MAX * usual + SLACK_SECONDS, told


def test_questions_are_answered_within_twice_the_usual_time(both: Beside) -> None:
    """No question waits behind a page; the answers are the right ones."""
    usual = max(both.alone.answer_seconds)
    assert 2 * QUESTIONS == both.alone.right + both.beside.right
    assert max(both.beside.answer_seconds) < SLOWER_MAX * usual + SLACK_SECONDS, both.beside


def test_jobs_are_listed_meanwhile(both: Beside) -> None:
    """The gateway shares its process with everything else and stays awake."""
    assert both.beside.list_seconds < SLOWER_MAX * both.alone.list_seconds + SLACK_SECONDS


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
