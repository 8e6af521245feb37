"""How much one event gathers: what does not fit beside the rest goes in the next one.

The bus takes half a mebibyte of one message with its headers. Whoever tells of many pages at once
bounds their bytes as well as their number, for a URL may have thousands of characters.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

T = TypeVar("T")
# What is gathered in one event; the rest of half a mebibyte is for its headers.
GATHERED_BYTES_MAX: Final = 384 * 1024
# What an event tells of a page beside its URL at most: four ids, two times, and their tags.
PAGE_BYTES: Final = 256


def gathered(
    items: Iterable[T], bytes_of: Callable[[T], int], *, bytes_max: int = GATHERED_BYTES_MAX
) -> Iterator[tuple[T, ...]]:
    """Yields items in parts, each for one event: in their order, none of them empty.

    The same items make the same parts, so that an event that is made again is the same.

    Args:
        bytes_of: how long an item may be in the event, at most.
        bytes_max: of one part; an item that is longer is a part of its own.
    """
    part: list[T] = []
    size = 0
    for item in items:
        length = bytes_of(item)
        if part and size + length > bytes_max:
            yield tuple(part)
            part, size = [], 0
        part.append(item)
        size += length
    if part:
        yield tuple(part)


def page_bytes(url: str) -> int:
    """Returns how long an event may be by one page, at most."""
    return PAGE_BYTES + len(url.encode())
