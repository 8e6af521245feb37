"""Replays recorded snapshots of living pages through the running services, and prints the bill.

    python -m benchmarks.replay --data ../shared/data/sites/ota-snapshots [--steps 200] --json

Snapshots of all pages are put in order of their time; at each step those that are new are served
by a local origin and fetched. `--steps 0` takes every recorded step, else so many of them, evenly.

Keys: `stays` (runs of equal text, by our extractor alone) and `versions` (by the services): one
version per stay; `fetches` (snapshots served), `changed_bodies` (answers with other bytes than
before), `chunks_embedded`, and what would have been embedded without chunk identity:
`chunks_if_page_level` (all chunks of a page whose text differs) and `chunks_if_document_level`
(all chunks of a page whose bytes differ). The same three as bytes of text and vector written to
the index. `flaps` are versions whose text had stood before, `disk_bytes` all that grew on disk.
"""

import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from benchmarks.change.sets import Side, html_side
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.json_lines import json_lines
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.crawling import warm_up
from benchmarks.shared.system.html_pages import PREFIX
from benchmarks.shared.system.index_texts import indexed_chunks
from benchmarks.shared.system.origin import Origin
from benchmarks.shared.system.system import System

SCOPE = "replay"
STEP_SECONDS = 12 * 3600
STEPS = 200
VECTOR_BYTES = 384 * 4
STATE = "data/state/change_detector.db"
VERSIONS = """
SELECT a.canonical_url, v.observed_from, v.chunk_count, v.restored_version_id
FROM version v JOIN page_address a ON a.page_id = v.page_id
WHERE v.revision = 0 ORDER BY a.canonical_url, v.observed_from
"""
# What a page shows before its first snapshot: a link to nothing, and never an article.
EMPTY = b"<!doctype html><title>Not yet</title>"


@dataclass(frozen=True, slots=True)
class Replayed:
    """What happened to one page.

    Attributes:
        stays: runs of equal text among the snapshots that were served.
        standing: for each snapshot that was served with new bytes, the place of its stay.
    """

    stays: int
    standing: Sequence[int]


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """A version as the change-detector recorded it."""

    path: str
    chunks: int
    restored: bool


def main() -> None:
    parser = command_parser(__doc__, data="folder of *.jsonl.xz")
    parser.add_argument("--steps", type=int, default=STEPS, help="steps replayed; 0 for all")
    args = parser.parse_args()
    result = measure(args.data, steps=args.steps)
    print_result(result, args)
    if result["versions"] != result["stays"]:
        raise SystemExit("benchmarks.replay: there is not one version per stay of a text")


def measure(data: Path, *, steps: int) -> dict[str, float]:
    """Returns the figures that the module's docstring names."""
    timeline = _chosen(_timeline(data), steps)
    paths = sorted({path for step in timeline for path in step})
    origin = Origin(dict.fromkeys(paths, EMPTY))
    served: defaultdict[str, list[str]] = defaultdict(list)
    with (
        tempfile.TemporaryDirectory(prefix="scops-replay-") as scratch,
        origin.running(),
        System(Path(scratch)).running() as system,
        Client(system.address) as client,
    ):
        warm_up(system, client)
        client.create_scope(SCOPE, origin)
        disk, embedded = _disk_bytes(system.folder), system.embedded()
        for place, step in enumerate(timeline):
            _serve(step, origin, client)
            for path, html in step.items():
                served[path].append(html)
            if place % 20 == 0:
                progress(f"step {place} of {len(timeline)}")
        embedded = system.embedded() - embedded
        texts = [chunk.embedded_text for chunk in indexed_chunks(system.folder)]
        disk = _disk_bytes(system.folder) - disk
        versions = _versions(system.folder)
    chunk_bytes = VECTOR_BYTES + sum(len(text.encode()) for text in texts) / max(len(texts), 1)
    return _bill(served, versions, embedded=embedded, disk=disk, chunk_bytes=chunk_bytes)


def _serve(step: Mapping[str, str], origin: Origin, client: Client) -> None:
    """Shows the snapshots of a step and has them fetched."""
    for path, html in step.items():
        origin.edit(path, html.encode())
    name = client.start_crawl(SCOPE, urls=[origin.url + path for path in step])
    client.wait(SCOPE, name)


def _timeline(data: Path) -> list[dict[str, str]]:
    """Returns for each step the pages that were recorded anew, with what they showed."""
    steps: defaultdict[int, dict[str, str]] = defaultdict(dict)
    for file in sorted(data.glob("*.jsonl.xz")):
        path = f"{PREFIX}{file.name.removesuffix('.jsonl.xz')}.html"
        for row in json_lines(file):
            at = datetime.fromisoformat(row["fetched"]).timestamp()
            steps[int(at // STEP_SECONDS)][path] = row["html"]
    return [steps[number] for number in sorted(steps)]


def _chosen(timeline: list[dict[str, str]], steps: int) -> list[dict[str, str]]:
    if not steps or steps >= len(timeline):
        return timeline
    return [timeline[place * len(timeline) // steps] for place in range(steps)]


def _versions(folder: Path) -> dict[str, list[StoredVersion]]:
    found: defaultdict[str, list[StoredVersion]] = defaultdict(list)
    with closing(sqlite3.connect(f"file:{folder / STATE}?mode=ro", uri=True)) as connection:
        for url, _, chunks, restored in connection.execute(VERSIONS):
            path = PREFIX + url.partition(PREFIX)[2]
            found[path].append(StoredVersion(path, chunks, bool(restored)))
    return found


def _replayed(bodies: Sequence[str]) -> Replayed:
    """Extracts what was served, and tells the stays."""
    sides: dict[str, Side] = {}
    standing: list[int] = []
    text: str | None = None
    stays = 0
    last = ""
    for html in bodies:
        side = html_side(html, None, sides, honour_robots=True)
        if side.readable and side.text != text:
            text, stays = side.text, stays + 1
        if html != last and side.readable:
            standing.append(stays - 1)
        last = html
    return Replayed(stays, standing)


def _bill(
    served: Mapping[str, Sequence[str]],
    versions: Mapping[str, Sequence[StoredVersion]],
    *,
    embedded: int,
    disk: int,
    chunk_bytes: float,
) -> dict[str, float]:
    replayed = {path: _replayed(bodies) for path, bodies in served.items()}
    stored = {path: list(versions.get(path, ())) for path in served}
    by_page = sum(version.chunks for rows in stored.values() for version in rows)
    by_document = sum(
        stored[path][place].chunks
        for path, page in replayed.items()
        for place in page.standing
        if place < len(stored[path])
    )
    return {
        "pages": len(served),
        "fetches": sum(len(bodies) for bodies in served.values()),
        "changed_bodies": sum(len(page.standing) for page in replayed.values()),
        "stays": sum(page.stays for page in replayed.values()),
        "versions": sum(len(rows) for rows in stored.values()),
        "flaps": sum(version.restored for rows in stored.values() for version in rows),
        "chunks_embedded": embedded,
        "chunks_if_page_level": by_page,
        "chunks_if_document_level": by_document,
        "bytes_written": round(embedded * chunk_bytes),
        "bytes_if_page_level": round(by_page * chunk_bytes),
        "bytes_if_document_level": round(by_document * chunk_bytes),
        "disk_bytes": disk,
    }


def _disk_bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


if __name__ == "__main__":
    main()
