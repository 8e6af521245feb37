"""The same pages crawled live and taken in from records of the same answers."""

import random
import urllib.request
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.import_warc.command import import_warc
from benchmarks.shared.command import progress
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.crawling import crawl
from benchmarks.shared.system.edits import edit_share
from benchmarks.shared.system.html_pages import read_pages
from benchmarks.shared.system.index_texts import indexed_chunks
from benchmarks.shared.system.origin import Origin
from benchmarks.shared.system.system import System
from scops.client import PageVersion, Scops
from tests.fakes.files.warc_files import WarcMaker

SCOPE = "bench"
EDITED_SHARE = 0.3
SEED = 7
TIMES = (datetime(2024, 3, 1, 12, tzinfo=UTC), datetime(2024, 4, 1, 12, tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class Held:
    """What an installation holds: digests of texts by URL, oldest first, and chunks."""

    texts: dict[str, list[str]]
    chunks: Counter[tuple[str, str]]

    @property
    def versions(self) -> dict[str, int]:
        """How many each page has."""
        return {url: len(digests) for url, digests in self.texts.items()}


def equal_to_live(data: Path, folder: Path, *, pages: int) -> dict[str, bool]:
    """Returns whether versions, chunks and texts are those of a live crawl.

    Args:
        data: folder of HTML files.
        folder: for two installations and the WARC files.
    """
    origin = Origin(read_pages(data, limit=pages))
    files = [folder / f"edition-{number}.warc.gz" for number in range(len(TIMES))]
    with origin.running():
        with System(folder / "live").running() as system, Client(system.address) as client:
            client.create_scope(SCOPE, origin)
            for number, (file, at) in enumerate(zip(files, TIMES, strict=True)):
                if number:
                    edit_share(origin, EDITED_SHARE, random.Random(SEED))
                done, _ = crawl(system, client, SCOPE, origin)
                progress(f"live: {done}")
                _record(origin, file, at)
            live = _held(system, origin)
        with System(folder / "taken").running() as system, Client(system.address) as client:
            client.create_scope(SCOPE, origin)
            progress(f"taken in: {import_warc(system, files, scope=SCOPE).summary}")
            taken = _held(system, origin)
    if max(live.versions.values()) < len(TIMES):
        raise SystemExit("benchmarks.import_warc: no page has a second version")
    return {
        "versions": live.versions == taken.versions,
        "chunks": live.chunks == taken.chunks,
        "texts": live.texts == taken.texts,
    }


def _record(origin: Origin, file: Path, at: datetime) -> None:
    """Writes what the origin answers now."""
    warc = WarcMaker()
    for path in origin.paths:
        with urllib.request.urlopen(origin.url + path) as answer:
            headers = tuple(answer.headers.items())
            warc.response(origin.url + path, answer.read(), headers=headers, at=at)
    warc.save(file)


def _held(system: System, origin: Origin) -> Held:
    texts = {}
    with Scops(system.address) as scops:
        for path in origin.paths:
            versions = scops.page_history(origin.url + path).versions
            ordered = sorted(versions, key=_observed)
            texts[path] = [one.text_digest for one in ordered]
    chunks = Counter((one.header, one.text) for one in indexed_chunks(system.folder))
    return Held(texts, chunks)


def _observed(version: PageVersion) -> datetime:
    assert version.observed_from_time is not None, "every version was observed"
    return version.observed_from_time
