"""How much the page behind a link is expected to help with a question, by what links say of it.

Links to a page say something by their texts, the words around them and the path of its URL. What
they say is held against the question by meaning (cosine of the embedder) and by words, where a word
counts the less the more of the pages it is said of (inverse document frequency over all pages that
are weighed), and twice if nothing found so far holds it. Where the site's own search was asked,
its score counts too.

An index or a table of contents answers nothing, but has links to what does: a link that says little
else than such a name is followed early.

The weights are those of a conditional logit model (McFadden 1974) of which page answers questions
about eight sites; `benchmarks.expansion.fit` fits such ones, and tells how good these are.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from scops.common.contract.messages.explanation import LinkGain, LinkSeen
from scops.common.text.terms import STOP_WORDS, content_terms, stem, words

WEIGHTS: Mapping[str, float] = {"meaning": 3.2, "words": 2.1, "searched": 19.5}
# By hand: how much a link counts that names an overview, and from which likeness on it does.
OVERVIEW_WEIGHT, OVERVIEW_LIKENESS = 3.0, 0.9
# Makes the sum a probability: logistic regression on the same questions.
OFFSET, SCALE = -5.85, 0.57
MISSING_WEIGHT = 2.0
# What an overview is called, as it is embedded.
OVERVIEWS = ("Index", "Table of contents", "Site map")
TEXTS_EMBEDDED, CHARACTERS_EMBEDDED = 4, 200


@dataclass(frozen=True, slots=True)
class Wanted:
    """The stems of a question, and what each weighs."""

    weights: Mapping[str, float]

    def share(self, terms: frozenset[str]) -> float:
        """Returns which part of the question some terms say, in [0, 1]."""
        whole = sum(self.weights.values())
        said = sum(weight for term, weight in self.weights.items() if term in terms)
        return said / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class Meaning:
    """How near in meaning what links say is, in [0, 1], to a question and to `OVERVIEWS`."""

    question: float
    overview: float


def wanted_of(
    question: str, missing: Sequence[str], terms: Sequence[frozenset[str]] = ()
) -> Wanted:
    """Returns the words that are looked for; rare ones and those that are missing weigh more.

    Args:
        missing: words of the question that nothing found so far holds.
        terms: of each link that is weighed.
    """
    lacking = {stem(word) for word in missing}
    asked = dict.fromkeys(stem(word) for word in words(question) if word not in STOP_WORDS)
    often = Counter(term for said in terms for term in asked if term in said)
    return Wanted(
        {
            term: _rarity(often[term], len(terms)) * (MISSING_WEIGHT if term in lacking else 1.0)
            for term in asked
        }
    )


def terms_of(link: LinkSeen) -> frozenset[str]:
    """Returns the stems of all that links say of a page."""
    said = " ".join((link.anchor_text, *link.further_texts, link.context))
    return content_terms(said) | path_terms(link)


def path_terms(link: LinkSeen) -> frozenset[str]:
    """Returns the stems of a URL's path."""
    return frozenset(stem(word) for word in _path_words(link.url))


def said_by(link: LinkSeen) -> str:
    """Returns what links say of a page, as it is embedded; never nothing."""
    texts = [text for text in (link.anchor_text, *link.further_texts) if text][:TEXTS_EMBEDDED]
    said = " – ".join(dict.fromkeys(texts)) or link.context or " ".join(_path_words(link.url))
    return (said or link.url)[:CHARACTERS_EMBEDDED]


def gains_of(
    links: Sequence[LinkSeen],
    terms: Sequence[frozenset[str]],
    wanted: Wanted,
    meant: Mapping[int, Meaning],
) -> tuple[LinkGain, ...]:
    """Returns what speaks for each of some links.

    Args:
        terms: of each link, see `terms_of`.
        meant: of links by their places; the others count as saying nothing near the question.
    """
    unknown = Meaning(question=0.0, overview=0.0)
    return tuple(
        _gain(
            meant.get(place, unknown),
            words=wanted.share(said),
            path=wanted.share(path_terms(link)),
            searched=link.searched,
        )
        for place, (link, said) in enumerate(zip(links, terms, strict=True))
    )


def _gain(meaning: Meaning, *, words: float, path: float, searched: float) -> LinkGain:
    signals = {"meaning": meaning.question, "words": words, "searched": searched}
    height = sum(WEIGHTS[name] * value for name, value in signals.items())
    above = max(0.0, meaning.overview - OVERVIEW_LIKENESS) / (1.0 - OVERVIEW_LIKENESS)
    height += OVERVIEW_WEIGHT * above
    gain = 1.0 / (1.0 + math.exp(-OFFSET - SCALE * height))
    return LinkGain(gain=gain, meaning=meaning.question, words=words, path=path)


def _rarity(count: int, of: int) -> float:
    """Returns the inverse document frequency as BM25 has it."""
    return math.log(1.0 + (of - count + 0.5) / (count + 0.5))


def _path_words(url: str) -> list[str]:
    """Returns the words of a URL's path, such as `config` and `logging`."""
    path = unquote(urlsplit(url).path)
    stemmed = path.rsplit(".", 1)[0] if path.endswith((".html", ".htm", ".php")) else path
    return words(stemmed.replace("_", " ").replace("-", " ").replace("/", " ").replace(".", " "))
