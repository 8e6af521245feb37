"""What an installation weighs, how long a start takes, how much memory a running system holds.

    python -m benchmarks.footprint [--data DIR] --json

Keys:
    install_mb: site-packages of a fresh environment with this checkout and no extra, on disk.
    model_mb: the embedding model as fetched and as built, in the cache folder.
    ready_seconds: from the start of `scops up` on an empty data folder until /readyz answers 200;
        median of three, the model and the operating system's file cache being there.
    rss_mb: memory of the whole process tree after a crawl of 200 pages and a question, pages that
        processes share counted once (PSS). `rss_sum_mb` counts them in each process,
        `rss_peak_mb` is the largest value during the crawl.

Megabytes are 10^6 bytes.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.embed import DEFAULT_DATA
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.crawling import warm_up
from benchmarks.shared.system.html_pages import read_pages
from benchmarks.shared.system.origin import Origin
from benchmarks.shared.system.process_tree import MEGABYTE, sampled
from benchmarks.shared.system.system import System
from scops.common.config.settings import EMBEDDER_DEFAULT
from scops.libraries.embedder.port import model_of
from scops.libraries.embedder.weights import ensure_graph, ensure_model

CHECKOUT = Path(__file__).parents[1]
INSTALL_SECONDS_MAX = 900
BLOCK_BYTES = 512  # Of st_blocks, whatever the file system's own block is.
PAGES = 200
STARTS = 3
SAMPLE_SECONDS = 0.5
SCOPE = "bench"
QUESTION = "How is the write-ahead log configured?"


@dataclass(frozen=True, slots=True)
class Memory:
    """Megabytes of a process tree."""

    shared_once: float
    summed: float
    peak: float


def main() -> None:
    parser = command_parser(__doc__, data="folder of HTML files", default=DEFAULT_DATA)
    args = parser.parse_args()
    result = measure(args.data)
    print_result(result, args)


def measure(data: Path) -> dict[str, float]:
    """Returns the figures that the module's docstring names."""
    model = model_of(EMBEDDER_DEFAULT)
    ensure_graph("int8", model=model)
    with tempfile.TemporaryDirectory(prefix="scops-bench-") as scratch:
        folder = Path(scratch)
        install = install_mb(folder / "venv")
        progress(f"installed: {install:.0f} MB")
        ready = [ready_seconds(folder / f"start-{number}") for number in range(STARTS)]
        progress(f"ready after {', '.join(f'{seconds:.2f}' for seconds in ready)} s")
        bodies = read_pages(data, limit=PAGES)
        memory = memory_after_crawl(bodies, folder / "crawl")
    return {
        "install_mb": round(install, 1),
        "model_mb": round(disk_mb(ensure_model(model=model)), 1),
        "ready_seconds": round(statistics.median(ready), 2),
        "rss_mb": round(memory.shared_once, 1),
        "rss_sum_mb": round(memory.summed, 1),
        "rss_peak_mb": round(memory.peak, 1),
        "pages": len(bodies),
    }


def install_mb(venv: Path) -> float:
    """Installs the checkout into a fresh environment and returns the weight of site-packages.

    Raises:
        SystemExit: uv is missing or the installation failed.
    """
    uv = shutil.which("uv") or str(Path.home() / ".cache" / "scops" / "uv" / "bin" / "uv")
    _run(uv, "venv", "--quiet", "--python", sys.executable, str(venv))
    _run(uv, "pip", "install", "--quiet", "--python", str(venv / "bin" / "python"), str(CHECKOUT))
    return disk_mb(next((venv / "lib").glob("python*/site-packages")))


def disk_mb(folder: Path) -> float:
    """Returns what a folder takes on the disk; a file with several names counts once."""
    files = {
        (stat.st_dev, stat.st_ino): stat.st_blocks
        for stat in (path.lstat() for path in folder.rglob("*"))
    }
    return sum(files.values()) * BLOCK_BYTES / MEGABYTE


def ready_seconds(folder: Path) -> float:
    """Starts a system on an empty folder and returns how long that took."""
    with System(folder).running() as system:
        return system.ready_seconds


def memory_after_crawl(bodies: dict[str, bytes], folder: Path) -> Memory:
    """Crawls pages, asks a question and returns the memory of the system."""
    origin = Origin(bodies)
    with origin.running(), System(folder).running() as system, Client(system.address) as client:
        warm_up(system, client)
        client.create_scope(SCOPE, origin)
        with sampled(system.memory_mb, every_seconds=SAMPLE_SECONDS) as samples:
            counts = client.wait(SCOPE, client.start_crawl(SCOPE))
            client.answer(SCOPE, QUESTION)
        memory = Memory(system.memory_mb(), system.resident_mb(), max(samples))
    progress(f"crawled: {counts.indexed} pages; {memory}")
    return memory


def _run(*command: str) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_SECONDS_MAX, check=False
        )
    except OSError as error:
        raise SystemExit(f"benchmarks.footprint: {command[0]} cannot be run: {error}") from error
    if done.returncode:
        raise SystemExit(f"benchmarks.footprint: {' '.join(command)} failed:\n{done.stderr}")


if __name__ == "__main__":
    main()
