"""A listing as it was read: what it names, packed until it is taken up.

Reading happens elsewhere (`listing_task`), in a process that may be killed, so this is also the
form in which it comes back: any bytes are decoded without harm.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from scops.fetcher.discovery.sitemap import SITEMAPS_PER_JOB_MAX, SignalKind, SitemapEntry

_LINE = re.compile(rb"^([^ \n]*+) ([^\n]++)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What a sitemap, feed or llms.txt names.

    Attributes:
        entries: a line a page: when it was last modified, empty where that is not said, and its
            canonical URL.
        sitemaps: further listings, canonical, in order.
        latest: the greatest time of an entry.
        truncated: whether a bound or damage cut it off.
        hub_url: that it names in itself, canonical; empty for none.
        topic_url: by which it names itself, as it writes it; empty where it does not.
    """

    entries: bytes = b""
    sitemaps: tuple[str, ...] = ()
    kind: SignalKind = SignalKind.SITEMAP
    latest: datetime | None = None
    truncated: bool = False
    hub_url: str = ""
    topic_url: str = ""

    def batches(self, size: int) -> Iterator[tuple[SitemapEntry, ...]]:
        """Yields the pages in their order, some at a time."""
        lines = _LINE.finditer(self.entries)
        while batch := tuple(islice(map(_entry, lines), size)):
            yield batch

    def speaks_of_later(self, now: datetime) -> bool:
        """Says whether some page is said to change after now: that is heard only then."""
        return self.latest is not None and self.latest > now


def packed(listing: Listing) -> tuple[bytes, bytes]:
    """Returns a listing as bytes."""
    head = {
        "sitemaps": listing.sitemaps,
        "kind": listing.kind.value,
        "latest": listing.latest.isoformat() if listing.latest else "",
        "truncated": listing.truncated,
        "hub_url": listing.hub_url,
        "topic_url": listing.topic_url,
    }
    return json.dumps(head).encode(), listing.entries


def unpacked(head: bytes, entries: bytes) -> Listing:
    """Returns the listing of `packed`."""
    said = json.loads(head)
    return Listing(
        entries=entries,
        sitemaps=tuple(said["sitemaps"]),
        kind=SignalKind(said["kind"]),
        latest=datetime.fromisoformat(said["latest"]) if said["latest"] else None,
        truncated=said["truncated"],
        hub_url=said["hub_url"],
        topic_url=said["topic_url"],
    )


def listing_of(
    pages: Sequence[SitemapEntry],
    sitemaps: Sequence[SitemapEntry],
    *,
    kind: SignalKind,
    truncated: bool,
    bytes_max: int,
) -> Listing:
    """Returns a listing of entries, cut off where it grows too large."""
    lines = bytearray()
    times = []
    for page in pages:
        time = page.last_modified.isoformat() if page.last_modified else ""
        line = f"{time} {page.url}\n".encode()
        if len(lines) + len(line) > bytes_max:
            truncated = True
            break
        lines += line
        times += [page.last_modified] if page.last_modified else []
    return Listing(
        entries=bytes(lines),
        sitemaps=tuple(entry.url for entry in sitemaps)[:SITEMAPS_PER_JOB_MAX],
        kind=kind,
        latest=max(times, default=None),
        truncated=truncated,
    )


def _entry(line: re.Match[bytes]) -> SitemapEntry:
    time, url = line[1].decode("ascii", "replace"), line[2].decode("ascii", "replace")
    return SitemapEntry(url, datetime.fromisoformat(time) if time else None)
