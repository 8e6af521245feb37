"""What each role holds and uses in a process of its own: the figures behind its pod's requests.

    python -m benchmarks.roles [--data DIR] --json

Keys, by role:
    rest_mb: memory once it is ready and has nothing to do.
    peak_mb: the largest during a first crawl of 1,000 pages, with a search a second beside it.
    cpu_ms: processor time of a crawled page; of a search for `gateway` and `retriever`, of an
        answer for `explainer`.

NATS, PostgreSQL and Weaviate are real, on this machine. Megabytes are 10^6 bytes; memory that a
role shares with others is counted as its own, as in a pod.
"""

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.embed import DEFAULT_DATA
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.html_pages import read_pages
from benchmarks.shared.system.origin import Origin
from benchmarks.shared.system.process_tree import sampled
from benchmarks.shared.system.system import System
from scops.common.contract.service_table import Role
from tests.fakes.servers.nats import nats_server
from tests.fakes.servers.postgres import postgres_server
from tests.fakes.servers.weaviate import running_weaviate

PAGES = 1_000
CALLS = 100
REST_SECONDS = 15.0
SAMPLE_SECONDS = 0.5
ASK_EVERY_SECONDS = 1.0
LIMIT = 10
SCOPE = "bench"
QUESTION = "How is the write-ahead log configured?"
MILLISECONDS = 1e3
Cost = dict[str, float]


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured, by role."""

    rest_mb: Cost
    peak_mb: Cost
    cpu_ms: Cost

    def of(self, role: str) -> dict[str, float]:
        """Returns the figures of a role."""
        return {
            "rest_mb": round(self.rest_mb[role]),
            "peak_mb": round(self.peak_mb[role]),
            "cpu_ms": round(self.cpu_ms[role], 1),
        }


def main() -> None:
    parser = command_parser(__doc__, data="folder of HTML files", default=DEFAULT_DATA)
    args = parser.parse_args()
    found = measure(args.data)
    print_result({role.value: found.of(role.value) for role in Role}, args)


def measure(data: Path) -> Figures:
    """Returns the figures that the module's docstring names."""
    origin = Origin(read_pages(data, limit=PAGES))
    with (
        tempfile.TemporaryDirectory(prefix="scops-bench-") as scratch,
        _system(Path(scratch)) as system,
        Client(system.address) as client,
        origin.running(),
    ):
        time.sleep(REST_SECONDS)
        rest = system.pod_mb_by_role()
        client.create_scope(SCOPE, origin)
        with sampled(system.pod_mb_by_role, every_seconds=SAMPLE_SECONDS) as samples:
            crawling = _cost(system, lambda: _crawl(client))
            searching = _cost(system, lambda: _repeat(lambda: _search(client)))
            answering = _cost(system, lambda: _repeat(lambda: _answer(client)))
    peak = {role: max(one[role] for one in samples) for role in rest}
    asked = {Role.GATEWAY: searching, Role.RETRIEVER: searching, Role.EXPLAINER: answering}
    cpu = {role.value: asked.get(role, crawling)[role.value] for role in Role}
    return Figures(rest, peak, cpu)


@contextmanager
def _system(folder: Path) -> Iterator[System]:
    """Runs every role in a process of its own, on servers of their own."""
    with (
        postgres_server(durable=True) as postgres,
        running_weaviate(folder / "weaviate") as weaviate,
        nats_server(folder / "nats") as nats,
    ):
        settings = {
            **nats.settings,
            **weaviate,
            "SCOPS_DATABASE_URL": postgres.new_database(),
            "SCOPS_ORGANISATION_ID": "roles",
        }
        roles = [role.value for role in Role]
        with System(folder / "system", settings=settings, roles=roles).running() as system:
            yield system


def _cost(system: System, work: Callable[[], int]) -> Cost:
    """Returns the processor time of each role, in milliseconds a piece of some work."""
    before = system.cpu_seconds_by_role()
    pieces = work()
    after = system.cpu_seconds_by_role()
    progress(f"{pieces} pieces: {after}")
    return {role: MILLISECONDS * (after[role] - before[role]) / pieces for role in before}


def _crawl(client: Client) -> int:
    """Crawls, and searches meanwhile; returns how many pages came in."""
    ended = threading.Event()
    asking = threading.Thread(target=_search_until, args=(client, ended))
    asking.start()
    try:
        return int(client.wait(SCOPE, client.start_crawl(SCOPE)).indexed)
    finally:
        ended.set()
        asking.join()


def _search_until(client: Client, ended: threading.Event) -> None:
    while not ended.wait(ASK_EVERY_SECONDS):
        _search(client)


def _repeat(call: Callable[[], None]) -> int:
    for _ in range(CALLS):
        call()
    return CALLS


def _search(client: Client) -> None:
    client.search(SCOPE, QUESTION, LIMIT)


def _answer(client: Client) -> None:
    client.answer(SCOPE, QUESTION)


if __name__ == "__main__":
    main()
