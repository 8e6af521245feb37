"""What speaks for and against a block being main text, as numbers that a linear model weighs.

The shares say how much of a block's words an extractor from a library kept; the rest is read off
the block and its neighbours. Nothing here knows a site or a class name.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import NamedTuple

from scops.common.contract.messages.content import BlockKind
from scops.extractor.text.clean_text import RawBlock

SHORT_CHARACTERS_MAX = 25
LONG_CHARACTERS_MIN = 200
PROMPT_CHARACTERS_MAX = 160
NEIGHBOURS = 3
# Neighbours count by their length, up to a paragraph's.
NEIGHBOUR_CHARACTERS_MAX = 300
LINK_SHARE_MAX = 0.6
# Below this share of the running text an extractor may have missed the main text.
LOW_COVERAGE = 0.3
# The first and last block of which so much was kept, and which are as long, enclose the main text.
ENCLOSING_SHARE = 0.6
ENCLOSING_CHARACTERS_MIN = 60

# How editors lead away from a text, in the languages most of the web is written in; lower case,
# because a pattern that ignores case tries every word of it.
_PROMPT = re.compile(
    r"\W*(?:read (?:more|also|next)|see also|related|more (?:on|from|about|stories)"
    r"|you (?:may|might)|also on|recommended|most (?:read|popular)|follow us|sign up|subscribe"
    r"|newsletter|log in"
    r"|photo|image|picture|credit|source|copyright|©|\(c\)|by |posted|published|updated|tags?\b"
    r"|categor|share|print|comments?\b|leave a|about the author|advertis|click here|download"
    r"|lesen sie|lies |mehr (?:zum|zu|von|aus|auf|über)|auch (?:interessant|lesen)|das könnte"
    r"|weitere|weiterlesen|empfohlen|verwandte|ähnliche|siehe auch|zum thema|foto|bild|quelle|von "
    r"|autor|schlagw|stichw|kategorie|teilen|drucken|kommentar|abonn|jetzt |hier |melde"
    r"|veröffentlicht|anzeige|werbung|vorheriger|nächster"
    r"|lire (?:aussi|plus|la suite)|à lire|voir aussi|articles? (?:liés?|similaires?)|partager"
    r"|crédits?|publié|par |s'abonner|inscri"
    r"|lea (?:también|más)|lee (?:también|más)|mira también|más (?:sobre|información|noticias)"
    r"|te puede|le puede|relacionad|compartir|síg|suscr|foto|fuente|por "
    r"|leggi (?:anche|di)|condividi|fonte|di |iscriviti|articoli correlati"
    r"|leia (?:também|mais)|veja também|compartilh|inscreva"
    r"|czytaj|zobacz|przeczytaj|polecamy|udostępnij|źródło|lees (?:ook|meer)|bron|deel )"
)
_CLOSING = tuple(".!?:;…\"'”’»“)")
_CUT_OFF = ("...", "…", "[…]", "[...]", "»", ">")
_DIGIT = re.compile(r"\d")


class BlockFeatures(NamedTuple):
    """Numbers of about unit size, most of them 0 or 1; the names say what they count."""

    first_share: float
    first_before: float
    first_after: float
    first_around: float
    first_container: float
    first_low_coverage: float
    second_share: float
    second_around: float
    second_where_first_is_low: float
    length: float
    short: float
    long: float
    links: float
    mostly_links: float
    boilerplate: float
    heading: float
    list_item: float
    table_row: float
    code: float
    quote: float
    inside: float
    above: float
    below: float
    closed: float
    cut_off: float
    commas: float
    digits: float
    prompt: float
    short_prompt: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """How much of each block two extractors kept, in [0, 1]; the second is zeros if not asked."""

    first: Sequence[float]
    second: Sequence[float]


def coverage(blocks: Sequence[RawBlock], shares: Sequence[float]) -> float:
    """Returns how much of the running text an extractor kept, in [0, 1]."""
    running = sum(len(block.text) for block in blocks if is_running(block))
    kept = sum(len(block.text) * share for block, share in zip(blocks, shares, strict=True))
    return min(kept / running, 1.0) if running else 0.0


def is_running(block: RawBlock) -> bool:
    """Whether a block is text of its own: no navigation, no list of links."""
    return not block.boilerplate and block.link_share <= LINK_SHARE_MAX


def block_features(blocks: Sequence[RawBlock], shares: Shares) -> Iterator[BlockFeatures]:
    """Yields the features of each block."""
    low = float(coverage(blocks, shares.first) < LOW_COVERAGE)
    sizes = [min(len(block.text), NEIGHBOUR_CHARACTERS_MAX) for block in blocks]
    containers = _container_shares(blocks, shares.first)
    first, last = _enclosed(blocks, shares.first)
    around_first = _around(sizes, shares.first)
    around_second = _around(sizes, shares.second)
    for index, block in enumerate(blocks):
        before, after = around_first[index]
        second_before, second_after = around_second[index]
        second = shares.second[index]
        yield BlockFeatures._make(
            (
                *(shares.first[index], before, after, before * after),
                *(containers[block.container], low),
                *(second, second_before * second_after, low * second),
                *_own_features(block),
                *(first <= index <= last, index < first, first <= last < index),
                *_wording(block.text),
            )
        )


def _own_features(block: RawBlock) -> tuple[float, ...]:
    length = len(block.text)
    kind = block.kind
    return (
        min(math.log(length + 1) / 6, 1.2),
        length < SHORT_CHARACTERS_MAX,
        length >= LONG_CHARACTERS_MIN,
        block.link_share,
        block.link_share > LINK_SHARE_MAX,
        block.boilerplate,
        kind is BlockKind.HEADING,
        kind is BlockKind.LIST_ITEM,
        kind is BlockKind.TABLE_ROW,
        kind is BlockKind.CODE,
        kind is BlockKind.QUOTE,
    )


def _wording(text: str) -> tuple[float, ...]:
    length = len(text)
    start = text[:PROMPT_CHARACTERS_MAX]
    prompt = _PROMPT.match(start.lower()) is not None
    return (
        text.endswith(_CLOSING),
        text.endswith(_CUT_OFF),
        min(text.count(",") / max(length / 50, 1), 1.0),
        len(_DIGIT.findall(start)) / len(start),
        prompt,
        prompt and length < PROMPT_CHARACTERS_MAX,
    )


def _around(sizes: Sequence[int], shares: Sequence[float]) -> list[tuple[float, float]]:
    """Returns the mean share of the neighbours before and after each block, by their length."""
    total = (0, *accumulate(sizes))
    kept = (0.0, *accumulate(map(mul, sizes, shares)))
    count = len(sizes)

    def mean(low: int, high: int) -> float:
        size = total[high] - total[low]
        return (kept[high] - kept[low]) / size if size else 0.0

    return [
        (mean(max(at - NEIGHBOURS, 0), at), mean(at + 1, min(at + 1 + NEIGHBOURS, count)))
        for at in range(count)
    ]


def _container_shares(blocks: Sequence[RawBlock], shares: Sequence[float]) -> dict[int, float]:
    totals: dict[int, list[float]] = {}
    for block, share in zip(blocks, shares, strict=True):
        total = totals.setdefault(block.container, [0.0, 0.0])
        total[0] += len(block.text) * share
        total[1] += len(block.text)
    return {container: kept / everything for container, (kept, everything) in totals.items()}


def _enclosed(blocks: Sequence[RawBlock], shares: Sequence[float]) -> tuple[int, int]:
    """Returns the first and last block that are surely kept; first > last when there is none."""
    sure = [
        index
        for index, share in enumerate(shares)
        if share >= ENCLOSING_SHARE and len(blocks[index].text) >= ENCLOSING_CHARACTERS_MIN
    ]
    return (sure[0], sure[-1]) if sure else (len(blocks), -1)
