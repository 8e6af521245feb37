"""By which links a research came to a page."""

from collections.abc import Iterable
from typing import Any


def way_to(page: Any, pages: Iterable[Any]) -> tuple[Any, ...]:
    """Returns the pages by whose links another was reached, from the start on, itself at last.

    Args:
        page: a `ResearchPage` of the API; the start has no way.
        pages: all of its run.
    """
    by_uri = {one.uri: one for one in pages}
    way: list[Any] = []
    while page is not None and page.found_on_uri and page not in way:
        way.insert(0, page)
        page = by_uri.get(page.found_on_uri)
    return tuple(way)
