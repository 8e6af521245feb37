"""Files of many records: the memory that they take, and an import that is killed amid its work."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.import_warc.command import import_warc
from benchmarks.shared.command import progress
from benchmarks.shared.system.index_texts import indexed_chunks
from benchmarks.shared.system.system import System
from scops.client import Scops
from tests.fakes.files.warc_files import WarcMaker

HOST = "bulk.test"
SCOPE = "bulk"
OUTSIDE = "elsewhere.test"
TIMES = (datetime(2024, 3, 1, 12, tzinfo=UTC), datetime(2024, 4, 1, 12, tzinfo=UTC))
KILLED_AT = 0.25


@dataclass(frozen=True, slots=True)
class Taken:
    """What an import of a file took."""

    peak_mb: float
    imported_per_second: float


def peak_memory(system: System, folder: Path, *, records: int, held: float) -> Taken:
    """Imports a file of so many records, of which the scope holds a share.

    Raises:
        SystemExit: what came in is not what the scope holds.
    """
    warc, every = WarcMaker(), round(1 / held)
    for number in range(records):
        host = OUTSIDE if number % every else HOST
        url = f"https://{host}/memory-{records}/{number}"
        warc.response(url, _body(f"lantern {records} {number}", number), at=TIMES[0])
    file = warc.save(folder / f"memory-{records}.warc.gz")
    wanted = len(range(0, records, every))
    run = import_warc(system, [file], scope=SCOPE)
    progress(f"{records} records: {run}")
    if (records, wanted) != (run.summary["records"], run.summary["indexed"]):
        raise SystemExit(f"benchmarks.import_warc: {wanted} pages were recorded: {run.summary}")
    return Taken(round(run.peak_mb, 1), round(wanted / run.seconds, 1))


def restarted(system: System, folder: Path, *, pages: int) -> bool:
    """Kills an import, starts it again, and returns whether each record came in once."""
    warc = WarcMaker()
    urls = [f"https://{HOST}/restart/{number}" for number in range(pages)]
    for at in TIMES:
        for number, url in enumerate(urls):
            warc.response(url, _body(f"anchor {number} {at:%B}", number), at=at)
    file = warc.save(folder / "restart.warc.gz")
    last = max((chunk.row for chunk in indexed_chunks(system.folder)), default=0)

    def is_amid() -> bool:
        return len(indexed_chunks(system.folder, after_row=last)) >= KILLED_AT * pages

    killed = import_warc(system, [file], scope=SCOPE, kill_when=is_amid)
    run = import_warc(system, [file], scope=SCOPE)
    said = run.summary
    progress(f"killed after {killed.seconds:.1f} s, then {said}")
    with Scops(system.address) as scops:
        versions = {len(scops.page_history(url).versions) for url in urls}
    is_amid_work = not killed.summary and said["known"] > 0 and said["indexed"] > 0
    each_once = said["known"] + said["indexed"] == said["records"] == pages * len(TIMES)
    return is_amid_work and each_once and versions == {len(TIMES)}


def _body(name: str, number: int) -> bytes:
    text = f"<p>The {name} burned oil for {number + 7} nights and was filled by its keeper.</p>"
    return f"<html><title>{name}</title><body>{text}</body></html>".encode()
