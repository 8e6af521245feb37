"""What sitemaps and feeds say: the URLs a site names itself, and when it says that they changed.

They are parsed by `sitemap_parser`, in a process of its own: here is nothing of a parser.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

SITEMAP_URLS_MAX = 50_000
"""sitemaps.org: no file lists more."""

LISTING_BYTES_MAX = 16 * 1024 * 1024
"""Of a sitemap, feed or llms.txt, unpacked; what stands behind is cut off. sitemaps.org allows
50 MiB; 50,000 URLs with their times take 10 MiB."""

SITEMAPS_PER_JOB_MAX = 50
"""Sitemaps, feeds and llms.txt read for one crawl."""

SITEMAP_DEPTH_MAX = 2
"""Indexes that may stand above a sitemap."""


class SignalKind(StrEnum):
    """Who says when a page changed."""

    SITEMAP = "sitemap"
    FEED = "feed"
    PUSH = "push"


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """One URL, canonical, with when it was last modified; None where not said or unreadable."""

    url: str
    last_modified: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemap:
    """What a sitemap lists, in its order, each URL once.

    Args:
        pages: entries of a urlset or feed; other languages of a page come after it.
        sitemaps: entries of a sitemapindex.
        truncated: whether a bound or damage cut it off.
        kind: what the times of its entries are worth as a signal.
        hubs, selves: what a feed names as `rel=hub` and `rel=self`, as it writes them.
    """

    pages: tuple[SitemapEntry, ...] = ()
    sitemaps: tuple[SitemapEntry, ...] = ()
    truncated: bool = False
    kind: SignalKind = SignalKind.SITEMAP
    hubs: tuple[str, ...] = ()
    selves: tuple[str, ...] = ()
