"""Which links of a page are worth following; scope rules and robots.txt judge later."""

from collections import Counter
from collections.abc import Iterable
from urllib.parse import urlsplit

from scops.common.errors import InvalidInput
from scops.common.messages.content import LinkList
from scops.common.urls import canonical_url
from scops.fetcher.settings import FetcherSettings


def followed_urls(links: LinkList, settings: FetcherSettings) -> tuple[str, ...]:
    """Returns the canonical URLs of a page's links, each once, in their order.

    Links marked nofollow, malformed ones, and those that look like a trap (an endless calendar,
    a path that repeats itself) are left out.
    """
    if links.nofollow:
        return ()
    stated = (link.url for link in links.links if "nofollow" not in link.rel.lower().split())
    urls = dict.fromkeys(url for url in _canonical(stated) if not _is_trap(url, settings))
    return tuple(urls)[: settings.links_per_page_max]


def _canonical(urls: Iterable[str]) -> Iterable[str]:
    for url in dict.fromkeys(urls):
        try:
            yield canonical_url(url)
        except InvalidInput:
            continue


def _is_trap(url: str, settings: FetcherSettings) -> bool:
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > settings.path_segments_max:
        return True
    if segments and max(Counter(segments).values()) > settings.segment_repeats_max:
        return True
    return bool(parts.query) and parts.query.count("&") + 1 > settings.query_parameters_max
