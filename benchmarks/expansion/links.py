"""Links of pages, and the graph that they make.

Paths name pages; a link of a path leads to another path of the same site, without query and
fragment.
"""

import posixpath
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from urllib.parse import quote, unquote, urljoin, urlsplit

from lxml import html

from benchmarks.shared.system.html_pages import PATH_CHARACTERS, SUFFIXES

CONTEXT_WORDS = 20
FAR = 1 << 30
_BLOCKS = frozenset(("p", "li", "dd", "dt", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "div"))
# Any host: only paths are kept.
_HOST = "http://site.invalid"

# A word, and the link that it stands in.
_Word = tuple[str, html.HtmlElement | None]


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page.

    Attributes:
        path: where it leads.
        anchor: its words.
        context: at most 20 words around it and including it, of the block that it stands in.
    """

    path: str
    anchor: str
    context: str


def links_of(body: bytes, path: str) -> list[Link]:
    """Returns the links of a page to HTML pages of its site, in their order, each once.

    Args:
        path: of the page, percent-encoded, with a slash at its beginning.
    """
    if not body.strip():
        return []
    found: dict[Link, None] = {}
    blocks: dict[html.HtmlElement, list[_Word]] = {}
    for anchor in html.document_fromstring(body).iter("a"):
        target = _target(anchor.get("href") or "", path)
        if not target or target == path:
            continue
        block = next((one for one in anchor.iterancestors() if one.tag in _BLOCKS), anchor)
        if block not in blocks:
            blocks[block] = _words_of(block)
        text = " ".join(str(anchor.xpath("string()")).split())
        found.setdefault(Link(target, text, _context(blocks[block], anchor)))
    return list(found)


def targets_of(body: bytes, path: str) -> list[str]:
    """Returns the paths that a page links to, in their order, each once."""
    if not body.strip():
        return []
    anchors = html.document_fromstring(body).iter("a")
    targets = (_target(one.get("href") or "", path) for one in anchors)
    return list(dict.fromkeys(one for one in targets if one and one != path))


class LinkGraph:
    """Which page links to which.

    Args:
        links: the targets of each page by its path; targets that are no pages are left out.
    """

    def __init__(self, links: Mapping[str, Iterable[str]]) -> None:
        self.targets: dict[str, tuple[str, ...]] = {
            path: tuple(dict.fromkeys(one for one in links[path] if one in links)) for path in links
        }

    @cached_property
    def sources(self) -> dict[str, tuple[str, ...]]:
        """The pages that link to each page."""
        found: dict[str, list[str]] = {path: [] for path in self.targets}
        for path, targets in self.targets.items():
            for target in targets:
                found[target].append(path)
        return {path: tuple(sources) for path, sources in found.items()}

    def without(self, gone: Iterable[str]) -> "LinkGraph":
        """Returns the graph of a site that lacks some pages."""
        left = set(gone)
        return LinkGraph({path: to for path, to in self.targets.items() if path not in left})

    def steps_from(self, path: str) -> dict[str, int]:
        """Returns how many links each page is away; pages that are not reached are left out."""
        return _steps(self.targets, (path,))

    def steps_to(self, paths: Iterable[str]) -> dict[str, int]:
        """Returns how many links each page needs to the nearest of some pages."""
        return _steps(self.sources, paths)

    def path_to(self, start: str, paths: Iterable[str]) -> list[str]:
        """Returns the pages of a shortest way to the nearest of some pages, both ends included.

        Empty where none is reached.
        """
        left = self.steps_to(paths)
        if start not in left:
            return []
        way = [start]
        while left[way[-1]]:
            way.append(min(self.targets[way[-1]], key=lambda one: left.get(one, FAR)))
        return way


def page_path(relative: str) -> str:
    """Returns the path that a file is served under."""
    return "/" + quote(relative, safe=PATH_CHARACTERS)


def _steps(edges: Mapping[str, tuple[str, ...]], starts: Iterable[str]) -> dict[str, int]:
    found = {path: 0 for path in starts if path in edges}
    waiting = deque(found)
    while waiting:
        path = waiting.popleft()
        for target in edges[path]:
            if target not in found:
                found[target] = found[path] + 1
                waiting.append(target)
    return found


@lru_cache(maxsize=1 << 16)
def _target(href: str, path: str) -> str:
    """Returns the path that a link leads to; empty where that is no page of the site."""
    try:
        parts = urlsplit(urljoin(_HOST + path, href.strip()))
    except ValueError:
        return ""
    suffix = posixpath.splitext(parts.path)[1].lower()
    if f"{parts.scheme}://{parts.netloc}" != _HOST or suffix not in ("", *SUFFIXES):
        return ""
    name = unquote(parts.path).lstrip("/")
    return page_path(name + "index.html" if name.endswith("/") or not name else name)


def _context(words: list[_Word], anchor: html.HtmlElement) -> str:
    """Returns the words around a link, as many on either side as there are."""
    places = [number for number, (_, link) in enumerate(words) if link is anchor]
    first = places[0] if places else 0
    start = max(0, first - max(0, CONTEXT_WORDS - len(places)) // 2)
    return " ".join(word for word, _ in words[start : start + CONTEXT_WORDS])


def _words_of(block: html.HtmlElement) -> list[_Word]:
    """Returns the words of a block, each with the link that it stands in."""
    found: list[_Word] = []
    for run in block.xpath(".//text()"):
        parent = run.getparent().getparent() if run.is_tail else run.getparent()
        link = next((one for one in (parent, *parent.iterancestors()) if one.tag == "a"), None)
        found.extend((word, link) for word in run.split())
    return found
