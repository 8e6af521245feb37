"""Asks Firecrawl for pages by its official client, and says what each showed.

Source: version 2 of its API, https://docs.firecrawl.dev/api-reference/v2-introduction.
"""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from importlib.metadata import version
from typing import Any

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import canonical_url
from scops.fetcher.adapters.apis.asking import FORM_ERRORS
from scops.standalone.commands.apis.taking import UNREADABLE
from scops.standalone.commands.warc.records import OUTSIDE, Observed, Passed
from scops.standalone.commands.warc.served import LeftOut, Served, answer_of, body_of

FORMATS = ["rawHtml", "markdown"]
# What a page is captured by of which Firecrawl's own reading is taken.
MARKDOWN_BY = "firecrawl:markdown"
# Firecrawl gives a page of its cache unless it is told to look; milliseconds.
FRESH = 0
POLL_SECONDS = 2.0
RUNNING = "scraping"
COMPLETED = "completed"
# The document as Unicode, whatever the page's own charset was.
CONTENT_TYPE = "text/html; charset=utf-8"
MARKDOWN_TYPE = "text/markdown; charset=utf-8"
NO_HTML = b"<!DOCTYPE html><html></html>"
OK = 200
TIMEOUT_SECONDS = 120.0


class FirecrawlMode(StrEnum):
    """What is asked of Firecrawl for each URL."""

    # The page alone.
    SCRAPE = "scrape"
    # What its own crawl finds from there.
    CRAWL = "crawl"
    # What it knows to be there, page by page.
    MAP = "map"


class FirecrawlPages:
    """Pages that Firecrawl fetches.

    Args:
        server: URL of its API.
        key: of the API.
        limit: pages of a crawl, or of a map, at most.
        admits: whether a page at a canonical URL is wanted; of a map, only those are fetched.
        sleep: waits so many seconds.
    """

    def __init__(
        self,
        server: str,
        key: str,
        *,
        limit: int,
        admits: Callable[[str], bool],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        from firecrawl.v2.client import FirecrawlClient

        from scops.standalone.commands.firecrawl.talking import PatientHttp

        self._client: Any = FirecrawlClient(api_key=key, api_url=server)
        self._client.http_client = PatientHttp(
            key,
            server,
            origin=f"scops@{version('scops')}",
            read_seconds=TIMEOUT_SECONDS,
            sleep=sleep,
        )
        self._limit, self._admits, self._sleep = limit, admits, sleep

    def observed(self, mode: FirecrawlMode, url: str) -> Iterator[Observed | Passed]:
        """Yields what pages showed, as they come.

        Raises:
            OSError: Firecrawl refuses, fails, or does not answer.
        """
        from firecrawl.v2.utils.error_handler import FirecrawlError

        ways = {
            FirecrawlMode.SCRAPE: self._scraped,
            FirecrawlMode.CRAWL: self._crawled,
            FirecrawlMode.MAP: self._mapped,
        }
        if mode is FirecrawlMode.SCRAPE and not self._admits(_canonical(url)):
            # A fetch is paid for, and asks whoever the URL names.
            yield Passed(OUTSIDE)
            return
        try:
            for document in ways[mode](url):
                yield self._said(document, url)
        except (FirecrawlError, OSError, ValueError) as error:
            raise OSError(f"Firecrawl, of {url}: {error}") from error

    def _scraped(self, url: str) -> Iterator[Any]:
        yield self._client.scrape(
            url, formats=FORMATS, only_main_content=False, max_age=FRESH, store_in_cache=False
        )

    def _mapped(self, url: str) -> Iterator[Any]:
        """Fetches what the map of a site has of the scope."""
        found = self._client.map(url, limit=self._limit).links
        for link in found:
            if self._admits(_canonical(link.url)):
                yield from self._scraped(link.url)

    def _crawled(self, url: str) -> Iterator[Any]:
        """Has Firecrawl crawl, and takes what it has found once it is through, part by part."""
        from firecrawl.v2.types import PaginationConfig, ScrapeOptions

        options = ScrapeOptions(formats=FORMATS, only_main_content=False, max_age=FRESH)
        job = self._client.start_crawl(url, limit=self._limit, scrape_options=options)
        one_part = PaginationConfig(auto_paginate=False)
        found = self._client.get_crawl_status(job.id, one_part)
        while found.status == RUNNING:
            self._sleep(POLL_SECONDS)
            found = self._client.get_crawl_status(job.id, one_part)
        if found.status != COMPLETED:
            raise OSError(f"Firecrawl's crawl of {url} ended as {found.status}")
        while True:
            yield from found.data
            if not found.next:
                return
            found = self._client.get_crawl_status_page(found.next)

    def _said(self, document: Any, asked_url: str) -> Observed | Passed:
        try:
            return self._read(document, asked_url)
        except LeftOut as left:
            return Passed(str(left))
        except FORM_ERRORS:
            return Passed(UNREADABLE)

    def _read(self, document: Any, asked_url: str) -> Observed | Passed:
        stated = document.metadata_typed
        url = _canonical(stated.url or stated.source_url or asked_url)
        if not self._admits(url):
            return Passed(OUTSIDE)
        at = _time(stated.cached_at) if stated.cache_state == "hit" else datetime.now(UTC)
        kind = stated.content_type or CONTENT_TYPE
        if "html" not in kind:
            return Passed("no HTML; a crawl reads it as it is")
        status = stated.status_code or 200
        body = (document.raw_html or "").encode()
        markdown = _markdown(document) if status == OK else None
        headers = (("content-type", CONTENT_TYPE),)
        # A body that is missing is a page without text, as one that has none.
        showed = answer_of(url, status, headers, body or (NO_HTML if markdown else b""))
        return Observed(url, at, showed, (markdown, MARKDOWN_BY) if markdown else None)


def _markdown(document: Any) -> Served | None:
    """Returns a page as Firecrawl has read it, for where nothing is found in its HTML."""
    text = (document.markdown or "").strip()
    try:
        return body_of(MARKDOWN_TYPE, text.encode()) if text else None
    except LeftOut:
        return None


def _canonical(url: str) -> str:
    """Returns the canonical form of a URL; empty where it is none, which no scope holds."""
    try:
        return canonical_url(url)
    except InvalidInput:
        return ""


def _time(stated: str | None) -> datetime:
    """Returns when a page of the cache was seen."""
    try:
        return datetime.fromisoformat(stated or "").astimezone(UTC)
    except ValueError:
        return datetime.now(UTC)
