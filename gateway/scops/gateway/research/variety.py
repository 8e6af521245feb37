"""Which pages a run fetches of those that links promise much of: not only ones of one kind.

Calendars, filters and lists in parts lead to pages without end, whose links all say the same. Each
page of such a kind that a run has fetched makes the next one worth less beside pages of others, as
one of several that say the same is (maximal marginal relevance, Carbonell and Goldstein 1998).
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heapreplace
from urllib.parse import parse_qsl, urlsplit

_NUMBER = re.compile(r"[0-9]+")


def kind_of(url: str) -> str:
    """Returns the kind of a page: its URL without numbers and without the values of its query.

    Empty where a URL has neither: such a page is of no kind.
    """
    parts = urlsplit(url)
    path = _NUMBER.sub("#", parts.path)
    keys = sorted({key for key, _ in parse_qsl(parts.query, keep_blank_values=True)})
    if path == parts.path and not keys:
        return ""
    return f"{parts.netloc}{path}?{'&'.join(keys)}"


def chosen_of(urls: Sequence[str], gains: Sequence[float], passed: Iterable[str]) -> list[int]:
    """Returns the places of pages in the order in which they are fetched.

    The gain of a page is divided by one more than the pages of its kind that are before it.

    Args:
        urls: of pages that may be fetched.
        gains: what each is expected to bring.
        passed: URLs that were fetched before.
    """
    before = Counter(kind_of(url) for url in passed)
    waiting: dict[str, list[int]] = {}
    for place in sorted(range(len(urls)), key=lambda place: (gains[place], -place)):
        waiting.setdefault(kind_of(urls[place]), []).append(place)
    # The best of each kind; the next one follows when it is taken.
    best = [_best(kind, places, gains, before) for kind, places in waiting.items()]
    heapify(best)
    order: list[int] = []
    while best:
        _, place, kind = best[0]
        order.append(place)
        before[kind] += 1
        waiting[kind].pop()
        if waiting[kind]:
            heapreplace(best, _best(kind, waiting[kind], gains, before))
        else:
            heappop(best)
    return order


def _best(
    kind: str, places: Sequence[int], gains: Sequence[float], before: Counter[str]
) -> tuple[float, int, str]:
    """Returns the last of some places, such that the least of several is fetched first."""
    place = places[-1]
    return -gains[place] / (1 + before[kind] if kind else 1), place, kind
