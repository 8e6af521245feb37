"""llms.txt: the pages that a site recommends to language models.

Source: llmstxt.org: Markdown at `/llms.txt`, a title, and lists of links. Every link counts, since
which of them may be fetched is for the scope's rules and robots.txt to say.
"""

import re
from urllib.parse import urlsplit, urlunsplit

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url
from scops.fetcher.discovery.sitemap import Sitemap, SitemapEntry

LLMS_TXT_PATH = "/llms.txt"
LINKS_MAX = 5_000
# Also such as are no URLs, or were named before.
LOOKED_AT_MAX = 10 * LINKS_MAX

# Begun at what stands between label and address, and possessive: no text makes it look twice.
_LINK = re.compile(r"\]\(\s*+<?([^)\s>]{1,2000}+)")


def llms_txt_url(url: str) -> str:
    """Returns where the llms.txt for a canonical URL is."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, LLMS_TXT_PATH, "", ""))


def is_llms_txt(url: str) -> bool:
    """Says whether a canonical URL is that of an llms.txt."""
    return urlsplit(url).path == LLMS_TXT_PATH


def parse_llms_txt(body: bytes, *, base: str) -> Sitemap:
    """Returns the pages that an llms.txt links to, in its order, each once.

    Args:
        base: its URL, which relative links are resolved against.
    """
    text = body.decode("utf-8-sig", errors="replace")
    pages: dict[str, SitemapEntry] = {}
    for looked_at, found in enumerate(_LINK.finditer(text)):
        if len(pages) >= LINKS_MAX or looked_at >= LOOKED_AT_MAX:
            return Sitemap(pages=tuple(pages.values()), truncated=True)
        try:
            url = canonical_url(found[1], base)
        except InvalidInput:
            continue
        pages.setdefault(url, SitemapEntry(url))
    return Sitemap(pages=tuple(pages.values()))
