"""How fresh an answer is: when its pages were last verified, and how likely they changed since.

How likely a page has changed since its last check is what the fetcher says, which knows when the
page was looked at and what its site signals. Where the fetcher is silent, the rate is estimated
from the page's own history as a Poisson rate under a Gamma prior, (n + a) / (T + a / population
rate), and the risk is 1 - exp(-rate · days). The answer's risk is that of at least one page.

The estimate of a rate is an empirical Bayes one; the risk is that any cited page has changed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import HistoryEntry
from scops.common.contract.messages.crawl import PageRisk, VerifiedPage, VerifyOutcome
from scops.common.contract.messages.explanation import Citation, Freshness, PageFreshness

DAY = timedelta(days=1)
PRIOR_SHAPE = 0.5
# Changes of meaning a day that a page of unknown history is taken to have.
CHANGE_RATE_PRIOR = 0.008
# Below this, a risk is not worth a number in words.
RISK_NAMED_MIN = 0.005
FOUND = (VerifyOutcome.UNCHANGED, VerifyOutcome.CHANGED, VerifyOutcome.GONE)
CERTAIN = frozenset(outcome.value for outcome in FOUND)
NO_RISKS: Mapping[PageId, PageRisk] = {}


def freshness_of(
    citations: Sequence[Citation],
    histories: Mapping[PageId, Sequence[HistoryEntry]],
    *,
    risks: Mapping[PageId, PageRisk] = NO_RISKS,
    now: datetime,
) -> Freshness | None:
    """Returns the freshness of what was cited; None where nothing was.

    Args:
        histories: newest versions of the cited pages, newest first; empty where unknown.
        risks: what the fetcher says of them; pages left out are estimated here.
    """
    cited = {(citation.page_id, citation.version_id): citation for citation in citations}
    pages = tuple(
        _page(
            citation,
            histories.get(citation.page_id, ()),
            risks.get(citation.page_id),
            now=now,
        )
        for citation in cited.values()
    )
    if not pages:
        return None
    risk = 1 - math.prod(1 - page.risk for page in pages)
    return Freshness(pages=pages, risk=risk, statement=_statement(citations, pages, risk))


def change_rate(versions: Sequence[HistoryEntry]) -> float:
    """Returns a page's changes of meaning a day.

    Args:
        versions: newest first; the oldest is where observation began, not a change.
    """
    changes = sum(1 for version in versions[:-1] if version.summary and version.summary.semantic)
    days = 0.0
    if versions:
        since = versions[-1].order_key.observed_from
        days = max((versions[0].last_verified_time - since) / DAY, 0.0)
    return (changes + PRIOR_SHAPE) / (days + PRIOR_SHAPE / CHANGE_RATE_PRIOR)


def with_checks(
    freshness: Freshness, checks: Mapping[PageId, VerifiedPage], *, risk_before: float
) -> Freshness:
    """Returns the freshness of an answer whose pages were checked for it.

    A page that was found unchanged, or whose change has been taken in, carries no risk.
    """
    pages = tuple(_checked(page, checks.get(page.page_id)) for page in freshness.pages)
    risk = 1 - math.prod(1 - page.risk for page in pages)
    known = sum(1 for page in pages if page.check in CERTAIN)
    told = f" Checked for this answer: {known} of {len(pages)}; the risk was {risk_before:.0%}."
    return Freshness(
        pages=pages,
        risk=risk,
        statement=freshness.statement + told,
        risk_before=risk_before,
    )


def _checked(page: PageFreshness, check: VerifiedPage | None) -> PageFreshness:
    if check is None or check.checked_time is None or check.outcome not in FOUND:
        return replace(page, check=VerifyOutcome.UNKNOWN.value)
    verified = max(check.checked_time, page.verified_time)
    # A page that is gone is cited only for what it said.
    risk = 1.0 if check.outcome is VerifyOutcome.GONE else 0.0
    return replace(page, check=check.outcome.value, verified_time=verified, risk=risk)


def _page(
    citation: Citation,
    versions: Sequence[HistoryEntry],
    known: PageRisk | None,
    *,
    now: datetime,
) -> PageFreshness:
    rate = known.change_rate if known else change_rate(versions)
    verified = citation.clocks.verified_time or citation.clocks.observed_time
    entry = next((item for item in versions if item.version_id == citation.version_id), None)
    days = max((now - verified) / DAY, 0.0)
    stale = known.stale_probability if known else 1 - math.exp(-rate * days)
    return PageFreshness(
        page_id=citation.page_id,
        canonical_url=citation.canonical_url,
        version_id=citation.version_id,
        verified_time=verified,
        changed_after_time=entry.changed_after_time if entry else None,
        observed_time=citation.clocks.observed_time,
        change_rate=rate,
        # That an earlier version is cited is told; its text is known to have changed.
        risk=1.0 if citation.superseded else stale,
    )


def _statement(citations: Sequence[Citation], pages: Sequence[PageFreshness], risk: float) -> str:
    if any(citation.superseded for citation in citations):
        newest = max(page.observed_time for page in pages)
        return (
            f"Cites what stood then: at least one page says something else by now. The newest "
            f"cited text was first observed {_said(newest)}."
        )
    oldest = min(page.verified_time for page in pages)
    count = "One page is cited" if len(pages) == 1 else f"{len(pages)} pages are cited"
    chance = f"about {risk:.0%}" if risk >= RISK_NAMED_MIN else "below 1%"
    dated = [page for page in pages if page.changed_after_time is not None]
    last = max(dated, key=lambda page: page.observed_time, default=None)
    changed = ""
    if last is not None and last.changed_after_time is not None:
        since, until = _said(last.changed_after_time), _said(last.observed_time)
        when = f"between {since} and {until}" if since != until else f"on {until}"
        changed = f" The newest cited text appeared {when}."
    return (
        f"{count}, verified {_said(oldest)} or later; the chance that what is cited means "
        f"something else by now is {chance}.{changed}"
    )


def _said(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}Z"
