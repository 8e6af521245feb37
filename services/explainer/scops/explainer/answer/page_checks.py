"""Checks the cited pages with the fetcher before an answer goes out, where that is wanted.

An answer without a check is better than none: a fetcher that does not answer is logged, and the
pages count as not checked.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from scops.common.contract.errors import ScopsError
from scops.common.contract.ids import PageId
from scops.common.contract.messages.crawl import (
    PageRisk,
    PageRisksRequest,
    VerifiedPage,
    VerifyOutcome,
    VerifyRequest,
)
from scops.common.contract.messages.explanation import AnswerRequest, AnswerResponse, Revalidate
from scops.common.observe.log import get_logger
from scops.common.query.ports import PAGE_RISKS, VERIFY
from scops.explainer.ports import ExplainerPorts

# Risk above which `if_risky` has the cited pages checked.
RISK_MAX = 0.3
# Longest waits for a check of the cited pages, and for what is known of their risks.
CHECK_SECONDS = 4.0
RISKS_SECONDS = 0.5
MOVED_ON = (VerifyOutcome.CHANGED, VerifyOutcome.GONE)
log = get_logger("explainer")


def wants_check(request: AnswerRequest, response: AnswerResponse) -> bool:
    """Says whether the pages of an answer are to be checked before it goes out.

    What is asked as of an instant stands whatever the page says now.
    """
    if request.as_of_time is not None or response.freshness is None:
        return False
    if request.revalidate is Revalidate.ALWAYS:
        return True
    return request.revalidate is Revalidate.IF_RISKY and response.freshness.risk > RISK_MAX


async def checked_pages(
    page_ids: Sequence[PageId], ports: ExplainerPorts
) -> Mapping[PageId, VerifiedPage]:
    """Returns what a check of pages found; of pages left out, nobody can say."""
    deadline = ports.clock.now() + timedelta(seconds=CHECK_SECONDS)
    request = VerifyRequest(
        page_ids=tuple(page_ids), age_seconds_max=ports.settings.revalidate_age_seconds
    )
    try:
        response = await ports.query_client.call(VERIFY, request, deadline=deadline)
    except ScopsError as error:
        log.warning("revalidation_missing", detail=error.message)
        return {}
    return {page.page_id: page for page in response.pages}


async def risks_of(page_ids: Sequence[PageId], ports: ExplainerPorts) -> Mapping[PageId, PageRisk]:
    """Returns how likely pages have changed as the fetcher sees it; none where it is silent."""
    deadline = ports.clock.now() + timedelta(seconds=RISKS_SECONDS)
    request = PageRisksRequest(page_ids=tuple(page_ids))
    try:
        response = await ports.query_client.call(PAGE_RISKS, request, deadline=deadline)
    except ScopsError as error:
        log.info("risks_missing", detail=error.message)
        return {}
    return {page.page_id: page for page in response.pages}


def has_moved_on(checks: Mapping[PageId, VerifiedPage]) -> bool:
    """Says whether a checked page no longer says what was cited."""
    return any(check.outcome in MOVED_ON for check in checks.values())
