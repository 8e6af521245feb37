"""How far a site's ETag and Last-Modified tell its changes: learned where both sides are seen.

A server that answers 304 although its page has changed hides every later edit. So now and then a
page that only 304s have confirmed for days is asked for without conditions, and its bytes are held
against its validators. A site that is caught is asked for whole bodies, whose bytes are compared,
until it has told enough changes again.

Asking by HEAD would cost the host a request like any other, so the request that asks is the fetch
itself. The model of recall and precision is that of arXiv 2502.02430 (Busa-Fekete and others).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from scops.common.contract.ids import content_hash, uuid7_time
from scops.fetcher.fetch.sameness import repeats
from scops.fetcher.frontier.leases import PageLease, Validators
from scops.fetcher.ports.page_source import Fetched
from scops.fetcher.recrawl.signal_trust import SignalCounts

SIGNAL = "etag"
"""The kind under which validators are counted beside sitemaps and feeds."""

AUDIT_SHARE = 0.05
"""Of the conditional requests for pages with an old body, those sent without conditions."""

AUDIT_AGE = timedelta(days=7)
"""Age of a page's body from which on its validators are audited."""

RECALL_MIN = 0.8
HONEST_COUNT = 4.0
"""Changes that a site is taken to have told before any was seen: validators are a standard."""

_HASHED_DIGITS = 8
_HASHED_MAX = 16.0**_HASHED_DIGITS


class ValidatorVerdict(StrEnum):
    """What a body says of the validators that came with it."""

    # It changed, and so did they.
    TRUE = "true"
    # They changed, and it did not.
    FALSE = "false"
    # It changed, and they did not.
    MISSED = "missed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteCounts:
    """One more for the counts of a site."""

    host_key: str
    verdict: ValidatorVerdict


def is_believed(counts: SignalCounts) -> bool:
    """Says whether the recall of a site's validators is enough."""
    told = counts.true + HONEST_COUNT
    return told >= RECALL_MIN * (told + counts.missed)


def is_audit(lease: PageLease, held: Validators, *, now: datetime) -> bool:
    """Says whether a page is asked for without conditions to try its site.

    Only a body of some days is worth it, and of these a share, chosen by the id of the fetch.
    """
    if now - uuid7_time(held.fetch_id) < AUDIT_AGE:
        return False
    drawn = int(content_hash(lease.fetch_id)[:_HASHED_DIGITS], 16) / _HASHED_MAX
    return drawn < AUDIT_SHARE


def validator_verdict(answer: Fetched, held: Validators) -> ValidatorVerdict | None:
    """Returns what an unconditional answer says of its validators; None where it says nothing."""
    if answer.final_url != held.validated_url or not (held.etag or held.last_modified):
        return None
    if repeats(answer, held):
        return None if _same(answer, held) else ValidatorVerdict.FALSE
    return ValidatorVerdict.MISSED if _same(answer, held) else ValidatorVerdict.TRUE


def _same(answer: Fetched, held: Validators) -> bool:
    # RFC 9110 section 13.2.2: If-None-Match decides where it is sent, by weak comparison.
    if held.etag:
        return answer.etag.removeprefix("W/") == held.etag.removeprefix("W/")
    return answer.last_modified == held.last_modified
