"""Reads a feed: RSS of all versions, and Atom (RFC 4287).

HTML comes sanitized and with absolute links, as feedparser gives it.
"""

import calendar
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any

import feedparser
from lxml import html as markup

from scops.common.contract.errors import InvalidInput

PLAIN = "text/plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """An entry of a feed.

    Attributes:
        entry_id: as the feed names it: its id, guid or link.
        link: absolute; empty where it has none.
        title, author: text.
        stated: when it was updated, else published; None where neither is said.
        published: None where it is not said.
        content: all of it, as HTML; empty where the feed has a summary alone.
        summary: HTML.
        language: BCP 47; empty where it is not said.
    """

    entry_id: str
    link: str
    title: str
    author: str
    stated: datetime | None
    published: datetime | None
    content: str
    summary: str
    language: str

    @property
    def digest(self) -> str:
        """Changes with what the entry says."""
        said = [self.title, self.author, self.content, self.summary]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed as it was read.

    Attributes:
        damaged: what the parser stumbled over, and read on; empty where nothing.
    """

    entries: Sequence[FeedEntry]
    damaged: str = ""


def read_feed(url: str, body: bytes, headers: Mapping[str, str]) -> Feed:
    """Returns the entries of a feed, in their order.

    Args:
        url: that links are relative to.
        headers: of HTTP, which may state type and charset.

    Raises:
        InvalidInput: it is no feed.
    """
    stated = {"content-type": headers.get("content-type", ""), "content-location": url}
    # A file of its own: of a text the library would take its address for what to open.
    parsed = feedparser.parse(io.BytesIO(body), response_headers=stated)
    if not parsed.version:
        raise InvalidInput(
            f"{url} is no RSS or Atom feed. Give the URL that the page names by <link "
            'rel="alternate" type="application/rss+xml"> or application/atom+xml; a page itself is '
            "for `scops crawl`."
        )
    damaged = str(parsed.get("bozo_exception", "")) if parsed.bozo else ""
    return Feed([_entry(entry, parsed.feed) for entry in parsed.entries], damaged)


def _entry(entry: Any, feed: Any) -> FeedEntry:
    published = _instant(entry.get("published_parsed"))
    whole = [part for part in entry.get("content", ()) if part.get("value", "").strip()]
    content = _html(whole[0]) if whole else ""
    return FeedEntry(
        entry_id=str(entry.get("id") or entry.get("link") or ""),
        link=str(entry.get("link") or ""),
        title=_text(entry.get("title_detail") or {}),
        author=str(entry.get("author") or feed.get("author") or ""),
        stated=_instant(entry.get("updated_parsed") if "updated" in entry else None) or published,
        published=published,
        content=content,
        summary=_html(entry.get("summary_detail") or {}),
        language=str((whole[0].get("language") if whole else "") or feed.get("language") or ""),
    )


def _html(part: Any) -> str:
    value = str(part.get("value", "")).strip()
    return f"<p>{escape(value)}</p>" if value and part.get("type") == PLAIN else value


def _text(part: Any) -> str:
    value = str(part.get("value", "")).strip()
    if not value or part.get("type") == PLAIN:
        return value
    return "".join(map(str, markup.fromstring(f"<p>{value}</p>").itertext())).strip()


def _instant(parsed: Any) -> datetime | None:
    """Returns an instant of a time in UTC; None for none, and for one that no clock shows."""
    if parsed is None:
        return None
    try:
        return datetime.fromtimestamp(calendar.timegm(parsed), UTC)
    except (ValueError, OverflowError, OSError):
        return None
