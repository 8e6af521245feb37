"""The dates a page states of itself, with where they were read and how far to trust them.

JSON-LD and meta elements are read directly; htmldate looks for what they leave open.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime
from typing import Any

from dateutil.parser import parse as parse_written
from htmldate import find_date
from lxml import etree
from lxml.html import HtmlElement

from scops.common.messages.types import StatedKind, StatedSource, StatedTime
from scops.extractor.html_tree import HtmlTree
from scops.extractor.library_faults import LIBRARY_FAULTS
from scops.extractor.ports import BodyFacts

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
_DATE_CHARACTERS_MAX = 60
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# A day, a month and a year of four digits: less is no date, and a parser would fill it up.
_WHOLE_DATE = re.compile(
    r"\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d|[A-Za-z]{3,9}\W+\d{1,2}\b.*\b(?:19|20)\d\d\b"
    r"|\b\d{1,2}\W+[A-Za-z]{3,9}\W+(?:19|20)\d\d\b"
)
_EARLIEST_YEAR = 1990
# Timestamps in examples are no dates of the page.
_EXAMPLES = ("pre", "code", "samp", "kbd")


def stated_times(
    tree: HtmlTree,
    json_ld: Sequence[dict[str, Any]],
    meta: Mapping[str, Sequence[str]],
    facts: BodyFacts,
) -> tuple[StatedTime, ...]:
    """Returns the stated times, published before modified, the surest first.

    No page states a date truthfully that lies behind its observation.

    Args:
        tree: the whole page, head and scripts included; a heavy one is not searched.
    """
    found = [*_from_json_ld(json_ld), *_from_meta(meta), *outside_times(facts)]
    # htmldate reads a page from end to end and knows no better date of change than of publication.
    if not tree.heavy and not any(entry.kind is _PUBLISHED for entry in found):
        found.extend(_from_page(tree.root, facts))
    return _first_of_each(entry for entry in found if entry.time <= facts.observed_time)


def outside_times(facts: BodyFacts) -> Iterator[StatedTime]:
    """Yields the times that server and sitemap state of a page."""
    if facts.sitemap_time is not None:
        yield _stated(_MODIFIED, facts.sitemap_time, StatedSource.SITEMAP)
    if facts.last_modified_time is not None:
        yield _stated(_MODIFIED, facts.last_modified_time, StatedSource.HTTP)


def _from_json_ld(objects: Sequence[dict[str, Any]]) -> Iterator[StatedTime]:
    for entry in objects:
        for name, kind in _JSON_LD_NAMES.items():
            yield from _parsed(kind, entry.get(name), StatedSource.JSON_LD)


def _from_meta(meta: Mapping[str, Sequence[str]]) -> Iterator[StatedTime]:
    for name, kind in _META_NAMES.items():
        for content in meta.get(name, ()):
            yield from _parsed(kind, content, StatedSource.META)


def _from_page(root: HtmlElement, facts: BodyFacts) -> Iterator[StatedTime]:
    root = _without_examples(root)
    # The long search takes ten times as long and is needed on one page in twenty.
    found = _found_date(root, facts, extensive=False) or _long_search(root, facts)
    in_url = found is not None and found.replace("-", "/") in facts.url.replace("-", "/")
    yield from _parsed(_PUBLISHED, found, StatedSource.URL if in_url else StatedSource.TEXT)


def _long_search(root: HtmlElement, facts: BodyFacts) -> str | None:
    found = _found_date(root, facts, extensive=True)
    # So it writes a year of which it knows no day.
    return None if found is None or found.endswith("-01-01") else found


def _found_date(root: HtmlElement, facts: BodyFacts, *, extensive: bool) -> str | None:
    try:
        found = find_date(
            root,
            extensive_search=extensive,
            original_date=True,
            outputformat="%Y-%m-%d",
            url=facts.url,
            max_date=facts.observed_time.strftime("%Y-%m-%d"),
        )
    except LIBRARY_FAULTS:
        return None
    return str(found) if found else None


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
    if time is not None and time.year >= _EARLIEST_YEAR:
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
    return StatedTime(
        kind=kind,
        time=time.astimezone(UTC),
        source=source,
        confidence=CONFIDENCE[source],
        day=time.date().isoformat(),
    )


def _first_of_each(entries: Iterator[StatedTime]) -> tuple[StatedTime, ...]:
    """Keeps one entry per kind and source, published first, then by confidence."""
    first: dict[tuple[StatedKind, StatedSource], StatedTime] = {}
    for entry in entries:
        first.setdefault((entry.kind, entry.source), entry)
    return tuple(
        sorted(first.values(), key=lambda entry: (entry.kind is not _PUBLISHED, -entry.confidence))
    )
