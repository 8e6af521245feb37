"""Which links of a page are worth following; scope rules and robots.txt judge later."""

from collections import Counter
from urllib.parse import urlsplit

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.content import LinkList
from scops.common.runtime.short_texts import kept_for_short
from scops.common.runtime.text_turns import in_turns
from scops.common.scope.urls import routed_url
from scops.fetcher.discovery.tracking import without_tracking
from scops.fetcher.discovery.traps import route_as_path

# The links of a site's navigation stand on each of its pages.
URLS_CACHED = 20_000
LINKS_PER_PAGE_MAX = 2000
# A path that is deeper, says a segment more often or has more parameters is taken for a trap.
PATH_SEGMENTS_MAX = 16
SEGMENT_REPEATS_MAX = 2
QUERY_PARAMETERS_MAX = 8


async def followed_urls(links: LinkList) -> tuple[str, ...]:
    """Returns the canonical URLs of a page's links, with routes, each once, in their order.

    First comes the URL that the page calls its own, last the page in other languages.

    Links marked nofollow, malformed ones, and those that look like a trap (a path that is too deep
    or repeats itself, too many parameters) are left out. What tracks a visitor is taken out. The
    event loop turns meanwhile.
    """
    if links.nofollow:
        return ()
    stated = (link.url for link in links.links if "nofollow" not in link.rel.lower().split())
    own = (links.canonical_url,) if links.canonical_url else ()
    stated_urls = (*own, *stated, *links.alternate_urls)
    urls = {followed_url(url): None async for url in in_turns(stated_urls, len)}
    urls.pop("", None)
    return tuple(urls)[:LINKS_PER_PAGE_MAX]


@kept_for_short(URLS_CACHED)
def followed_url(stated: str) -> str:
    """Returns the canonical form of a link, empty where it is not to be followed."""
    try:
        url = without_tracking(routed_url(stated))
    except InvalidInput:
        return ""
    return "" if _is_trap(url) else url


def _is_trap(url: str) -> bool:
    parts = urlsplit(route_as_path(url))
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > PATH_SEGMENTS_MAX:
        return True
    if segments and max(Counter(segments).values()) > SEGMENT_REPEATS_MAX:
        return True
    return bool(parts.query) and parts.query.count("&") + 1 > QUERY_PARAMETERS_MAX
