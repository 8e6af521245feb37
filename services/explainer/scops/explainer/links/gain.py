"""How much the page behind a link is expected to help with a question, by what the link says.

A link says something by its anchor, the words around it, the heading above it and the path of its
URL. What it says is held against the question by meaning (cosine of the embedder) and by words,
where those count twice that nothing found so far holds. What the page it stands on is worth counts
too, as in Shark-Search (Hersovici et al. 1998): relevant pages link to relevant pages.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from scops.common.contract.messages.explanation import LinkGain, LinkSeen
from scops.common.text.terms import STOP_WORDS, content_terms, stem, words

# Of the logistic model of the gain; `benchmarks.expansion.fit` fits them.
WEIGHTS: Mapping[str, float] = {
    "bias": -4.0,
    "meaning": 5.0,
    "words": 2.5,
    "path": 1.5,
    "parent": 1.0,
    "in_text": 0.5,
}
MISSING_WEIGHT = 2.0
LINK_CHARACTERS_MAX = 300


@dataclass(frozen=True, slots=True)
class Wanted:
    """The stems of a question, and what each weighs."""

    weights: Mapping[str, float]

    def share(self, terms: frozenset[str]) -> float:
        """Returns which part of the question some terms say, in [0, 1]."""
        whole = sum(self.weights.values())
        said = sum(weight for term, weight in self.weights.items() if term in terms)
        return said / whole if whole else 0.0


def wanted_of(question: str, missing: Sequence[str]) -> Wanted:
    """Returns the words that are looked for; those that are missing weigh more."""
    lacking = {stem(word) for word in missing}
    asked = dict.fromkeys(stem(word) for word in words(question) if word not in STOP_WORDS)
    return Wanted({term: MISSING_WEIGHT if term in lacking else 1.0 for term in asked})


def said_by(link: LinkSeen) -> str:
    """Returns what a link says, as it is embedded: nearest words first."""
    around = "" if link.context == link.anchor_text else link.context
    parts = (link.anchor_text, link.heading, around)
    said = " – ".join(part for part in dict.fromkeys(parts) if part)
    return (said or " ".join(_path_words(link.url)))[:LINK_CHARACTERS_MAX]


def gain_of(link: LinkSeen, wanted: Wanted, *, meaning: float) -> LinkGain:
    """Returns what speaks for a link.

    Args:
        meaning: how near in meaning the question is to what the link says, in [0, 1].
    """
    said = content_terms(" ".join((link.anchor_text, link.heading, link.context)))
    path = frozenset(stem(word) for word in _path_words(link.url))
    signals = {
        "bias": 1.0,
        "meaning": meaning,
        "words": wanted.share(said | path),
        "path": wanted.share(path),
        "parent": link.parent,
        "in_text": float(link.in_text),
    }
    height = sum(WEIGHTS[name] * value for name, value in signals.items())
    return LinkGain(
        gain=1.0 / (1.0 + math.exp(-height)),
        meaning=meaning,
        words=signals["words"],
        path=signals["path"],
    )


def _path_words(url: str) -> list[str]:
    """Returns the words of a URL's path, such as `config` and `logging`."""
    path = unquote(urlsplit(url).path)
    stemmed = path.rsplit(".", 1)[0] if path.endswith((".html", ".htm", ".php")) else path
    return words(stemmed.replace("_", " ").replace("-", " ").replace("/", " ").replace(".", " "))
