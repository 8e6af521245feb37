"""Where a text was read once: a place that services name, or one to which such a place led."""

from collections.abc import Sequence
from dataclasses import replace

from scops.libraries.papers.places import best_places
from scops.libraries.papers.record import PaperLocation
from scops.libraries.papers.record_page import text_line


def stated_first(places: Sequence[PaperLocation], said: str) -> list[PaperLocation]:
    """Returns places, the one that a record states first.

    Args:
        places: as services name them.
        said: what a record says of where its text was read.
    """
    url = said.partition(" ")[0]
    if any(place.url == url for place in places):
        return sorted(places, key=lambda place: place.url != url)
    # It was led to from the place of which the same is said.
    there = next((replace(one, url=url) for one in places if _says(one, url, said)), None)
    return [*best_places([there] if there is not None else ()), *places]


def _says(place: PaperLocation, url: str, said: str) -> bool:
    return text_line(replace(place, url=url)) == said
