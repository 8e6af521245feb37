"""Outcomes of a page in a job, and which failure leads to which."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from scops.common.contract.messages.content import PageKind
from scops.common.contract.messages.index import IndexOutcome
from scops.fetcher.ports.page_source import Failed
from scops.fetcher.settings import FetcherSettings

RETRY_GROWTH = 4
BLOCKED_MARK = "blocked:"

ROBOTS = "robots"
ROBOTS_UNREACHABLE = "robots_unreachable"
OUT_OF_SCOPE = "out_of_scope"
MALFORMED_URL = "malformed_url"
PAGE_LIMIT = "page_limit"
TEMPLATE_LIMIT = "template_limit"
REDIRECTED = "redirected"
# A page that was asked for with a credential asks for a password.
LOGIN_WALL = PageKind.LOGIN_WALL.value
# Why a page was joined to another: a permanent redirect, or the same content.
MOVED = "moved"
SAME_CONTENT = "same_content"
LOST = "lost"
# The page's outcome came, and the links that it has never did.
LINKS_LOST = "links_lost"
LEASE_EXPIRED = "lease_expired"
PURGED = "purged"
# A page needs a browser, and its scopes have used up what they may have of it today.
RENDERINGS_SPENT = "renderings_spent"
# A route without a browser that its scopes have show it.
NEEDS_BROWSER = "needs_browser"
# The kind of a fetch that another installation did.
IMPORTED = "imported"
# The kind of a fetch that a reader captured.
CAPTURED = "captured"

# Somebody forbids it, or it is nothing that can be indexed; everything else is dead.
BLOCKING_REASONS = frozenset(
    {
        "ADDRESS_DENIED",
        "HOST_DENIED",
        "PORT_DENIED",
        "REDIRECT_DENIED",
        "UNSUPPORTED_TYPE",
        "HTTP_401",
        "HTTP_402",
        "HTTP_403",
        "HTTP_407",
        "HTTP_451",
    }
)

# Kinds of which no version is made.
BLOCKED_KINDS = frozenset(PageKind) - {PageKind.ARTICLE, PageKind.UNSPECIFIED}


class Outcome(StrEnum):
    """How a page ended in a job."""

    INDEXED = "indexed"
    UNCHANGED = "unchanged"
    # Its URL is a name of another page now.
    JOINED = "joined"
    GONE = "gone"
    BLOCKED = "blocked"
    DEAD = "dead"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """An outcome with its reason; lower snake, empty where the outcome says it all."""

    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """The page is fetched again, not before `due_time`."""

    due_time: datetime


def indexed_ending(outcome: IndexOutcome, reason: str) -> Ending:
    """Returns the ending that an answer of the indexer stands for."""
    if reason.startswith(BLOCKED_MARK):
        return Ending(outcome=Outcome.BLOCKED, reason=reason.removeprefix(BLOCKED_MARK))
    if outcome is IndexOutcome.REFRESHED:
        return Ending(outcome=Outcome.UNCHANGED)
    if outcome is IndexOutcome.CLOSED:
        return Ending(outcome=Outcome.GONE, reason=reason)
    return Ending(outcome=Outcome.INDEXED)


def after_failure(
    failure: Failed, *, attempts: int, now: datetime, settings: FetcherSettings
) -> Ending | Retry:
    """Decides whether a failed page is fetched again.

    Args:
        attempts: failures of this page in a row before this one.
    """
    if failure.retryable and attempts + 1 < settings.attempts_max:
        delay = settings.retry_first_seconds * RETRY_GROWTH**attempts
        return Retry(due_time=now + timedelta(seconds=max(delay, failure.asked_seconds)))
    blocked = failure.reason in BLOCKING_REASONS
    return Ending(
        outcome=Outcome.BLOCKED if blocked else Outcome.DEAD, reason=failure.reason.lower()
    )
