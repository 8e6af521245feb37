"""The dates a page states of itself, with where they were read and how far to trust them.

JSON-LD and meta elements are read directly; htmldate looks for what they leave open.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime
from typing import Any

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
_DAY_CHARACTERS = len("2026-03-01")
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
    try:
        found = find_date(
            _without_examples(root),
            extensive_search=False,
            original_date=True,
            outputformat="%Y-%m-%d",
            url=facts.url,
            max_date=facts.observed_time.strftime("%Y-%m-%d"),
        )
    except LIBRARY_FAULTS:
        return
    in_url = found is not None and found.replace("-", "/") in facts.url.replace("-", "/")
    yield from _parsed(_PUBLISHED, found, StatedSource.URL if in_url else StatedSource.TEXT)


def _without_examples(root: HtmlElement) -> HtmlElement:
    if next(root.iter(*_EXAMPLES), None) is None:
        return root
    reduced = copy(root)
    etree.strip_elements(reduced, *_EXAMPLES, with_tail=False)
    return reduced


def _parsed(kind: StatedKind, value: object, source: StatedSource) -> Iterator[StatedTime]:
    if not isinstance(value, str):
        return
    time = _instant(value.strip())
    if time is not None and time.year >= _EARLIEST_YEAR:
        yield _stated(kind, time, source)


def _instant(value: str) -> datetime | None:
    """Returns an ISO 8601 instant; a bare date or a time without zone counts as UTC."""
    try:
        time = datetime.fromisoformat(value)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        pass
    try:
        return datetime.strptime(value[:_DAY_CHARACTERS], "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None


def _stated(kind: StatedKind, time: datetime, source: StatedSource) -> StatedTime:
    return StatedTime(kind=kind, time=time, source=source, confidence=CONFIDENCE[source])


def _first_of_each(entries: Iterator[StatedTime]) -> tuple[StatedTime, ...]:
    """Keeps one entry per kind and source, published first, then by confidence."""
    first: dict[tuple[StatedKind, StatedSource], StatedTime] = {}
    for entry in entries:
        first.setdefault((entry.kind, entry.source), entry)
    return tuple(
        sorted(first.values(), key=lambda entry: (entry.kind is not _PUBLISHED, -entry.confidence))
    )
