"""Sites as research runs see them, without a system: links of the pages opened so far, weighed."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from benchmarks.expansion.links import Link, links_of
from benchmarks.expansion.questions import QuestionMaker
from scops.common.contract.messages.explanation import LinkSeen, RankLinksRequest
from scops.explainer.handlers.links import weighed
from scops.fetcher.discovery.search_index import SearchHit, ranked
from scops.fetcher.discovery.sphinx_index import SPHINX_INDEX, read_sphinx
from scops.libraries.embedder.port import Embedder

# As the fetcher's `page_links` tells of them, and the gateway joins them.
FURTHER_MAX, FURTHER_CHARACTERS_MAX = 7, 240
ANCHOR_CHARACTERS, CONTEXT_CHARACTERS = 120, 200
ORIGIN = "http://site.invalid"
SEARCHED_MAX = 50


@dataclass(frozen=True, slots=True)
class Weighed:
    """Pages that may be opened next.

    Attributes:
        paths: of the pages.
        signals: meaning, words and searched of each, of shape (pages, 3).
        order: places of the pages, those first that are expected to bring most.
    """

    paths: list[str]
    signals: NDArray[np.float64]
    order: list[int]


@dataclass(slots=True)
class _Told:
    """What links say of a page."""

    anchor: str = ""
    context: str = ""
    further: list[str] = field(default_factory=list)

    def add(self, link: Link) -> None:
        text = link.anchor.removesuffix("¶").strip()[:ANCHOR_CHARACTERS]
        if len(link.context) > len(link.anchor):
            self.context = self.context or link.context[:CONTEXT_CHARACTERS]
        if not self.anchor:
            self.anchor = text
        elif text and text != self.anchor and text not in self.further:
            size = len(text) + sum(map(len, self.further))
            if len(self.further) < FURTHER_MAX and size <= FURTHER_CHARACTERS_MAX:
                self.further.append(text)


class OfflineSite:
    """The pages of a site without those that are gone."""

    def __init__(self, maker: QuestionMaker, embedder: Embedder) -> None:
        self.start = maker.site.start
        self._embedder = embedder
        kept = {path for path in maker.site.pages if path not in maker.gone}
        self._links = {
            path: [link for link in links_of(maker.site.pages[path], path) if link.path in kept]
            for path in sorted(kept)
        }
        file = maker.site.folder / SPHINX_INDEX
        seen = {ORIGIN + path for path in kept}
        self._index = (
            read_sphinx(file.read_bytes(), url=f"{ORIGIN}/{SPHINX_INDEX}", seen=seen)
            if file.is_file()
            else None
        )

    async def weighed(
        self, question: str, opened: Sequence[str], *, with_all_links: bool = False
    ) -> Weighed:
        """Weighs the pages that links of opened ones lead to.

        Args:
            with_all_links: weighs by the links of all pages, as if each had been opened.
        """
        told: dict[str, _Told] = {}
        for page in self._links if with_all_links else opened:
            for link in self._links.get(page, ()):
                if link.path not in opened:
                    told.setdefault(link.path, _Told()).add(link)
        hits = self._searched(question)
        for path, hit in hits.items():
            if path not in opened:
                told.setdefault(path, _Told()).add(Link(path, hit.title, ""))
        links = tuple(
            _seen(path, one, hits[path].score if path in hits else 0.0)
            for path, one in told.items()
        )
        gains = await weighed(RankLinksRequest(query=question, links=links), self._embedder)
        signals = [
            (gain.meaning, gain.words, link.searched)
            for link, gain in zip(links, gains, strict=True)
        ]
        order = sorted(range(len(gains)), key=lambda place: -gains[place].gain)
        return Weighed(list(told), np.array(signals).reshape(len(links), 3), order)

    def _searched(self, question: str) -> dict[str, SearchHit]:
        """Returns what the site's own search finds, by path; nothing where it has none."""
        if self._index is None:
            return {}
        hits = ranked(self._index, question, limit=SEARCHED_MAX)
        found = {urlsplit(hit.url).path: hit for hit in hits}
        return {path: hit for path, hit in found.items() if path in self._links}


def _seen(path: str, told: _Told, searched: float) -> LinkSeen:
    link = LinkSeen(url=ORIGIN + path, anchor_text=told.anchor, context=told.context)
    return replace(link, further_texts=tuple(told.further), searched=searched)
