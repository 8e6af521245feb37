"""The task of a child process: the body of a listing in, what it names out.

A listing is written by strangers: it may be made to cost memory (one element with millions of
attributes) or time. Its process has little more memory while it reads, and may be killed.
"""

from dataclasses import replace

from scops.common.contract.errors import InvalidInput
from scops.common.processes.tasks import Parts
from scops.fetcher.discovery.child_memory import more_memory_at_most
from scops.fetcher.discovery.hubs import topic_of, usable_hub
from scops.fetcher.discovery.listing import Listing, listing_of, packed
from scops.fetcher.discovery.llms_txt import is_llms_txt, parse_llms_txt
from scops.fetcher.discovery.sitemap import LISTING_BYTES_MAX, Sitemap
from scops.fetcher.discovery.sitemap_parser import parse_sitemap
from scops.fetcher.discovery.tracking import without_tracking

MEMORY_BYTES = 128 * 1024 * 1024
"""That reading may take beside what its process holds; 50,000 entries take 60 MiB."""

ENTRIES_BYTES_MAX = 16 * 1024 * 1024
"""Of the answer: short relative links may name long URLs."""

READ, REFUSED = b"read", b"refused"


def read(parts: Parts) -> Parts:
    """Returns what a listing names, or why it is none.

    Args:
        parts: its URL, which says what it is, and its body.

    Raises:
        MemoryError: it needs more than `MEMORY_BYTES`.
    """
    with more_memory_at_most(MEMORY_BYTES):
        return answer(parts)


def answer(parts: Parts) -> Parts:
    """Does the task, whatever it takes."""
    url, body = parts[0].decode(), parts[1]
    try:
        return (READ, *packed(_listing(url, body)))
    except InvalidInput as error:
        return (REFUSED, error.message.encode())


def _listing(url: str, body: bytes) -> Listing:
    cut = len(body) >= LISTING_BYTES_MAX
    parse = parse_llms_txt if is_llms_txt(url) else parse_sitemap
    found: Sitemap = parse(_whole_lines(body) if cut else body, base=url)
    listing = listing_of(
        [replace(page, url=without_tracking(page.url)) for page in found.pages],
        found.sitemaps,
        kind=found.kind,
        truncated=found.truncated or cut,
        bytes_max=ENTRIES_BYTES_MAX,
    )
    return replace(
        listing, hub_url=usable_hub(found.hubs, url), topic_url=topic_of(found.selves, url)
    )


def _whole_lines(body: bytes) -> bytes:
    """Drops the end of a body that was cut off: half a line names a page that is none."""
    return body[: body.rfind(b"\n") + 1] or body
