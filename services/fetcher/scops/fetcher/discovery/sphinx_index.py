"""Reads `searchindex.js`, by which the search of a site made with Sphinx finds its pages.

Source: `sphinx.search`: a call of `Search.setIndex` with an object of `docnames`, `titles`, and of
`terms` and `titleterms`: for each stem the number of a page, or a list of them. Words of a title
are not among the terms of its page. Releases before Sphinx 5.3 write names without quotes
(`sphinx.util.jsdump`). It says neither its language nor how names of pages become URLs.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from functools import cache
from urllib.parse import quote

import Stemmer

from scops.fetcher.discovery.search_index import PAGES_MAX, SearchIndex, not_read, plain_title
from scops.libraries.index.words.analysis import SNOWBALL

SPHINX_INDEX = "searchindex.js"
LANGUAGES = (
    "da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "tr",
)  # fmt: skip
"""Whose words Sphinx stems by Snowball; English ones by Porter's first algorithm."""

PORTER = "porter"
SUFFIXES = (".html", "/", "", ".htm")
"""With which names of pages become URLs: of the builders html and dirhtml, and of servers."""

NO_TITLE = "&lt;no title&gt;"
_BEGIN, _END = "Search.setIndex(", ")"
_NAME_CHARACTERS_MAX = 1000
# A string, whole or cut off, or a name without quotes: no text makes it look twice.
_UNQUOTED = re.compile(r'"(?:[^"\\]|\\.)*+"?+|(?<=[{,])(\s*+)([A-Za-z_$][\w$]*+)(?=\s*+:)', re.S)


def read_sphinx(body: bytes, *, url: str, seen: Set[str]) -> SearchIndex:
    """Returns the index of a `searchindex.js`.

    Args:
        url: of the file, beside which the pages lie.
        seen: URLs of the site, by which it is told how names become URLs.

    Raises:
        InvalidInput: it is none.
    """
    read = _object(body)
    names, titles = _texts(read, "docnames"), _texts(read, "titles")
    if len(names) != len(titles) or len(names) > PAGES_MAX:
        raise not_read(f"it has {len(names)} pages and {len(titles)} titles")
    terms, titled = _table(read, "terms"), _table(read, "titleterms")
    lengths = Counter(page for value in terms.values() for page in _pages(value, len(names)))
    return SearchIndex(
        urls=_urls(names, url.removesuffix(SPHINX_INDEX), seen),
        titles=["" if title == NO_TITLE else plain_title(title) for title in titles],
        lengths=[lengths[page] or 1 for page in range(len(names))],
        counts=lambda word: dict.fromkeys(_saying(terms, word, len(names)), 1.0),
        titled=lambda word: _saying(titled, word, len(names)),
    )


def _object(body: bytes) -> dict[str, object]:
    text = body.decode("utf-8-sig", errors="replace")
    begin, end = text.find(_BEGIN), text.rfind(_END)
    if begin < 0 or end < begin:
        raise not_read("it does not call Search.setIndex")
    written = text[begin + len(_BEGIN) : end]
    read = _json(written)
    if read is None:
        read = _json(_UNQUOTED.sub(_quoted, written))
    if not isinstance(read, dict):
        raise not_read("it holds no object")
    return read


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _quoted(found: re.Match[str]) -> str:
    return found[0] if found[2] is None else f'{found[1]}"{found[2]}"'


def _texts(read: dict[str, object], name: str) -> list[str]:
    found = read.get(name)
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise not_read(f"it has no list of {name}")
    return found


def _table(read: dict[str, object], name: str) -> dict[str, object]:
    found = read.get(name)
    if not isinstance(found, dict):
        raise not_read(f"it has no table of {name}")
    return found


def _saying(table: dict[str, object], word: str, pages: int) -> set[int]:
    """Returns the pages of a word, in whatever of the languages its site is."""
    return {page for form in _forms(word) for page in _pages(table.get(form), pages)}


def _pages(value: object, pages: int) -> Iterator[int]:
    for page in value if isinstance(value, list) else (value,):
        if isinstance(page, int) and 0 <= page < pages:
            yield page


def _forms(word: str) -> set[str]:
    return {word, *(stemmer.stemWord(word) for stemmer in _stemmers())}


@cache
def _stemmers() -> tuple[Stemmer.Stemmer, ...]:
    names = (PORTER, *(SNOWBALL[language] for language in LANGUAGES))
    return tuple(Stemmer.Stemmer(name) for name in names)


def _urls(names: Iterable[str], root: str, seen: Set[str]) -> list[str]:
    """Returns the URLs of pages, written as those are that were seen."""
    paths = [
        root + quote(name, errors="replace") if len(name) <= _NAME_CHARACTERS_MAX else ""
        for name in names
    ]
    met = {suffix: sum(f"{path}{suffix}" in seen for path in paths) for suffix in SUFFIXES}
    suffix = max(SUFFIXES, key=lambda one: met[one])
    return [_url(path, suffix, seen) if path else "" for path in paths]


def _url(path: str, suffix: str, seen: Set[str]) -> str:
    """Returns the URL of a page; an index page may be its folder."""
    folder = path.removesuffix("index") if path.endswith("/index") else ""
    if folder and (suffix == "/" or folder in seen):
        return folder
    return f"{path}{suffix}"
