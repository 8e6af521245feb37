"""llms.txt: the pages that a site recommends to language models, and what it says of them.

Source: llmstxt.org: Markdown at `/llms.txt`, a title, and lists of links. Every link counts, since
which of them may be fetched is for the scope's rules and robots.txt to say.
"""

import re
from collections import Counter, defaultdict
from urllib.parse import urlsplit, urlunsplit

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url
from scops.common.text.terms import STOP_WORDS, stem, words
from scops.fetcher.discovery.search_index import (
    SearchHit,
    SearchIndex,
    plain_title,
    ranked,
)
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


def recommended_hits(body: bytes, *, base: str, question: str, limit: int) -> list[SearchHit]:
    """Returns the pages that an llms.txt links to, those first that it says most of a question of.

    The title of each is what the link says, with what follows it on its line. Pages of which
    nothing of the question is said come last, with a score of 0.

    Args:
        base: its URL, which relative links are resolved against.
    """
    index = _index(body, base)
    hits = ranked(index, question, limit=limit)
    found = {hit.url for hit in hits}
    pages = zip(index.urls, index.titles, strict=True)
    others = [SearchHit(url, title, 0.0) for url, title in pages if url not in found]
    return [*hits, *others][:limit]


def _index(body: bytes, base: str) -> SearchIndex:
    """Returns what an llms.txt says of each page, as a search index."""
    titles: dict[str, str] = {}
    for looked_at, line in enumerate(body.decode("utf-8-sig", errors="replace").splitlines()):
        link = _LINK.search(line)
        if len(titles) >= LINKS_MAX or looked_at >= LOOKED_AT_MAX:
            break
        if link is None:
            continue
        try:
            url = canonical_url(link[1], base)
        except InvalidInput:
            continue
        label = line[: link.start()].rpartition("[")[2]
        said = line[link.end() :].lstrip(">) ").lstrip(":–- ")
        titles.setdefault(url, plain_title(f"{label}: {said}" if said else label))
    postings: defaultdict[str, dict[int, float]] = defaultdict(dict)
    lengths: list[float] = []
    for page, title in enumerate(titles.values()):
        said_of = Counter(stem(word) for word in words(title) if word not in STOP_WORDS)
        lengths.append(1.0 + said_of.total())
        for term, count in said_of.items():
            postings[term][page] = float(count)
    return SearchIndex(
        urls=tuple(titles),
        titles=tuple(titles.values()),
        lengths=lengths,
        counts=lambda word: postings.get(stem(word), {}),
        titled=lambda word: frozenset(),
    )
