"""The dates a page states of itself, with where they were read and how far to trust them.

JSON-LD, meta elements and the URL are read directly, then the lines near the title; htmldate looks
for what they leave open.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import UTC, date, datetime
from datetime import time as time_of_day
from typing import Any

import htmldate.extractors
from dateutil.parser import parse as parse_written
from htmldate import find_date
from htmldate.core import DATE_ATTRIBUTES
from lxml import etree
from lxml.html import HtmlElement

from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import StatedKind, StatedSource, StatedTime
from scops.extractor.dates.stated import is_plausible, stated_time
from scops.extractor.dates.written_dates import day_near_title
from scops.extractor.html.tree import HtmlTree
from scops.extractor.library_faults import LIBRARY_FAULTS
from scops.extractor.text.clean_text import RawBlock


def _no_date_cue(*_: object) -> bool:
    return False


# Where its own patterns fail, htmldate asks dateparser, which takes 3 s and 44 MB of each parsing
# process to load its languages, for one page in three hundred (docs/benchmarks.md). There is no
# option: a text without a cue is one that it does not send there.
setattr(htmldate.extractors, "has_date_cue", _no_date_cue)  # noqa: B010

CONFIDENCE = {
    StatedSource.JSON_LD: 0.95,
    StatedSource.META: 0.9,
    StatedSource.URL: 0.7,
    # Many sites let a plugin write the day of the last build.
    StatedSource.SITEMAP: 0.6,
    StatedSource.TEXT: 0.5,
    # Servers that build pages on request send the time of the request.
    StatedSource.HTTP: 0.3,
}
MIDNIGHT = time_of_day()
_PUBLISHED, _MODIFIED = StatedKind.PUBLISHED, StatedKind.MODIFIED
_JSON_LD_NAMES = {"datePublished": _PUBLISHED, "dateModified": _MODIFIED}
_META_NAMES = {
    "article:published_time": _PUBLISHED,
    "og:article:published_time": _PUBLISHED,
    "datepublished": _PUBLISHED,
    "dc.date.issued": _PUBLISHED,
    "dcterms.issued": _PUBLISHED,
    "dcterms.created": _PUBLISHED,
    "article:modified_time": _MODIFIED,
    "og:updated_time": _MODIFIED,
    "datemodified": _MODIFIED,
    "dcterms.modified": _MODIFIED,
}
# The other names that sites give the day of publication, as htmldate collects them.
_META_NAMES |= dict.fromkeys(
    sorted(DATE_ATTRIBUTES - _META_NAMES.keys() - {"meta", "timestamp", "gentime", "created"}),
    _PUBLISHED,
)
_URL_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/_](0[1-9]|1[0-2])[-/_](0[1-9]|[12]\d|3[01])(?!\d)")
_DATE_CHARACTERS_MAX = 60
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# A day, a month and a year of four digits: less is no date, and a parser would fill it up.
_WHOLE_DATE = re.compile(
    r"\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d|[A-Za-z]{3,9}\W{1,8}\d{1,2}\b.{0,60}\b(?:19|20)\d\d\b"
    r"|\b\d{1,2}\W{1,8}[A-Za-z]{3,9}\W{1,8}(?:19|20)\d\d\b"
)
# Timestamps in examples are no dates of the page.
_EXAMPLES = ("pre", "code", "samp", "kbd")


def head_times(
    json_ld: Sequence[dict[str, Any]], meta: Mapping[str, Sequence[str]], fetched: PageFetched
) -> tuple[StatedTime, ...]:
    """Returns what the page's head, its URL and the server state.

    Args:
        json_ld: the JSON-LD objects of the page.
        meta: contents of its meta elements by lower-case name.
    """
    found = (
        *_from_json_ld(json_ld),
        *_from_meta(meta),
        *_from_url(fetched),
        *outside_times(fetched),
    )
    return _in_order(found, fetched)


def with_page_times(
    found: Sequence[StatedTime], tree: HtmlTree, blocks: Sequence[RawBlock], fetched: PageFetched
) -> tuple[StatedTime, ...]:
    """Returns the stated times, published before modified, the surest first.

    Args:
        found: what the head states; the page is searched where it names no publication.
        tree: the page without what is not seen; a heavy one is not searched.
        blocks: all of the page.
    """
    near = day_near_title(blocks)
    if any(entry.kind is _PUBLISHED for entry in found):
        return tuple(_as_shown(entry, near) for entry in found)
    day = near.isoformat() if near is not None else _searched_day(tree, fetched)
    return _in_order((*found, *_parsed(_PUBLISHED, day, StatedSource.TEXT)), fetched)


def outside_times(fetched: PageFetched) -> Iterator[StatedTime]:
    """Yields the times that server and sitemap state of a page."""
    if fetched.sitemap_time is not None:
        yield _stated(_MODIFIED, fetched.sitemap_time, StatedSource.SITEMAP)
    if fetched.last_modified_time is not None:
        yield _stated(_MODIFIED, fetched.last_modified_time, StatedSource.HTTP)


def _from_json_ld(objects: Sequence[dict[str, Any]]) -> Iterator[StatedTime]:
    for entry in objects:
        for name, kind in _JSON_LD_NAMES.items():
            yield from _parsed(kind, entry.get(name), StatedSource.JSON_LD)


def _from_url(fetched: PageFetched) -> Iterator[StatedTime]:
    match = _URL_DAY.search(fetched.canonical_url)
    if match is not None:
        yield from _parsed(_PUBLISHED, "-".join(match.groups()), StatedSource.URL)


def _from_meta(meta: Mapping[str, Sequence[str]]) -> Iterator[StatedTime]:
    for name, kind in _META_NAMES.items():
        for content in meta.get(name, ()):
            yield from _parsed(kind, content, StatedSource.META)


def _as_shown(entry: StatedTime, near: date | None) -> StatedTime:
    """Returns a time with the day that the page shows, where only the zone tells them apart.

    Many sites state UTC to machines and their own day to readers.
    """
    if near is None or entry.kind is not _PUBLISHED or entry.time.time() == MIDNIGHT:
        return entry
    apart = abs((date.fromisoformat(entry.day) - near).days)
    return replace(entry, day=near.isoformat()) if apart == 1 else entry


def _searched_day(tree: HtmlTree, fetched: PageFetched) -> str | None:
    if tree.heavy:
        return None
    try:
        # The short search finds nothing more than what was looked for before.
        found = find_date(
            _without_examples(tree.root),
            extensive_search=True,
            original_date=True,
            outputformat="%Y-%m-%d",
            url=fetched.canonical_url,
            max_date=fetched.observed_time.strftime("%Y-%m-%d"),
        )
    except LIBRARY_FAULTS:
        return None
    # So it writes a year of which it knows no day.
    return None if found is None or found.endswith("-01-01") else str(found)


def _without_examples(root: HtmlElement) -> HtmlElement:
    if next(root.iter(*_EXAMPLES), None) is None:
        return root
    reduced = copy(root)
    etree.strip_elements(reduced, *_EXAMPLES, with_tail=False)
    return reduced


def _parsed(kind: StatedKind, value: object, source: StatedSource) -> Iterator[StatedTime]:
    if not isinstance(value, str):
        return
    time = _local_time(value.strip()[:_DATE_CHARACTERS_MAX])
    if time is not None and is_plausible(time):
        yield _stated(kind, time, source)


def _local_time(value: str) -> datetime | None:
    """Returns a time in the zone it is stated in; without one it counts as UTC.

    ISO 8601 is read first; whatever else stands where it belongs is read with the day first where
    dots divide it, as those who write dots do.
    """
    time: datetime | None
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        time = _written_time(value)
    if time is None or time.tzinfo is not None:
        return time
    return time.replace(tzinfo=UTC)


def _written_time(value: str) -> datetime | None:
    day = _ISO_DAY.match(value)
    if day is None and not _WHOLE_DATE.search(value):
        return None
    try:
        if day is not None:
            return datetime.strptime(day.group(), "%Y-%m-%d")
        written: datetime = parse_written(value, dayfirst="." in value, ignoretz=True)
        return written
    except (ValueError, OverflowError):
        return None


def _stated(kind: StatedKind, time: datetime, source: StatedSource) -> StatedTime:
    return stated_time(kind, time, source, confidence=CONFIDENCE[source])


def _in_order(entries: Iterable[StatedTime], fetched: PageFetched) -> tuple[StatedTime, ...]:
    """Keeps one entry per kind and source, published first, then by confidence.

    No page states a date truthfully that lies behind its observation.
    """
    first: dict[tuple[StatedKind, StatedSource], StatedTime] = {}
    for entry in entries:
        if entry.time <= fetched.observed_time:
            first.setdefault((entry.kind, entry.source), entry)
    return tuple(
        sorted(first.values(), key=lambda entry: (entry.kind is not _PUBLISHED, -entry.confidence))
    )
