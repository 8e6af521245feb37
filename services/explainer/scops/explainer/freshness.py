"""How fresh an answer is: when its pages were last verified, and how likely they changed since.

A page's rate of change is estimated from its own history as a Poisson rate under a Gamma prior:
(n + a) / (T + a / population rate). The risk that it changed its meaning since it was verified is
1 - exp(-rate · days), and the answer's that of at least one page.

Source: algorithms.md, section 4.2 (empirical Bayes) and 4.3 (R(q, t)).
"""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from scops.common.ids import PageId
from scops.common.messages.change import HistoryEntry
from scops.common.messages.explanation import Citation, Freshness, PageFreshness

DAY = timedelta(days=1)
PRIOR_SHAPE = 0.5
# Below this, a risk is not worth a number in words.
RISK_SAID_MIN = 0.005


def freshness_of(
    citations: Sequence[Citation],
    histories: Mapping[PageId, Sequence[HistoryEntry]],
    *,
    now: datetime,
    prior_rate: float,
) -> Freshness | None:
    """Returns the freshness of what was cited; None where nothing was.

    Args:
        histories: newest versions of the cited pages, newest first; empty where unknown.
        prior_rate: changes of meaning a day of a page about which nothing is known.
    """
    cited = {(citation.page_id, citation.version_id): citation for citation in citations}
    pages = tuple(
        _page(citation, histories.get(citation.page_id, ()), now, prior_rate)
        for citation in cited.values()
    )
    if not pages:
        return None
    risk = 1 - math.prod(1 - page.risk for page in pages)
    return Freshness(pages=pages, risk=risk, statement=_statement(citations, pages, risk))


def change_rate(versions: Sequence[HistoryEntry], *, prior_rate: float) -> float:
    """Returns a page's changes of meaning a day.

    Args:
        versions: newest first; the oldest is where observation began, not a change.
    """
    changes = sum(1 for version in versions[:-1] if version.summary and version.summary.semantic)
    days = 0.0
    if versions:
        since = versions[-1].order_key.observed_from
        days = max((versions[0].last_verified_time - since) / DAY, 0.0)
    return (changes + PRIOR_SHAPE) / (days + PRIOR_SHAPE / prior_rate)


def _page(
    citation: Citation, versions: Sequence[HistoryEntry], now: datetime, prior_rate: float
) -> PageFreshness:
    rate = change_rate(versions, prior_rate=prior_rate)
    verified = citation.clocks.verified_time or citation.clocks.observed_time
    entry = next((item for item in versions if item.version_id == citation.version_id), None)
    days = max((now - verified) / DAY, 0.0)
    return PageFreshness(
        page_id=citation.page_id,
        canonical_url=citation.canonical_url,
        version_id=citation.version_id,
        verified_time=verified,
        changed_after_time=entry.changed_after_time if entry else None,
        observed_time=citation.clocks.observed_time,
        change_rate=rate,
        # That an earlier version is cited is told; its text is known to have changed.
        risk=1.0 if citation.superseded else 1 - math.exp(-rate * days),
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
    chance = f"about {risk:.0%}" if risk >= RISK_SAID_MIN else "below 1%"
    dated = [page for page in pages if page.changed_after_time is not None]
    last = max(dated, key=lambda page: page.observed_time, default=None)
    changed = ""
    if last is not None and last.changed_after_time is not None:
        since, until = _said(last.changed_after_time), _said(last.observed_time)
        when = f"between {since} and {until}" if since != until else f"on {until}"
        changed = f" The newest cited text appeared {when}."
    return (
        f"{count}, verified {_said(oldest)} or later; the chance that its meaning has changed "
        f"since is {chance}.{changed}"
    )


def _said(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}Z"
