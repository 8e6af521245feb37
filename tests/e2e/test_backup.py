"""Backup and restore by doing them: under load into an empty folder, and an older one over a newer.

The acts stand in order in module fixtures; the tests read what they left.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import grpc
import pytest

from scops.api.v1alpha1.job_service_pb2 import Job
from tests.e2e.backups import SCOPE, check_answers, harbour, path_of, serve
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

pytestmark = pytest.mark.long

PAGES = 40
INDEXED_BEFORE = 8
NewSystem = Callable[..., System]


@pytest.fixture
def site() -> Iterator[Origin]:
    with running(Origin()) as origin:
        serve(origin, PAGES)
        yield origin


def page_ids(system: System) -> dict[str, str]:
    """Returns the page that owns each URL, as the index has it."""
    path = system.data / "state" / "indexer.db"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as connection:
        rows = connection.execute("SELECT canonical_url, page_id FROM head WHERE closed = 0")
        pairs = rows.fetchall()
    assert len(pairs) == len(dict(pairs)), "a URL has two pages"
    return dict(pairs)


def test_a_backup_under_load_comes_back_whole(
    new_system: NewSystem, site: Origin, tmp_path: Path
) -> None:
    """The machine is lost amid a crawl: elsewhere the same job ends, and every page answers."""
    place = str(tmp_path / "place")
    lost = new_system(SCOPS_FETCHER_DELAYS="127.0.0.0/8=0.6").start()
    lost.create_scope(SCOPE, seeds=[f"{site.url}/"])
    job = lost.start_crawl(SCOPE)
    lost.until(lambda: lost.job(job).job.counts.indexed >= INDEXED_BEFORE)
    first = lost.run("backup", place)
    assert first.code == 0, first.err
    assert lost.job(job).job.state == Job.STATE_RUNNING
    verified = lost.run("restore", place, "--verify")
    assert verified.code == 0, verified.err
    again = lost.run("backup", place)
    assert again.code == 0, again.err
    assert again.json["copied"] < again.json["blobs"], "only what is missing is copied"
    lost.kill()

    found = new_system()
    done = found.run("restore", place, "--at", first.json["backup_id"])
    assert done.code == 0, done.err
    assert [] == done.json["lacking"]
    found.start()
    ended = found.wait_job(job)

    assert ended.state == Job.STATE_COMPLETED
    outcomes = found.outcomes(ended)
    assert {f"{site.url}{path_of(n)}" for n in range(PAGES)} <= outcomes.keys()
    dead = {url: told for url, told in outcomes.items() if told[0] in ("dead", "blocked")}
    assert not dead
    assert len(page_ids(found)) == PAGES + 1
    check_answers(found, range(0, PAGES, 3))
    found.stop()
    check = found.run("reconcile", "--dry-run")
    assert check.json["faults"] == 0, check.json


def test_an_older_database_comes_back_over_a_living_archive(
    new_system: NewSystem, site: Origin, tmp_path: Path
) -> None:
    """What was indexed, scoped and published since is forgotten, then learned again, once."""
    place = str(tmp_path / "place")
    system = new_system().start()
    system.create_scope(SCOPE, seeds=[f"{site.url}/"])
    system.crawl(SCOPE)
    assert system.run("backup", place).code == 0
    before = page_ids(system)

    serve(site, PAGES + 5)
    for number in range(5):
        site.replace(path_of(number), harbour(number, berths=900 + number))
    system.crawl(SCOPE)
    system.create_scope("later", seeds=[f"{site.url}/"])
    for limit in ("70", "80"):
        changed = system.run("scope", "update", SCOPE, "--page-limit", limit)
        assert changed.code == 0, changed.err
    between = page_ids(system)
    refused = system.run("restore", place, "--replace")
    assert refused.code != 0
    assert "DATA_DIR_IN_USE" in refused.out
    system.stop()
    occupied = system.run("restore", place)
    assert (7, "RESTORE_TARGET_NOT_EMPTY") == (
        occupied.code,
        json.loads(occupied.out)["error"]["reason"],
    )

    done = system.run("restore", place, "--replace")
    assert done.code == 0, done.err
    assert done.json["index_faults"] == done.json["index_mended"] > 0
    system.start()
    assert before == page_ids(system)
    check_answers(system, range(5))
    with pytest.raises(grpc.RpcError):
        system.start_crawl("later")
    assert system.run("scope", "show", SCOPE).json["page_limit"] == 0, "as it was backed up"

    assert system.crawl(SCOPE).state == Job.STATE_COMPLETED
    assert between == page_ids(system), "pages come back under the ids that they had"
    check_answers(system, range(5, 10))
    check_answers(system, range(1), berths=900)
    system.until(lambda: _listed_once(system), seconds=30)
    system.stop()
    assert system.run("reconcile", "--dry-run").json["faults"] == 0


def _listed_once(system: System) -> bool:
    chunks = [chunk for _, chunk in system.chunk_objects()]
    time.sleep(0.2)
    return len(chunks) == len(set(chunks))


def test_a_damaged_backup_is_refused(new_system: NewSystem, site: Origin, tmp_path: Path) -> None:
    """A file that is not what was written is found before anything is replaced."""
    place = tmp_path / "place"
    system = new_system().start()
    system.create_scope(SCOPE, seeds=[f"{site.url}{path_of(PAGES - 1)}"])
    system.crawl(SCOPE)
    assert system.run("backup", str(place)).code == 0
    assert system.stop() == [0]
    (gateway,) = place.glob("backups/*/gateway.db")
    data = bytearray(gateway.read_bytes())
    data[len(data) // 2] ^= 1
    gateway.write_bytes(data)
    (blob, *_) = list(place.glob("blobs/main/*/*"))
    blob.write_bytes(b"another")

    empty = new_system()
    for words in (("restore", str(place), "--verify"), ("restore", str(place))):
        ended = empty.run(*words)
        assert (1, "BACKUP_DAMAGED") == (ended.code, ended.json["error"]["reason"]), ended.err
    nothing = empty.run("restore", str(tmp_path / "elsewhere"))
    assert (3, "BACKUP_NOT_FOUND") == (nothing.code, nothing.json["error"]["reason"])
    assert not list((empty.data / "state").glob("*.db"))
