"""What a crawl costs from the web site to the answer, against embedding the same chunks alone.

    bash benchmarks/reference/setup_torch.sh
    python -m benchmarks.pipeline [--data DIR] [--pages N] --json
    python -m benchmarks.pipeline --roles separate [--data DIR] [--pages N] --json

It serves a folder of HTML files on the loopback, half of them without validators, and lets a
`scops up` of its own crawl them with no delay between requests. CPU time is that of the whole
process tree. Every first crawl starts on an empty data folder, after a warm-up on pages of
another vocabulary; nothing else is left out.

Keys:
    throughput_vs_raw_encode: chunks a second of a first crawl of 100 pages, from the request to
        the job's end, by those of `SentenceTransformer.encode` (fp32, 512 tokens, two threads,
        loaded and warmed up) on the identical list of embedded strings. Both are of
        all-MiniLM-L6-v2, whose weights the reference can read. The two take turns;
        median of the rounds.
    recrawl_cpu_share: CPU time of crawling all pages again, one sentence in 2 % of them edited,
        by that of their first crawl.
    embedded_per_changed_chunk: texts embedded in that recrawl by chunks whose exact text is new;
        null where the edits changed no chunk.
    cost_growth_100_to_1000: CPU time per chunk of a first crawl of 1,000 pages by that of 100;
        null with fewer than 1,000 pages.
    edit_to_answer_seconds: from an edit at the origin, through a job that names the page, to an
        answer that cites the new text; median of the edits. `_p90` is the 90th percentile.

Keys of `--roles separate` (`make setup-servers` first; no torch):
    throughput_vs_one_process: chunks a second of a first crawl of 100 pages with a process a
        role, by those of one process on the same NATS, PostgreSQL and Weaviate.
    index_writes_per_change: objects written to the chunk store (inserted, copied to the history,
        deleted) for each sentence edited, one a page, in a tenth of the pages.
    bytes_written_per_change: of PostgreSQL's log and the archive together.
"""

import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.embed import DEFAULT_DATA, Reference
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.figures import percentile
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.crawling import Crawl, crawl, warm_up
from benchmarks.shared.system.edits import edit_share, time_edits
from benchmarks.shared.system.html_pages import SEED, read_pages
from benchmarks.shared.system.index_texts import IndexedChunk, new_texts
from benchmarks.shared.system.origin import Origin
from benchmarks.shared.system.system import System

PAGES_SMALL = 100
PAGES = 1000
ROUNDS = 3
EDITED_SHARE = 0.02
EDITS = 12
SCOPE = "bench"
# The model of the reference, not the default.
SETTINGS = {"SCOPS_EMBEDDER": "onnx-int8"}


@dataclass(frozen=True, slots=True)
class SmallCrawls:
    """First crawls of few pages, and the reference on the same chunks, in seconds."""

    crawls: list[Crawl]
    reference_seconds: list[float]
    chunks: int

    @property
    def throughput_ratio(self) -> float:
        pairs = zip(self.reference_seconds, self.crawls, strict=True)
        return statistics.median(reference / crawl.seconds for reference, crawl in pairs)


@dataclass(frozen=True, slots=True)
class LargeCrawl:
    """A first crawl of all pages, one after 2 % were edited, and single edits."""

    first: Crawl
    again: Crawl
    chunks: int
    embedded: int
    changed: int
    edit_seconds: list[float]
    edits_unseen: int


def main() -> None:
    parser = command_parser(__doc__, data="folder of HTML files", default=DEFAULT_DATA)
    parser.add_argument("--pages", type=int, default=PAGES, help="pages of the large crawl")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="small crawls")
    parser.add_argument(
        "--roles", choices=("one", "separate"), default="one", help="processes to compare"
    )
    args = parser.parse_args()
    if args.roles == "separate":
        result = separate(args.data, pages=min(args.pages, PAGES_SMALL), rounds=args.rounds)
    else:
        result = measure(args.data, pages=args.pages, rounds=args.rounds)
    print_result(result, args)


def measure(data: Path, *, pages: int, rounds: int) -> dict[str, float | None]:
    """Returns the figures that the module's docstring names."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="scops-bench-") as scratch:
        bodies = read_pages(data, limit=min(PAGES_SMALL, pages))
        small = small_crawls(bodies, Path(scratch), rounds=rounds)
        all_bodies = read_pages(data, limit=pages)
        large = large_crawl(all_bodies, Path(scratch, "large"))
    small_cpu = statistics.median(one.cpu_seconds for one in small.crawls)
    growth = (large.first.cpu_seconds / large.chunks) / (small_cpu / small.chunks)
    is_full = len(all_bodies) >= PAGES
    return {
        "throughput_vs_raw_encode": round(small.throughput_ratio, 2),
        "recrawl_cpu_share": round(large.again.cpu_seconds / large.first.cpu_seconds, 4),
        "embedded_per_changed_chunk": (
            round(large.embedded / large.changed, 3) if large.changed else None
        ),
        "cost_growth_100_to_1000": round(growth, 3) if is_full else None,
        "edit_to_answer_seconds": round(statistics.median(large.edit_seconds), 2),
        "edit_to_answer_seconds_p90": round(percentile(large.edit_seconds, 90), 2),
        "edits": len(large.edit_seconds),
        "edits_unseen": large.edits_unseen,
        "small_pages": len(bodies),
        "small_chunks": small.chunks,
        "small_seconds": round(statistics.median(one.seconds for one in small.crawls), 2),
        "small_cpu_seconds": round(small_cpu, 2),
        "reference_seconds": round(statistics.median(small.reference_seconds), 2),
        "pages": large.first.pages,
        "chunks": large.chunks,
        "first_seconds": round(large.first.seconds, 2),
        "first_cpu_seconds": round(large.first.cpu_seconds, 2),
        "recrawl_seconds": round(large.again.seconds, 2),
        "recrawl_cpu_seconds": round(large.again.cpu_seconds, 2),
        "recrawl_indexed": large.again.counts.indexed,
        "recrawl_unchanged": large.again.counts.unchanged,
        "recrawl_not_modified": large.again.not_modified,
        "dead": large.first.counts.dead + large.again.counts.dead,
        "recrawl_embedded": large.embedded,
        "recrawl_changed_chunks": large.changed,
        "benchmark_seconds": round(time.monotonic() - started),
    }


def separate(data: Path, *, pages: int, rounds: int) -> dict[str, float | None]:
    """Returns the figures of a process a role."""
    # Imported here: what starts servers needs packages that the other figures do not.
    from benchmarks.pipeline.separate import measure_separate

    with tempfile.TemporaryDirectory(prefix="scops-bench-") as scratch:
        return measure_separate(data, Path(scratch), pages=pages, rounds=rounds)


def small_crawls(bodies: dict[str, bytes], scratch: Path, *, rounds: int) -> SmallCrawls:
    """Crawls the same pages on fresh systems, in turns with the reference."""
    crawls: list[Crawl] = []
    reference_seconds: list[float] = []
    chunks = _small_crawl(bodies, scratch / "list", crawls)
    crawls.clear()  # It filled the caches of the machine, and gave the list.
    texts = sorted(chunk.embedded_text for chunk in chunks)
    places = list(range(len(texts)))
    with Reference.start(texts) as reference:
        for number in range(1, rounds + 1):
            again = _small_crawl(bodies, scratch / f"round-{number}", crawls)
            if sorted(chunk.embedded_text for chunk in again) != texts:
                raise SystemExit("benchmarks.pipeline: two crawls of the same pages differ")
            reference_seconds.append(reference.seconds(places))
            progress(
                f"round {number}: {len(texts)} chunks crawled in {crawls[-1].seconds:.1f} s, "
                f"encoded by the reference in {reference_seconds[-1]:.1f} s"
            )
    return SmallCrawls(crawls, reference_seconds, len(texts))


def large_crawl(bodies: dict[str, bytes], folder: Path) -> LargeCrawl:
    """Crawls all pages, edits some, crawls again, and times single edits."""
    chance = random.Random(SEED)
    origin = Origin(bodies)
    system = System(folder, settings=SETTINGS)
    with origin.running(), system.running(), Client(system.address) as client:
        warm_up(system, client)
        client.create_scope(SCOPE, origin)
        first, chunks = crawl(system, client, SCOPE, origin)
        progress(f"{first} giving {len(chunks)} chunks")
        edited = edit_share(origin, EDITED_SHARE, chance)
        embedded = system.embedded()
        again, inserted = crawl(system, client, SCOPE, origin)
        embedded = system.embedded() - embedded
        changed = new_texts(chunks, inserted)
        progress(f"{len(edited)} pages edited; {again}; {embedded} texts embedded")
        timed = time_edits(client, SCOPE, origin, count=EDITS, chance=chance, leave=edited)
    return LargeCrawl(
        first=first,
        again=again,
        chunks=len(chunks),
        embedded=embedded,
        changed=len(changed),
        edit_seconds=timed.seconds,
        edits_unseen=timed.unseen,
    )


def _small_crawl(
    bodies: dict[str, bytes], folder: Path, crawls: list[Crawl]
) -> Sequence[IndexedChunk]:
    origin = Origin(bodies)
    system = System(folder, settings=SETTINGS)
    with origin.running(), system.running(), Client(system.address) as client:
        warm_up(system, client)
        client.create_scope(SCOPE, origin)
        done, chunks = crawl(system, client, SCOPE, origin)
    crawls.append(done)
    return chunks


if __name__ == "__main__":
    main()
