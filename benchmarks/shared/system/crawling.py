"""One crawl of an origin by a running system, measured."""

import random
import time
from dataclasses import dataclass

from benchmarks.shared.command import progress
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.html_pages import PREFIX, simple_page
from benchmarks.shared.system.index_texts import IndexedChunk, indexed_chunks
from benchmarks.shared.system.origin import Origin
from benchmarks.shared.system.system import System
from scops.api.v1alpha1.job_service_pb2 import JobCounts

# What follows the end of a job, such as its last acknowledgements, counts as well.
SETTLE_SECONDS = 1.0
WARM_UP_PAGES = 12
WARM_UP_PARAGRAPHS = 12
WARM_UP_WORDS = 40
NOT_MODIFIED = 304
FAILURES_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Crawl:
    """A crawl and its cost.

    Attributes:
        seconds: from the request until the job had ended.
        cpu_seconds: of the whole process tree.
        not_modified: answers 304 of the origin.
    """

    seconds: float
    cpu_seconds: float
    counts: JobCounts
    not_modified: int

    @property
    def pages(self) -> int:
        """Pages that were indexed or found unchanged."""
        return int(self.counts.indexed + self.counts.unchanged)

    def __str__(self) -> str:
        counts = {field.name: number for field, number in self.counts.ListFields()}
        return f"crawl of {self.seconds:.1f} s, {self.cpu_seconds:.1f} s of CPU: {counts}"


def crawl(
    system: System, client: Client, scope_id: str, origin: Origin
) -> tuple[Crawl, list[IndexedChunk]]:
    """Crawls a scope and returns what it cost, and the chunks that were inserted.

    Raises:
        SystemExit: the job did not complete, or no page was crawled.
    """
    last_row = max((chunk.row for chunk in indexed_chunks(system.folder)), default=0)
    not_modified = origin.answered[NOT_MODIFIED]
    cpu_before, started = system.cpu_seconds(), time.perf_counter()
    name = client.start_crawl(scope_id)
    counts = client.wait(scope_id, name)
    seconds = time.perf_counter() - started
    time.sleep(SETTLE_SECONDS)
    done = Crawl(
        seconds=seconds,
        cpu_seconds=system.cpu_seconds() - cpu_before,
        counts=counts,
        not_modified=origin.answered[NOT_MODIFIED] - not_modified,
    )
    lost = "\n".join(client.failures(name)[:FAILURES_SHOWN]) if counts.dead else ""
    if not done.pages:
        raise SystemExit(f"benchmarks: no page was crawled: {done}\n{lost}\n{system.log_tail()}")
    if lost:
        progress(f"pages without outcome in the index: {lost}")
    return done, indexed_chunks(system.folder, after_row=last_row)


def warm_up(system: System, client: Client) -> None:
    """Loads the model and every stage by crawling made-up pages, and asks one question."""
    origin = Origin(made_up_pages())
    with origin.running():
        client.create_scope("warm-up", origin)
        crawl(system, client, "warm-up", origin)
    client.answer("warm-up", "What is said of the lamp?")


def made_up_pages() -> dict[str, bytes]:
    """Returns pages whose text no real page has."""
    chance = random.Random(0)
    names = [f"{PREFIX}warm-up-{number}.html" for number in range(WARM_UP_PAGES)]
    links = "".join(f'<li><a href="{name}">{name}</a></li>' for name in names)
    return {name: _made_up_page(name, links, chance) for name in names}


def _made_up_page(name: str, links: str, chance: random.Random) -> bytes:
    paragraphs = "".join(
        f"<p>{' '.join(_made_up_words(chance)).capitalize()}.</p>"
        for _ in range(WARM_UP_PARAGRAPHS)
    )
    return simple_page(name, f"{paragraphs}<ul>{links}</ul>")


def _made_up_words(chance: random.Random) -> list[str]:
    syllables = ("la", "mo", "ri", "ten", "ka", "su", "vel", "dor")
    return [
        "".join(chance.choice(syllables) for _ in range(chance.randint(1, 4)))
        for _ in range(WARM_UP_WORDS)
    ]
