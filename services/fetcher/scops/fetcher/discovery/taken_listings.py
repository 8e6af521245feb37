"""What a scope has taken up of a sitemap, a feed or an llms.txt: its recrawl reads news only.

A listing that a job of a scope has read whole, and that comes again as it was, tells a later
recrawl of the same scope nothing: its pages are known and have due times of their own, its times
are kept, and what it leads to is held here. A crawl reads every listing, for the pages it names
are its own.
"""

from dataclasses import dataclass
from datetime import timedelta

from scops.common.contract.ids import sha256_hex
from scops.fetcher.ports.page_source import Fetched

TAKEN_KEPT = timedelta(days=7)
"""How long a reading counts. A listing also names pages that the scope does not hold; what it says
of one that another scope came to know meanwhile is told after this at the latest."""


@dataclass(frozen=True, slots=True)
class TakenListing:
    """A listing as it was read.

    Attributes:
        digest: of its body and address, by `listing_digest`.
        sitemaps: listings that it names, canonical, in order; they may change though it does not.
    """

    digest: str
    sitemaps: tuple[str, ...]


def listing_digest(answer: Fetched) -> str:
    """Returns what two answers share that name the same pages and times."""
    return sha256_hex(answer.final_url.encode() + b"\n" + answer.body)
