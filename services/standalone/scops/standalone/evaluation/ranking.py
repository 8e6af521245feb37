"""How well passages are ranked, and whether they stay inside the scope that is meant.

Source: Järvelin and Kekäläinen (TOIS 2002) for nDCG; OwlerLite, section 3, for SF@k and SL@k.
"""

import math
from collections.abc import Collection, Sequence
from urllib.parse import unquote, urlsplit

from scops.client.values.passages import Passage
from scops.standalone.evaluation.questions import ExpectedPassage

# Runs of characters, without spaces, that two texts are compared by.
RUN_CHARACTERS = 12
# Of the shorter text, so much must stand in the longer; and it must have so many characters.
SHARE_MIN = 0.5
CHARACTERS_MIN = 40


def found_gains(
    passages: Sequence[Passage], expected: Sequence[ExpectedPassage]
) -> list[tuple[int, ...]]:
    """Returns, for each passage, the gains of what it is the first to show."""
    left = list(expected)
    gains: list[tuple[int, ...]] = []
    for passage in passages:
        shown = [one for one in left if _shows(passage, one)]
        left = [one for one in left if one not in shown]
        gains.append(tuple(one.gain for one in shown))
    return gains


def ndcg(gains: Sequence[Sequence[int]], expected: Sequence[ExpectedPassage], *, cut: int) -> float:
    """Returns the discounted gain of the first `cut` passages, over the best possible one.

    A passage that shows several things gains all of them; 1 is the most that counts.
    """
    best = _discounted([one.gain for one in sorted(expected, key=lambda one: -one.gain)][:cut])
    return min(1.0, _discounted([sum(each) for each in gains[:cut]]) / best) if best else 0.0


def reciprocal_rank(gains: Sequence[Sequence[int]], *, cut: int) -> float:
    """Returns 1/rank of the first passage that shows something; 0 where none of `cut` does."""
    return next((1 / rank for rank, each in enumerate(gains[:cut], 1) if each), 0.0)


def hit(gains: Sequence[Sequence[int]], *, cut: int) -> float:
    """Returns 1 where one of the first `cut` passages shows something, else 0."""
    return float(any(gains[:cut]))


def scope_fidelity(
    passages: Sequence[Passage], scopes: Collection[str], *, cut: int
) -> float | None:
    """Returns the share of the first passages that are in one of some scopes.

    Differs from its source: what is not there is not counted, since fewer passages than `cut` are
    no leak. None where there is no passage.
    """
    first = passages[:cut]
    if not first:
        return None
    inside = [any(_id(held.scope) in scopes for held in one.scopes) for one in first]
    return sum(inside) / len(first)


def _shows(passage: Passage, expected: ExpectedPassage) -> bool:
    pages = (passage.uri, *(mirror.uri for mirror in passage.mirrors))
    if expected.page and any(_is_page(uri, expected.page) for uri in pages):
        return True
    return bool(expected.text) and says(passage.text, expected.text)


def says(text: str, expected: str) -> bool:
    """Returns whether a text has half of what is expected, or is itself half of it."""
    left, right = _even(text), _even(expected)
    if len(left) < min(len(right), CHARACTERS_MIN):
        return False
    if right in left or left in right:
        return bool(right)
    shorter, longer = sorted((left, right), key=len)
    runs = _runs(shorter)
    return len(runs & _runs(longer)) >= SHARE_MIN * max(1, len(runs))


def _runs(text: str) -> frozenset[str]:
    return frozenset(
        text[at : at + RUN_CHARACTERS] for at in range(max(1, len(text) - RUN_CHARACTERS + 1))
    )


def _even(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _is_page(uri: str, page: str) -> bool:
    if "://" in page:
        return uri.rstrip("/") == page.rstrip("/")
    last = unquote(urlsplit(uri).path.rstrip("/").rpartition("/")[2])
    return page in (last, last.rpartition(".")[0])


def _id(scope: str) -> str:
    return scope.removeprefix("scopes/")


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
