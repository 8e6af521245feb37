"""What an article in JATS states of itself: authors, journal, DOI, licence, day of publication."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from lxml import etree

from scops.common.contract.messages.content import StatedValue
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import StatedKind, StatedSource, StatedTime
from scops.extractor.dates.stated import is_plausible, stated_time, stated_value
from scops.extractor.html.metadata import CONFIDENCE, TITLE_CHARACTERS_MAX
from scops.extractor.jats.names import first, named, words, written_name
from scops.extractor.reading import ParsedBody

AUTHORS_MAX = 100
META = StatedSource.META
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_HREF = "{http://www.w3.org/1999/xlink}href"
# Of the manuscript, and of the archive that has it.
_OTHER_DATES = ("nihms-submitted", "pmc-release", "received", "accepted", "rev-recd")


def with_metadata(
    reading: ParsedBody, root: etree._Element, fetched: PageFetched, *, flags: tuple[str, ...]
) -> ParsedBody:
    """Returns a reading with what the article's front says.

    Args:
        flags: of parsing.
    """
    front = first(root, "front")
    meta = first(front, "article-meta") if front is not None else None
    raised = tuple(dict.fromkeys((*flags, *reading.flags)))
    if front is None or meta is None:
        return replace(reading, flags=raised)
    published = _published(meta)
    is_past = published is not None and published.time <= fetched.observed_time
    title = first(meta, "article-title")
    return replace(
        reading,
        title=words(title)[:TITLE_CHARACTERS_MAX].rstrip() if title is not None else "",
        language=(root.get(_LANGUAGE) or "").strip().lower()[:2],
        values=tuple(one for one in _values(front, meta) if one.value),
        stated=(published,) if published is not None and is_past else (),
        flags=raised,
    )


def _values(front: etree._Element, meta: etree._Element) -> Iterator[StatedValue]:
    for name in list(_authors(meta))[:AUTHORS_MAX]:
        yield _value("author", name)
    journal = first(front, "journal-title")
    if journal is not None:
        yield _value("journal", words(journal))
    for one in named(meta, "article-id"):
        if one.get("pub-id-type") == "doi":
            yield _value("doi", words(one).lower())
            break
    yield from _licence(meta)


def _licence(meta: etree._Element) -> Iterator[StatedValue]:
    licence = first(meta, "license")
    if licence is None:
        return
    reference = first(licence, "license_ref")
    url = licence.get(_HREF) or (words(reference) if reference is not None else "")
    if url:
        yield _value("license_url", url)
    else:
        yield _value("license", words(licence))


def _authors(meta: etree._Element) -> Iterator[str]:
    for contributor in named(meta, "contrib"):
        if contributor.get("contrib-type", "author") != "author":
            continue
        one = first(contributor, "name", "string-name", "collab")
        if one is not None:
            yield written_name(one)


def _published(meta: etree._Element) -> StatedTime | None:
    """Returns the first day on which it came out; none where only years or months are stated."""
    days = []
    for one in named(meta, "pub-date"):
        kind = one.get("pub-type") or one.get("date-type") or ""
        day = _day(one) if kind not in _OTHER_DATES else None
        if day is not None and is_plausible(day):
            days.append(day)
    if not days:
        return None
    return stated_time(StatedKind.PUBLISHED, min(days), META, confidence=CONFIDENCE[META])


def _day(date: etree._Element) -> datetime | None:
    parts = [first(date, name) for name in ("year", "month", "day")]
    try:
        year, month, day = (int(words(part)) for part in parts if part is not None)
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None


def _value(name: str, value: str) -> StatedValue:
    return stated_value(name, value, META, confidence=CONFIDENCE[META])
