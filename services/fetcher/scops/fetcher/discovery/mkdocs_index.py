"""Reads `search_index.json`, by which the search of a site made with MkDocs finds its pages.

Source: MkDocs and Material for MkDocs: `config.lang`, and `docs`: sections with `location` (below
the root of the site, with a fragment), `title` and `text`, which may be HTML.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

import Stemmer

from scops.fetcher.discovery.search_index import (
    PAGES_MAX,
    SearchIndex,
    not_read,
    plain_text,
    plain_title,
    words_of,
)
from scops.libraries.index.words.analysis import SNOWBALL

MKDOCS_INDEX = "search/search_index.json"
LANGUAGE = "en"
_LOCATION_CHARACTERS_MAX = 1000


@dataclass(slots=True)
class _Page:
    """A page while its sections are gathered; `counts` is of the stems that are looked for."""

    url: str
    title: str
    characters: int = 1
    counts: Counter[str] = field(default_factory=Counter)


def read_mkdocs(body: bytes, *, url: str, wanted: Sequence[str]) -> SearchIndex:
    """Returns the index of a `search_index.json`, as far as it says some words.

    Args:
        url: of the file, above whose folder the pages lie.
        wanted: words that it is asked for, in lower case.

    Raises:
        InvalidInput: it is none.
    """
    read = _object(body)
    stems = _Stems(Stemmer.Stemmer(SNOWBALL.get(_language(read), SNOWBALL[LANGUAGE])))
    looked_for = {stems[word] for word in wanted}
    pages = _gathered(_sections(read), url.removesuffix(MKDOCS_INDEX), stems, looked_for)
    titles = [{stems[word] for word in words_of(page.title)} for page in pages]

    def counts(word: str) -> dict[int, float]:
        found = ((number, page.counts[stems[word]]) for number, page in enumerate(pages))
        return {number: float(count) for number, count in found if count}

    def titled(word: str) -> set[int]:
        return {number for number, title in enumerate(titles) if stems[word] in title}

    return SearchIndex(
        urls=[page.url for page in pages],
        titles=[page.title for page in pages],
        lengths=[page.characters for page in pages],
        counts=counts,
        titled=titled,
    )


class _Stems(dict[str, str]):
    """Stems by their words: pages share most of them."""

    def __init__(self, stemmer: Stemmer.Stemmer) -> None:
        super().__init__()
        self._stemmer = stemmer

    def __missing__(self, word: str) -> str:
        self[word] = self._stemmer.stemWord(word)
        return self[word]


def _object(body: bytes) -> dict[str, object]:
    try:
        read = json.loads(body.decode("utf-8-sig", errors="replace"))
    except (ValueError, RecursionError):
        read = None
    if not isinstance(read, dict):
        raise not_read("it is no object in JSON")
    return read


def _language(read: Mapping[str, object]) -> str:
    settings = read.get("config")
    stated = settings.get("lang") if isinstance(settings, dict) else None
    first = stated[0] if isinstance(stated, list) and stated else stated
    return first if isinstance(first, str) else LANGUAGE


def _sections(read: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    """Yields the location of each section, its title and its text."""
    found = read.get("docs")
    if not isinstance(found, list):
        raise not_read("it has no list of docs")
    for section in found:
        if isinstance(section, dict) and isinstance(section.get("location"), str):
            text = section.get("text")
            title = plain_title(section.get("title"))
            yield section["location"], title, text if isinstance(text, str) else ""


def _gathered(
    sections: Iterable[tuple[str, str, str]], root: str, stems: _Stems, wanted: Set[str]
) -> Sequence[_Page]:
    """Returns the pages of sections; a page's first section has its title."""
    pages: dict[str, _Page] = {}
    for location, title, text in sections:
        place = location.partition("#")[0]
        page = pages.get(place)
        if page is None:
            if len(pages) >= PAGES_MAX:
                break
            page = pages[place] = _Page(_url(root, place), title)
        page.characters += len(text)
        said = (stems[word] for word in words_of(f"{title} {plain_text(text)}"))
        page.counts.update(stem for stem in said if stem in wanted)
    return list(pages.values())


def _url(root: str, place: str) -> str:
    """Returns the URL of a page below the root of its site; empty for another place."""
    if len(place) > _LOCATION_CHARACTERS_MAX:
        return ""
    try:
        url = urljoin(root, place)
    except ValueError:
        return ""
    return url if urlsplit(url).netloc == urlsplit(root).netloc else ""
