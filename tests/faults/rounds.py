"""Crawls a site round after round while something else goes on, asks meanwhile, and compares.

with load(system, site) as given:
    ...  # roles are replaced or killed
    given.go_on()
assert_every_round_is_whole(given.told, site)
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest

import grpc

from scops.api.v1alpha1.job_service_pb2 import Job
from tests.e2e.separate_roles import SeparateRoles
from tests.e2e.system import System
from tests.fakes.servers.origin import Logged
from tests.faults.lamps import SCOPE, Lamps

# What crawls ask for beside pages.
BESIDE = ("/robots.txt", "/llms.txt")
ASK_PAUSE_SECONDS = 2.0
# A call that its gateway dropped when it ended is made again, as clients do (AIP-194).
ATTEMPTS = 5
ROUND_SECONDS_MAX = 900.0
POLL_SECONDS = 0.1
# A clock of ours and one of the site are not read at the same moment.
TOLERANCE_SECONDS = 0.05

Versions = dict[str, list[tuple[str, bool]]]


@dataclass(slots=True)
class Told:
    """What happened under load.

    Attributes:
        rounds: outcome of each page, by URL, of each round's job.
        edited: the pages that differed from the round before, by round.
        seconds: that each round's crawl took.
        questions: that were answered.
        wrong: questions that were not, and what came instead.
    """

    rounds: list[dict[str, tuple[str, str]]] = field(default_factory=list)
    edited: list[set[str]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    questions: int = 0
    wrong: list[str] = field(default_factory=list)


class Load:
    """Crawls and questions, each in a thread of its own."""

    def __init__(self, system: System, site: Lamps) -> None:
        self.told = Told()
        self._system = system
        self._site = site
        self._is_over = threading.Event()
        self._asking = threading.Lock()

        self._threads: list[Future[None]] = []

    def start(self, *threads: "Future[None]") -> None:
        """Takes the threads that crawl and ask."""
        self._threads = list(threads)

    def go_on(self, rounds: int = 1) -> None:
        """Waits until a round has gone by from its begin to its end, or several."""
        # That which runs began before.
        wanted = len(self.told.rounds) + 1 + rounds
        limit = time.monotonic() + ROUND_SECONDS_MAX
        while len(self.told.rounds) < wanted:
            self.check()
            assert time.monotonic() < limit, f"{len(self.told.rounds)} rounds, not {wanted}"
            time.sleep(POLL_SECONDS)

    def check(self) -> None:
        """Raises what a thread failed with."""
        for thread in self._threads:
            if thread.done():
                thread.result()

    @contextmanager
    def without_questions(self) -> Iterator[None]:
        """Asks nothing while inside; the question that was asked is answered before."""
        with self._asking:
            yield

    def end(self) -> None:
        """Lets the round that runs be the last."""
        self._is_over.set()

    def crawl(self) -> None:
        """Crawls round after round, until the end."""
        while True:
            crawl_round(self._system, self._site, self.told)
            if self._is_over.is_set():
                return
            self._site.next_round()

    def ask(self) -> None:
        """Asks about pages that stay as they are, until the end."""
        steady = self._site.steady()
        while not self._is_over.is_set():
            for number in steady:
                with self._asking:
                    self._ask(number)
                if self._is_over.wait(ASK_PAUSE_SECONDS):
                    return

    def _ask(self, number: int) -> None:
        said = answer(self._system, self._site, number)
        if self._site.answer(number) in said:
            self.told.questions += 1
        else:
            self.told.wrong.append(f"{time.strftime('%X')} {self._site.question(number)} {said}")


@contextmanager
def load(system: System, site: Lamps) -> Iterator[Load]:
    """Crawls and asks while inside, after a first round; the last round ends with it."""
    with crawls(system, site, ask=True) as given:
        yield given


@contextmanager
def crawls(system: System, site: Lamps, *, ask: bool = False) -> Iterator[Load]:
    """As `load`, by default without questions."""
    given = Load(system, site)
    crawl_round(system, site, given.told)
    site.next_round()
    with ThreadPoolExecutor(2) as threads:
        given.start(*(threads.submit(one) for one in (given.crawl, *([given.ask] if ask else []))))
        try:
            yield given
        finally:
            given.end()
    given.check()


def crawl_round(system: System, site: Lamps, told: Told) -> None:
    """Crawls the site as it is, and notes what came of it."""
    began = time.monotonic()
    job = system.wait_job(system.start_crawl(SCOPE), seconds=ROUND_SECONDS_MAX)
    told.seconds.append(time.monotonic() - began)
    assert Job.STATE_COMPLETED == job.state, job
    told.rounds.append(system.outcomes(job))
    told.edited.append({site.url(number) for number in site.edited()})


def answer(system: System, site: Lamps, number: int) -> str:
    """Asks about a lamp; returns what was cited, or the error."""
    for _ in range(ATTEMPTS):
        try:
            given = system.ask(site.question(number), SCOPE)
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.UNAVAILABLE:
                continue
            return f"{error.code()}: {error.details()}"
        return " | ".join(one.quote for one in given.citations) or "nothing was cited"
    return "no gateway"


def assert_every_round_is_whole(told: Told, site: Lamps, *, rereads: int = 0) -> None:
    """Each job names each page once: edited ones as indexed, others as unchanged.

    Args:
        rereads: how often each text of a page may be indexed once more, because a version that
            extracts in another way reads it.
    """
    first, *others = told.rounds
    assert dict.fromkeys(_pages(site), ("indexed", "")) == first
    reread: Counter[str] = Counter()
    for edited, outcomes in zip(told.edited[1:], others, strict=True):
        wanted = {url: ("indexed" if url in edited else "unchanged", "") for url in _pages(site)}
        assert wanted.keys() == outcomes.keys()
        differing = {url: outcomes[url] for url in wanted if outcomes[url] != wanted[url]}
        assert {("indexed", "")} >= set(differing.values()), differing
        reread.update(list(differing))
    texts = {site.url(number): site.versions(number) for number in range(site.pages)}
    too_often = {url for url, times in reread.items() if times > rereads * texts.get(url, 1)}
    assert not too_often, reread


def assert_every_page_has_an_outcome(told: Told, site: Lamps) -> None:
    """Each job names each page once, as indexed or unchanged.

    Where a fetcher was killed a page may be fetched again, and is unchanged since a moment ago.
    """
    for number, outcomes in enumerate(told.rounds):
        wanted = _pages(site)
        assert (set(), set()) == (wanted - set(outcomes), set(outcomes) - wanted), number
        assert {("indexed", ""), ("unchanged", "")} >= set(outcomes.values())


def assert_each_page_is_asked_for_once(told: Told, site: Lamps, *, more: int = 0) -> None:
    """Each round asked for each page once.

    Args:
        more: requests beside, at most, that were on their way when somebody was killed.
    """
    asked = Counter(one.path for one in site.origin.requests if one.path not in BESIDE)
    rounds = len(told.rounds)

    assert site.pages + 1 == len(asked)
    assert not {path: times for path, times in asked.items() if times < rounds}
    assert sum(asked.values()) <= rounds * len(asked) + more


def assert_polite(requests: list[Logged], delay_seconds: float) -> None:
    """The site never saw two requests at once, nor two closer than its delay."""
    ordered = sorted(requests, key=lambda one: one.started)
    gaps = [later.started - earlier.ended for earlier, later in pairwise(ordered)]

    assert min(gaps) >= delay_seconds - TOLERANCE_SECONDS


def assert_all_found(system: SeparateRoles) -> None:
    """Every chunk that a head lists is there once, and found by id, words and vector."""
    found = system.find_all()
    chunks = [chunk for _, chunk in system.chunk_objects()]

    assert found.listed
    assert ([], [], []) == (found.missing_by_id, found.missing_by_words, found.missing_by_vector)
    assert len(chunks) == len(set(chunks))


def versions(system: System, site: Lamps) -> Versions:
    """Returns the versions of each page, newest first: their text, and whether it is news."""
    urls = [site.url(number) for number in range(site.pages)]
    return {
        url: [(one.text_digest, one.semantic) for one in system.history(url).versions]
        for url in urls
    }


def texts(versions: Versions) -> Versions:
    """Returns versions without what is the same text, read in another way."""
    return {
        url: [
            one
            for one, older in zip_longest(found, found[1:])
            if older is None or older[0] != one[0]
        ]
        for url, found in versions.items()
    }


def _pages(site: Lamps) -> set[str]:
    return {f"{site.origin.url}/", *(site.url(number) for number in range(site.pages))}
