"""How fast records are read and judged, against bare iteration, by seconds of CPU."""

import io
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from fastwarc.warc import ArchiveIterator

from benchmarks.shared.command import progress
from benchmarks.shared.system.html_pages import read_pages
from scops.standalone.commands.warc.records import Observed, WarcReader
from tests.fakes.files.warc_files import WarcMaker

SITE = "https://docs.test"
PAGES_MAX = 2_000
ROUNDS = 5


def reading_rates(data: Path) -> dict[str, float]:
    """Returns records a second of CPU, and the ratio; rounds of both take turns.

    Args:
        data: folder of HTML files.

    Raises:
        SystemExit: not every record was taken.
    """
    warc = WarcMaker()
    pages = read_pages(data, limit=PAGES_MAX)
    for path, body in pages.items():
        warc.response(f"{SITE}{path}", body)
    file = warc.data

    def bare() -> int:
        return sum(1 for record in ArchiveIterator(io.BytesIO(file)) if record.reader.read())

    def judged(held: bool) -> int:
        reader = WarcReader(lambda _: held, now=datetime.now(UTC))
        return sum(isinstance(one, Observed) == held for one in reader.read(io.BytesIO(file)))

    readings: dict[str, Callable[[], int]] = {
        "fastwarc": bare,
        "held": lambda: judged(True),
        "outside": lambda: judged(False),
    }
    seconds: dict[str, list[float]] = {name: [] for name in readings}
    for _ in range(ROUNDS):
        for name, read in readings.items():
            started = time.process_time()
            if read() != len(pages):
                raise SystemExit(f"benchmarks.import_warc: {name} did not read every record")
            seconds[name].append(time.process_time() - started)
    per_second = {name: len(pages) / statistics.median(taken) for name, taken in seconds.items()}
    progress(f"records a second of CPU: {per_second}")
    return {
        "records_per_second_vs_fastwarc": round(per_second["held"] / per_second["fastwarc"], 3),
        "records_per_second": round(per_second["held"], 1),
        "fastwarc_records_per_second": round(per_second["fastwarc"], 1),
        "outside_per_second": round(per_second["outside"], 1),
    }
