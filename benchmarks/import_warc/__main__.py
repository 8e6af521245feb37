"""What taking in WARC files costs, and whether it gives what a live crawl gives.

    python -m benchmarks.import_warc [--data DIR] [--pages 60] [--records 1e4 1e5] --json

Keys:
    records_per_second_vs_fastwarc: records of the data's pages that are read, parsed and judged a
        second of CPU, all of them wanted, ÷ bare iteration of fastwarc that reads each payload;
        median of rounds. `records_per_second` and `fastwarc_records_per_second` are the two,
        `outside_per_second` is the same where the scope holds none of them.
    peak_memory_mb_1e4, peak_memory_mb_1e5: largest resident set of `scops import warc` for so many
        records, of which the scope holds a share (`--held`); `imported_per_second` of those by the
        same names, until each is in the index.
    equal_to_live: whether pages of the data that were crawled twice, some of them edited in
        between, and records of the same answers give the same number of versions a page, the same
        chunks and the same texts.
    restarted_without_double_work: whether an import that was killed by SIGKILL amid its work, and
        was started again, gave each record's version once, with the first run's known and the
        others sent.

WARC files are made by warcio. Megabytes are 10^6 bytes.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.embed import DEFAULT_DATA
from benchmarks.import_warc.against_live import equal_to_live
from benchmarks.import_warc.bulk import HOST, peak_memory, restarted
from benchmarks.import_warc.rates import reading_rates
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.system import System

PAGES = 60
RECORDS = (10_000, 100_000)
HELD = 0.02
RESTART_PAGES = 200


def main() -> None:
    parser = command_parser(__doc__, data="folder of HTML files", default=DEFAULT_DATA)
    parser.add_argument("--pages", type=int, default=PAGES, help="crawled live and recorded")
    parser.add_argument(
        "--records", type=_count, nargs="+", default=RECORDS, help="of the files, such as 1e4 1e5"
    )
    parser.add_argument("--held", type=float, default=HELD, help="share that the scope holds")
    parser.add_argument(
        "--restart-pages", type=int, default=RESTART_PAGES, help="with two records each"
    )
    args = parser.parse_args()
    result = measure(args)
    print_result(result, args)
    if not (all(result["equal_to_live"].values()) and result["restarted_without_double_work"]):
        raise SystemExit("benchmarks.import_warc: what came in is not what was recorded")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Returns the figures that the module's docstring names."""
    result: dict[str, Any] = reading_rates(options.data)
    with tempfile.TemporaryDirectory(prefix="scops-bench-") as scratch:
        folder = Path(scratch)
        result["equal_to_live"] = equal_to_live(options.data, folder, pages=options.pages)
        progress(f"equal to live: {result['equal_to_live']}")
        with System(folder / "bulk").running() as system, Client(system.address) as client:
            client.create_prefix_scope(HOST.partition(".")[0], HOST)
            for count in options.records:
                taken = peak_memory(system, folder, records=count, held=options.held)
                name = f"{count:.0e}".replace("e+0", "e")
                result[f"peak_memory_mb_{name}"] = taken.peak_mb
                result[f"imported_per_second_{name}"] = taken.imported_per_second
            done = restarted(system, folder, pages=options.restart_pages)
            result["restarted_without_double_work"] = done
    return result


def _count(text: str) -> int:
    return int(float(text))


if __name__ == "__main__":
    main()
