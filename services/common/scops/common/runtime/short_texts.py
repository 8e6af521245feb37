"""Remembers what a function made of short texts; what strangers write may be of any length."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

Result = TypeVar("Result")
# Longer than nearly every URL and every name of an element.
KEPT_CHARACTERS_MAX = 1_024


def kept_for_short(
    count: int, *, characters_max: int = KEPT_CHARACTERS_MAX
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Returns a decorator that keeps the results for the latest texts, each of a bounded length.

    Args:
        count: results kept; with `characters_max` it bounds the memory they take.
        characters_max: all arguments of a call together; a longer call is made each time.
    """

    def decorate(function: Callable[..., Result]) -> Callable[..., Result]:
        kept = lru_cache(maxsize=count)(function)

        @wraps(function)
        def call(*texts: str) -> Result:
            is_short = sum(map(len, texts)) <= characters_max
            return kept(*texts) if is_short else function(*texts)

        call.cache_info = kept.cache_info  # type: ignore[attr-defined]
        return call

    return decorate
