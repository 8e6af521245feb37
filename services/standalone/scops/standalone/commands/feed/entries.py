"""Takes up the entries of feeds, each as a page of when it was updated."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from html import escape
from typing import Any

import httpx

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url
from scops.fetcher.adapters.apis.asking import PoliteApi, Unbounded
from scops.standalone.commands.apis.documents import conversation
from scops.standalone.commands.apis.memory import ImportMemory
from scops.standalone.commands.apis.taking import ApiImport, Showed, Sighting
from scops.standalone.commands.feed.reading import Feed, FeedEntry, read_feed

SUMMARY_ALONE = "summaries alone"
NO_LINK = "without a link"
SAME_LINK = "of a link that a newer entry has"
UNTITLED = "Untitled"
ACCEPT = "application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.8"


class FeedEntries:
    """The entries of feeds, for one scope.

    Args:
        summaries: whether a summary is taken where a feed has no more of an entry.

    Attributes:
        unchanged: feeds that are as they were read last.
        damaged: of a feed what was wrong in it.
    """

    def __init__(self, taking: ApiImport, memory: ImportMemory, *, summaries: bool) -> None:
        self._taking, self._memory, self._summaries = taking, memory, summaries
        self.unchanged = 0
        self.damaged: dict[str, str] = {}

    def take(self, api: PoliteApi, url: str) -> bool:
        """Takes up what is new in a feed; returns whether all of it is in the index.

        Raises:
            InvalidInput: there is no feed.
            OSError: its host does not answer.
        """
        mark = f"{'summaries' if self._summaries else 'content'} of {url}"
        kept = self._memory.get(mark) or {}
        answer = _answer(api, url, kept.get("validators", {}))
        if answer.status_code == httpx.codes.NOT_MODIFIED:
            self.unchanged += 1
            return True
        feed = _read(url, answer)
        if feed.damaged:
            self.damaged[url] = feed.damaged
        seen = self._seen(feed, url, kept.get("entries", {}))
        for sighting, entry in self._taking.new_ones(seen):
            self._taking.take(sighting, partial(_shown, entry))
        marks = {entry.entry_id: [entry.digest, one.at.isoformat()] for one, entry in seen.items()}
        self._memory.note(mark, {"validators": _validators(answer), "entries": marks})
        return self._taking.settle()

    def _seen(
        self, feed: Feed, url: str, kept: Mapping[str, list[str]]
    ) -> dict[Sighting, FeedEntry]:
        """Returns the entries that can be pages; of one link the first, which is the newest."""
        seen: dict[Sighting, FeedEntry] = {}
        links: set[str] = set()
        for entry in feed.entries:
            why = self._left_out(entry, links)
            if why:
                self._taking.tally.records += 1
                self._taking.tally.leave_out(why)
                continue
            links.add(_page(entry.link))
            at = _time(entry, kept.get(entry.entry_id))
            seen[Sighting(entry.link, at, f"feed:{url}")] = entry
        return seen

    def _left_out(self, entry: FeedEntry, links: set[str]) -> str:
        """Returns why an entry is not taken; empty where it is."""
        if not entry.link:
            return NO_LINK
        if _page(entry.link) in links:
            return SAME_LINK
        if not entry.content and not (self._summaries and entry.summary):
            return SUMMARY_ALONE
        return ""


def _answer(api: PoliteApi, url: str, validators: Mapping[str, str]) -> httpx.Response:
    if not url.lower().startswith(("http://", "https://")):
        raise InvalidInput(f"{url!r} is no URL of a feed. Write it with https:// or http://.")
    try:
        return api.get(url, headers={"Accept": ACCEPT, **validators})
    except Unbounded as error:
        raise InvalidInput(f"{error}. Take in its pages by a crawl.") from error
    except httpx.InvalidURL as error:
        raise InvalidInput(f"{url} cannot be asked: {error}. Look at its address.") from error


def _time(entry: FeedEntry, kept: list[str] | None) -> datetime:
    """Returns when an entry said what it says.

    Many feeds date what was edited by when it was published: what differs from what was taken and
    claims no later time is of now, and so is what has no time at all.
    """
    now = datetime.now(UTC).replace(microsecond=0)
    if kept is None:
        return entry.stated or now
    digest, at = kept[0], datetime.fromisoformat(kept[1])
    if digest == entry.digest:
        return at
    return entry.stated if entry.stated is not None and entry.stated > at else now


def _shown(entry: FeedEntry) -> Showed:
    by = f"By {escape(entry.author)}" if entry.author else ""
    days = [_day("published", entry.published)] if entry.published else []
    if entry.stated and entry.stated != entry.published:
        days.append(_day("updated", entry.stated))
    about = ", ".join(part for part in (by, *days) if part)
    parts = [f"<p>{about}</p>"] if about else []
    if not entry.content:
        parts.append("<p>Summary from the feed; the page says more.</p>")
    served = conversation(entry.title or UNTITLED, [*parts, entry.content or entry.summary])
    return replace(served, content_language=entry.language)


def _day(how: str, at: datetime) -> str:
    return f'{how} <time datetime="{at.isoformat()}">{at.date().isoformat()}</time>'


def _read(url: str, answer: httpx.Response) -> Feed:
    if answer.status_code != httpx.codes.OK:
        raise InvalidInput(
            f"{url} answered {answer.status_code}. Look whether it is the feed's URL, and whether "
            "everybody may read it."
        )
    return read_feed(str(answer.url), answer.content, answer.headers)


def _validators(answer: Any) -> dict[str, str]:
    """Returns what asks whether the feed has changed (RFC 9110, section 13.1)."""
    asked = {"If-None-Match": "etag", "If-Modified-Since": "last-modified"}
    return {
        name: answer.headers[stated] for name, stated in asked.items() if stated in answer.headers
    }


def _page(link: str) -> str:
    try:
        return canonical_url(link)
    except InvalidInput:
        # It is counted where all URLs are looked at.
        return link
