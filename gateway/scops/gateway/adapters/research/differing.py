"""Quotes of an answer that say different numbers of the same thing, such as two prices.

Two quotes of different pages speak of the same thing where most of their words are common (Jaccard
index), and differ where each has a number that the other lacks.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from scops.common.text.terms import content_terms
from scops.gateway.adapters.research.values import ReportDifference, ReportQuote

COMMON_MIN = 0.6
# Each is compared with each.
QUOTES_MAX = 50
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def differences_of(quotes: Sequence[ReportQuote]) -> Iterator[ReportDifference]:
    """Yields each pair of quotes that differ, in the order of the answer."""
    for one, other in combinations(quotes[:QUOTES_MAX], 2):
        if one.uri == other.uri or not _is_common(one.quote, other.quote):
            continue
        here, there = _NUMBER.findall(one.quote), _NUMBER.findall(other.quote)
        alone = [number for number in dict.fromkeys(here) if number not in there]
        others = [number for number in dict.fromkeys(there) if number not in here]
        if alone and others:
            yield ReportDifference(
                quote=one.number, says=alone, other_quote=other.number, other_says=others
            )


def _is_common(quote: str, other: str) -> bool:
    here, there = _words(quote), _words(other)
    return len(here & there) >= COMMON_MIN * max(len(here | there), 1)


def _words(quote: str) -> frozenset[str]:
    return content_terms(_NUMBER.sub(" ", quote))
