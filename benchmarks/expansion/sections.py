"""Sections of pages, and an index of them that finds which page of a whole site a text is from.

The index is SQLite's own full-text search with BM25 and Porter's stems: what it says of a question
depends on no part of Scops.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from lxml import html
from spacy.lang.en.stop_words import STOP_WORDS
from Stemmer import Stemmer

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = ("p", "dd", "li")
_LEFT_OUT = frozenset(("nav", "header", "footer", "aside", "script", "style", "head"))
_WORD = re.compile(r"[^\W_]+(?:[_'’][^\W_]+)*")
_STEMMER = Stemmer("english")
# Signs that themes of documentation put after a heading, to link to it.
_PERMALINKS = str.maketrans("", "", "¶#")


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under a heading, to the next one.

    Attributes:
        path: of the page.
        page_title: of the page, its first heading.
        title: the heading; empty before the first one.
        blocks: paragraphs and items in their order, white space made single.
    """

    path: str
    page_title: str
    title: str
    blocks: tuple[str, ...]


def sections_of(body: bytes, path: str) -> list[Section]:
    """Returns the sections of a page that have text, in their order."""
    if not body.strip():
        return []
    found: list[tuple[str, list[str]]] = [("", [])]
    for element in _elements(html.document_fromstring(body)):
        text = " ".join(element.text_content().split())
        if element.tag in _HEADINGS:
            found.append((text.translate(_PERMALINKS).strip(), []))
        elif text and not any(True for _ in element.iterdescendants(*_BLOCKS)):
            found[-1][1].append(text)
    page_title = next((title for title, _ in found if title), "")
    return [Section(path, page_title, title, tuple(blocks)) for title, blocks in found if blocks]


def words_of(text: str) -> list[str]:
    """Returns the words of a text in lower case, in their order."""
    return [word.lower() for word in _WORD.findall(text)]


def stems_of(text: str) -> frozenset[str]:
    """Returns the stems of the words that carry meaning."""
    words = {word for word in words_of(text) if word not in STOP_WORDS and len(word) > 1}
    return frozenset(_STEMMER.stemWords(sorted(words)))


class SectionIndex:
    """All sections of a site.

    Args:
        sections: of each page by its path.
    """

    def __init__(self, sections: Mapping[str, Iterable[Section]]) -> None:
        self._sections = [one for path in sections for one in sections[path]]
        self._texts = {
            path: " ".join(
                words_of(" ".join(block for one in sections[path] for block in one.blocks))
            )
            for path in sections
        }
        # Questions may be made in one thread and judged in another.
        self._file = sqlite3.connect(":memory:", check_same_thread=False)
        self._file.execute(
            "CREATE VIRTUAL TABLE section USING fts5(text, tokenize='porter unicode61')"
        )
        rows = ((" ".join((one.page_title, one.title, *one.blocks)),) for one in self._sections)
        self._file.executemany("INSERT INTO section VALUES (?)", rows)

    def best(self, text: str, *, limit: int) -> list[Section]:
        """Returns the sections that BM25 ranks first for the words of a text, best first."""
        words = [word for word in words_of(text) if word not in STOP_WORDS]
        if not words:
            return []
        query = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        found = self._file.execute(
            "SELECT rowid FROM section WHERE section MATCH ? ORDER BY rank LIMIT ?", (query, limit)
        )
        return [self._sections[row - 1] for (row,) in found]

    def pages_with(self, sentence: str) -> list[str]:
        """Returns the pages on which a sentence stands word for word."""
        wanted = " ".join(words_of(sentence))
        return [path for path, text in self._texts.items() if f" {wanted} " in f" {text} "]

    def nearly_said(
        self, text: str, *, share: float, but: Set[str] = frozenset(), limit: int = 30
    ) -> bool:
        """Returns whether one block of another page holds most stems of a text.

        Args:
            share: of the stems, so many at least.
            but: pages that do not count.
            limit: of sections that are looked at, best first.
        """
        wanted = stems_of(text)
        return any(
            len(wanted & stems_of(block)) >= share * len(wanted)
            for section in self.best(text, limit=limit)
            if section.path not in but
            for block in section.blocks
        )

    def rarity(self, word: str) -> int:
        """Returns how many sections hold a word; the fewer, the more it tells."""
        rows = self._file.execute(
            "SELECT count(*) FROM section WHERE section MATCH ?", (f'"{word}"',)
        )
        return int(rows.fetchone()[0])


def _elements(root: html.HtmlElement) -> Iterator[html.HtmlElement]:
    """Yields headings and blocks in their order, without those of navigation."""
    for element in root.iter(*_HEADINGS, *_BLOCKS):
        if not any(one.tag in _LEFT_OUT for one in element.iterancestors()):
            yield element
