"""The index that the search of a static site reads, as far as a question needs it, and its ranking.

Pages are ranked by BM25 and by the words of their titles. Such an index names the pages of its
site whatever they link to. It is hostile until read: see `search_task`.
"""

import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from html import unescape

from scops.common.contract.errors import InvalidInput
from scops.common.text.terms import STOP_WORDS, words

INDEX_BYTES_MAX = 16 * 1024 * 1024
"""The largest that are known, of kernels and languages with all their libraries, take 12 MiB."""

PAGES_MAX = 50_000
# Of a question; the others are not looked for.
WORDS_MAX = 64
TITLE_CHARACTERS_MAX = 200

K1, B = 1.2, 0.5
"""Of BM25: Okapi's k1; lengths count half, since a long page of a manual has more to say."""

_WORD = re.compile(r"\w+")
_TAG = re.compile(r"<[^<>]*+>")
# For a title's place: longer ones are cut before they are read.
_TITLE_MARKUP_MAX = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchIndex:
    """What an index says, by the number of the page.

    Attributes:
        urls: canonical or not; empty where a page has none that can be asked for.
        titles: as a reader sees them.
        lengths: in any unit, positive.
        counts: returns how often each page that says a word does.
        titled: returns the pages whose titles say a word.
    """

    urls: Sequence[str]
    titles: Sequence[str]
    lengths: Sequence[float]
    counts: Callable[[str], Mapping[int, float]]
    titled: Callable[[str], Set[int]]


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A page that an index finds.

    Attributes:
        score: in (0, 1), which part it has of the most that any page could have for the question.
    """

    url: str
    title: str
    score: float


def ranked(index: SearchIndex, question: str, *, limit: int) -> list[SearchHit]:
    """Returns the pages that say most of a question, best first.

    Source: BM25 (Robertson and Zaragoza 2009). Differs: each word of a title adds its inverse
    document frequency; sums are divided by their upper bound.
    """
    pages = len(index.urls)
    scores: defaultdict[int, float] = defaultdict(float)
    average = sum(index.lengths) / pages if pages else 1.0
    most = 0.0
    for word in question_words(question):
        counts, titled = index.counts(word), index.titled(word)
        saying = len(counts.keys() | titled)
        rarity = math.log(1.0 + (pages - saying + 0.5) / (saying + 0.5))
        most += rarity * (K1 + 2.0)
        for page, count in counts.items():
            stretch = K1 * (1.0 - B + B * index.lengths[page] / average)
            scores[page] += rarity * count * (K1 + 1.0) / (count + stretch)
        for page in titled:
            scores[page] += rarity
    order = sorted(scores, key=lambda page: (-scores[page], page))[:limit]
    return [
        SearchHit(index.urls[page], index.titles[page], scores[page] / most)
        for page in order
        if index.urls[page] and index.urls[page].isprintable()
    ]


def packed(hits: Sequence[SearchHit]) -> bytes:
    """Returns hits as bytes."""
    return json.dumps([(hit.url, hit.title, hit.score) for hit in hits]).encode()


def unpacked(data: bytes) -> list[SearchHit]:
    """Returns the hits of `packed`."""
    return [SearchHit(url, title, score) for url, title, score in json.loads(data)]


def question_words(question: str) -> list[str]:
    """Returns the words of a question that carry meaning, in lower case, each once."""
    parts = (part for word in words(question) for part in _WORD.findall(word))
    return list(dict.fromkeys(part for part in parts if part not in STOP_WORDS))[:WORDS_MAX]


def words_of(text: str) -> list[str]:
    """Returns the words of a text as generators of documentation count them."""
    return _WORD.findall(text.lower())


def plain_text(markup: str) -> str:
    """Returns what a reader sees of an index's text, which may be HTML."""
    text = " ".join(unescape(_TAG.sub(" ", markup)).split())
    # What no store and no message takes, such as half of a surrogate pair.
    return text if text.isprintable() else "".join(filter(str.isprintable, text))


def plain_title(markup: object) -> str:
    """Returns a title; empty for anything but text."""
    if not isinstance(markup, str):
        return ""
    return plain_text(markup[:_TITLE_MARKUP_MAX])[:TITLE_CHARACTERS_MAX]


def not_read(why: str) -> InvalidInput:
    """Returns the error of a file that is no index that can be read."""
    return InvalidInput(
        f"The site's search index cannot be read: {why}. Its pages are found by their links.",
        reason="INVALID_SEARCH_INDEX",
    )
