"""The roles as separate processes against one process, on the same servers.

NATS, PostgreSQL and Weaviate are real, on this machine. Every round takes a fresh nats-server, a
fresh database and an organisation of its own; the two arrangements take turns.
"""

import os
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.shared.command import progress
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.crawling import made_up_pages
from benchmarks.shared.system.edits import edit_share
from benchmarks.shared.system.html_pages import SEED, read_pages
from benchmarks.shared.system.origin import Origin
from benchmarks.shared.system.system import System
from scops.common.contract.service_table import Role
from tests.fakes.servers.nats import nats_server
from tests.fakes.servers.postgres import PostgresServer, postgres_server
from tests.fakes.servers.weaviate import running_weaviate

SCOPE = "bench"
EDITED_SHARE = 0.1
# The history is written when nothing was listed for a while; a benchmark does not wait so long.
# Shorter, and chunks would be swept between their insert and the move of their page's head.
SWEEP_AGE_SECONDS = 20
SWEEP = {
    "SCOPS_INDEXER_SWEEP_AGE_SECONDS": str(SWEEP_AGE_SECONDS),
}
SWEPT_SECONDS_MAX = 120.0
POLL_SECONDS = 0.5
INSERTED = "scops_indexer_chunks_total"
SWEPT = "scops_indexer_swept_total"
DELETED = "scops_indexer_deleted_total"


@dataclass(frozen=True, slots=True)
class Servers:
    """What both arrangements use."""

    postgres: PostgresServer
    weaviate: dict[str, str]


@dataclass(frozen=True, slots=True)
class Writes:
    """What a recrawl of edited pages wrote, from the edit until the old chunks were swept.

    Attributes:
        sentences: edited, one a page.
        objects: written to the chunk store: inserted, copied to the history, deleted.
        bytes: of PostgreSQL's log and of the archive together; Weaviate's files shrink and grow
            by themselves.
    """

    sentences: int
    objects: float
    bytes: int


def measure_separate(
    data: Path, scratch: Path, *, pages: int, rounds: int
) -> dict[str, float | None]:
    """Returns the figures of `--roles separate` that the pipeline's docstring names."""
    bodies = read_pages(data, limit=pages)
    together: list[float] = []
    apart: list[float] = []
    writes: list[Writes] = []
    with _servers(scratch) as servers:
        # It warms the servers and the caches of the machine, and does not count.
        _round(bodies, scratch / "warm", servers, ())
        for number in range(rounds):
            together.append(_round(bodies, scratch / f"one-{number}", servers, ()))
            progress(f"round {number + 1}: one process {together[-1]:.1f} s")
            roles = [role.value for role in Role]
            apart.append(_round(bodies, scratch / f"roles-{number}", servers, roles, writes))
            progress(f"round {number + 1}: {len(roles)} processes {apart[-1]:.1f} s; {writes[-1]}")
    sentences = sum(one.sentences for one in writes)
    return {
        "throughput_vs_one_process": round(
            statistics.median(one / many for one, many in zip(together, apart, strict=True)), 3
        ),
        "index_writes_per_change": round(sum(one.objects for one in writes) / sentences, 2),
        "bytes_written_per_change": round(sum(one.bytes for one in writes) / sentences),
        "sentences_changed": sentences,
        "one_process_seconds": round(statistics.median(together), 2),
        "separate_seconds": round(statistics.median(apart), 2),
        "pages": len(bodies),
        "processors": os.cpu_count(),
    }


@contextmanager
def _servers(scratch: Path) -> Iterator[Servers]:
    folder = scratch / "weaviate"
    with postgres_server(durable=True) as postgres, running_weaviate(folder) as weaviate:
        yield Servers(postgres, weaviate)


def _round(
    bodies: dict[str, bytes],
    folder: Path,
    servers: Servers,
    roles: Sequence[str],
    writes: list[Writes] | None = None,
) -> float:
    """Crawls the pages on a fresh system; returns the seconds from the request to the end.

    Args:
        writes: where what a recrawl of edited pages wrote is added, if that is wanted.
    """
    origin, warm_up = Origin(bodies), Origin(made_up_pages())
    with nats_server(folder / "nats") as nats:
        settings = {
            **nats.settings,
            **servers.weaviate,
            **SWEEP,
            "SCOPS_DATABASE_URL": servers.postgres.new_database(),
            "SCOPS_ORGANISATION_ID": folder.name,
        }
        system = System(folder, settings=settings, roles=roles)
        with (
            origin.running(),
            warm_up.running(),
            system.running(),
            Client(system.address) as client,
        ):
            _crawl(client, "warm-up", warm_up)
            client.answer("warm-up", "What is said of the lamp?")
            seconds = _crawl(client, SCOPE, origin)
            if writes is not None:
                writes.append(_writes(system, client, origin, servers))
    return seconds


def _crawl(client: Client, scope_id: str, origin: Origin) -> float:
    client.create_scope(scope_id, origin)
    started = time.perf_counter()
    counts = client.wait(scope_id, client.start_crawl(scope_id))
    seconds = time.perf_counter() - started
    if not counts.indexed:
        raise SystemExit(f"benchmarks: no page was indexed: {counts}")
    return seconds


def _writes(system: System, client: Client, origin: Origin, servers: Servers) -> Writes:
    _wait_until_swept(system)
    before, bytes_before = _objects(system), _bytes(system, servers)
    edited = edit_share(origin, EDITED_SHARE, Random(SEED))
    client.wait(SCOPE, client.start_crawl(SCOPE))
    _wait_until_swept(system)
    objects = _objects(system) - before
    return Writes(len(edited), objects, _bytes(system, servers) - bytes_before)


def _objects(system: System) -> float:
    inserted = system.counted(INSERTED, outcome="inserted")
    return inserted + system.counted(SWEPT) + system.counted(DELETED)


def _wait_until_swept(system: System) -> None:
    """Waits until the chunks that the edits replaced lie in the history."""
    time.sleep(SWEEP_AGE_SECONDS)
    limit = time.monotonic() + SWEPT_SECONDS_MAX
    quiet, last = 0, _objects(system)
    while quiet * POLL_SECONDS < 10 and time.monotonic() < limit:
        time.sleep(POLL_SECONDS)
        now = _objects(system)
        quiet, last = (quiet + 1, last) if now == last else (0, now)


def _bytes(system: System, servers: Servers) -> int:
    (row,) = servers.postgres.execute("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")
    archive = system.folder / "data" / "archive"
    files = sum(path.stat().st_size for path in archive.rglob("*") if path.is_file())
    return int(row[0]) + files
