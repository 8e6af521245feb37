"""Rows of an organisation of so many pages, made by column: the same of a page in every table.

Row `i` of a table is of page `i`; a host has 200 pages, half of all pages are in one job and the
rest in jobs of 100, one in a thousand is on its way, and times lie within thirty days. The rows of
a table lie in no order, as after months of many hosts at once: those of a host lie apart.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from random import Random
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Float, Integer, LargeBinary, String, Table
from sqlalchemy.types import JSON

from scops.common.db.types import UtcDateTime

PAGES_A_HOST = 200
PAGES_A_JOB = 100
PAGES_A_SCOPE = 500
TURNS_A_CHAT = 10
# One page in so many is on its way through the pipeline.
IN_FLIGHT = 1_000
# One in so many is in somebody's hands, of which there are as many as processes have.
SELDOM_HELD = 50_000
# One row in so many: what retention, purges and settling still have before them.
PENDING = 50
FIRST = int(datetime(2026, 3, 1, tzinfo=UTC).timestamp() * 1e6)
SPAN = 30 * 24 * 3_600 * 10**6
LAST = FIRST + SPAN
# Tables with fewer rows than pages: a row for so many.
PAGES_A_ROW = {
    "host": PAGES_A_HOST,
    "robots": PAGES_A_HOST,
    "site_rate": PAGES_A_HOST,
    # A site has a few kinds of signals.
    "site_signal": PAGES_A_HOST // 4,
    "template_host": PAGES_A_HOST,
    "job": PAGES_A_JOB,
    "scope": PAGES_A_SCOPE,
    "scope_revision": PAGES_A_SCOPE,
    "credential": PAGES_A_SCOPE,
    "scope_visit": PAGES_A_SCOPE,
    "research_keeping": PAGES_A_SCOPE,
    "purge": 10_000,
    "purge_report": 10_000,
    "pipeline": 10_000,
    "api_key": 1_000,
    "person": 1_000,
    "member": 1_000,
    "claim": 10_000,
    "secret": 10_000,
    "store_health": 10_000,
    "audit_head": 10**9,
    # Crawls that are not through with the pages of the one before them.
    "revisit": 10**9,
    # What waits to be sent, taken, swept or chunked anew.
    "outbox": 10,
    "queue": 10,
    "rechunk": 10,
    "garbage": 10,
    "pin": PENDING,
    # Files that list pages, and robots.txt.
    "task": PAGES_A_JOB,
    "plain_file": PAGES_A_HOST,
    "taken_listing": PAGES_A_HOST,
    "subscription": PAGES_A_HOST,
}
# Values of few kinds, and one page in so many that has another than the first.
RARE = {
    ("fetch", "state"): ("closed", {IN_FLIGHT: "published", SELDOM_HELD + 1: "leased"}),
    ("job_page", "state"): ("closed", {IN_FLIGHT: "open"}),
    ("job_page", "outcome"): ("indexed", {7: "unchanged", 101: "dead"}),
    ("job", "state"): ("completed", {PENDING: "running"}),
    ("task", "state"): ("done", {IN_FLIGHT: "open"}),
    ("research", "state"): ("ended", {SELDOM_HELD: "running"}),
    ("chunk", "state"): ("live", {PENDING: "retiring"}),
    ("page", "status"): ("fetched", {7: "unmodified", 101: "gone"}),
    ("stay", "kind"): ("fetched", {101: "gone"}),
    ("observation", "kind"): ("fetched", {7: "unmodified", 101: "gone"}),
    ("queue", "lane"): ("bulk", {20: "now"}),
    ("outbox", "lane"): ("bulk", {20: "now"}),
}
# Empty but for one page in so many.
SELDOM = {
    "awaiting_fetch_id": IN_FLIGHT,
    "lease_id": IN_FLIGHT,
    "lease_until": IN_FLIGHT,
    "claimed_until": SELDOM_HELD,
    "wake_now": 20,
    "wake_bulk": 3,
    "unlisted_since": PENDING,
    "delete_from": PENDING,
    "dropped_time": PENDING,
    "purged_before": IN_FLIGHT,
    "aside_time": 2,
    "settles_at": PENDING,
    "unreachable_since": 101,
    "event_data": IN_FLIGHT,
    "body": 2,
    "done_time": 2,
    "expires_at": 2,
    "revoked_at": 2,
    "as_of": 10,
    "observed_to": 2,
}
# Columns that name the same thing under another name.
ALIASES = {
    "page": "page_id",
    "pages": "page_id",
    "entry_id": "page_id",
    "keeper": "page_id",
    "fetch": "fetch_id",
    "fetches": "fetch_id",
    "last_fetch_id": "fetch_id",
    "validator_fetch_id": "fetch_id",
    "awaiting_fetch_id": "fetch_id",
    "opened": "version_id",
    "version": "version_id",
    "versions": "version_id",
    "chunk": "chunk_id",
    "chunks": "chunk_id",
    "keys": "embedding_key",
    "wording": "wording_id",
    "job": "job_id",
    "jobs": "job_id",
    "base_job_id": "job_id",
    "after_page_id": "page_id",
    "after_host": "host",
    "lease": "lease_id",
    "task": "task_id",
    "event": "event_id",
    "purge": "purge_id",
    "text": "text_digest",
    "canonical_url": "url",
    "validated_url": "url",
    "urls": "url",
    "stated_url": "url",
    "listing_url": "url",
    "final_url": "url",
    "netloc": "host",
    "host_key": "host",
    "hosts": "host",
    "subject": "principal",
    "principal_id": "principal",
    "owner": "principal",
    "organisation": "organisation_id",
    "context": "access_context",
}
IDENTITIES = (
    *("page_id", "fetch_id", "version_id", "chunk_id", "wording_id", "embedding_key"),
    *("task_id", "event_id", "lease_id", "request_id", "created_id", "block", "shape"),
    *("text_digest", "document_digest", "manifest_digest", "links_digest", "digest"),
    *("content_key", "purge_id", "key_id", "principal", "template", "batch", "store", "name"),
)
# The first are those of places in an order, such as an outbox's.
ORDERED = ("position", "sequence", "number")


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of an organisation of `pages` pages."""

    pages: int

    def table(self, table: Table) -> Iterator[tuple[Any, ...]]:
        """Yields the rows of a table, with the values as the driver takes them."""
        count = max(1, self.pages // PAGES_A_ROW.get(table.name, 1))
        for number in Random(0).sample(range(count), count):
            # Of tables of hosts, jobs and scopes a row is of the first page of each.
            page = number * PAGES_A_ROW.get(table.name, 1)
            yield tuple(self._cell(table, column, page, number) for column in table.columns)

    def named(self, column: str, page: int) -> Any:
        """Returns what a page has in columns of this name that say which it is; else None."""
        name = ALIASES.get(column, column)
        maker = self._makers().get(name)
        if maker is not None:
            return maker(page)
        return _identity(name, page) if name in IDENTITIES else None

    def time(self, page: int) -> int:
        """Returns when the page was seen, in microseconds since 1970."""
        return FIRST + SPAN * page // max(self.pages, 1)

    def job(self, page: int) -> str:
        """Returns the job of a page: one has half of all."""
        return f"job-{0 if page < self.pages // 2 else page // PAGES_A_JOB:09d}"

    def _makers(self) -> dict[str, Callable[[int], Any]]:
        return {
            "organisation_id": lambda page: "main",
            "access_context": lambda page: "public",
            "host": _host,
            # The domain of a host, as a range of reversed ones.
            "reversed_host": _reversed_host,
            "domain": lambda page: f"{_reversed_site(page)}.",
            "domain_end": lambda page: f"{_reversed_site(page)}/",
            "url": lambda page: f"https://{_schemeless(page)}",
            "robots_url": lambda page: f"https://{_host(page)}/robots.txt",
            "schemeless_url": _schemeless,
            "job_id": self.job,
            "scope_id": lambda page: f"scope-{page // PAGES_A_SCOPE}",
            "chat_id": lambda page: f"chat-{page // TURNS_A_CHAT:09d}",
        }

    def _cell(self, table: Table, column: Column[Any], page: int, number: int) -> Any:
        name = column.name
        if column.nullable and name in SELDOM and number % SELDOM[name]:
            return None
        if (table.name, name) in RARE:
            usual, rare = RARE[table.name, name]
            return next((value for every, value in rare.items() if not number % every), usual)
        if table.name == "job" and name == "job_id":
            return f"job-{number:09d}"
        if table.name == "credential" and name == "access_context":
            return f"credential-{number:09d}"
        if table.name == "chat" and name == "chat_id":
            return f"chat-{number:09d}"
        if isinstance(column.type, UtcDateTime):
            return self.time(page)
        known = self.named(name, page)
        if known is not None and isinstance(column.type, String):
            return known
        return _plain(column, page, number)


def _identity(name: str, page: int) -> str:
    """Returns a name of fixed length, whose order has nothing to do with the page's number."""
    return sha256(f"{name} {page}".encode()).hexdigest()[:36]


def _host(page: int) -> str:
    return f"www.h{page // PAGES_A_HOST:06d}.test"


def _reversed_host(page: int) -> str:
    return f"{_reversed_site(page)}.www"


def _reversed_site(page: int) -> str:
    return f"test.h{page // PAGES_A_HOST:06d}"


def _schemeless(page: int) -> str:
    return f"{_host(page)}/docs/{page % PAGES_A_HOST}/page-{page}.html"


def _plain(column: Column[Any], page: int, number: int) -> Any:
    """Returns a value of a column's type."""
    kind = column.type
    if isinstance(kind, Boolean):
        return number % PENDING == 0
    if isinstance(kind, BigInteger) and column.name not in ORDERED:
        return int.from_bytes(_digest(page)[:7])
    if isinstance(kind, Integer):
        return number + 1 if column.primary_key or column.name in ORDERED else 1
    if isinstance(kind, Float):
        return 0.0
    if isinstance(kind, LargeBinary):
        return _digest(page)
    if isinstance(kind, JSON):
        return "[]"
    return _identity(column.name, page) if column.primary_key else column.name


def _digest(page: int) -> bytes:
    return sha256(page.to_bytes(8)).digest()
