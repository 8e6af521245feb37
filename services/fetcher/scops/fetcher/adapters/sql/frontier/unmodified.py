"""Answers that a page is as it was, recorded inside a transaction."""

from datetime import datetime
from typing import Any

from scops.common.contract.messages.crawl import PageUnmodified
from scops.common.contract.service_table import Lane
from scops.fetcher.adapters.sql.frontier.recording import (
    FIRST_ATTEMPT,
    LeasedFetch,
    keep_event,
    publish,
    send,
    update_page,
)
from scops.fetcher.adapters.sql.tables import VERIFIED
from scops.fetcher.fetch.sameness import verified
from scops.fetcher.frontier.outcomes import Retry
from scops.fetcher.ports.frontier import Failure
from scops.fetcher.ports.page_source import Unmodified


def is_forgotten(opened: LeasedFetch) -> bool:
    """Returns whether what a 304 confirms was purged since it was asked for."""
    asked = opened.lease.validators
    return asked is not None and opened.page.validator_fetch_id != asked.fetch_id


def forgotten(now: datetime) -> Failure:
    """Returns why the 304 of a page that was purged counts for nothing."""
    return Failure(
        reason="CONFIRMS_PURGED",
        detail="The page was purged while it was asked for; it is fetched again.",
        decision=Retry(due_time=now),
        counts=False,
        forget_validators=True,
    )


async def publish_unmodified(opened: LeasedFetch, answer: Unmodified, url: str) -> None:
    """Records that a page showed again what the index had confirmed.

    In lane bulk it waits to be published with others, see `SqlVerifiedFetches`; a person does not
    wait. A page with a new URL goes alone, for more than its verified time moves.

    Args:
        url: its canonical URL from now on.
    """
    lease = opened.lease
    assert lease.validators is not None, "only a conditional request is answered 304"
    event = PageUnmodified(
        page_id=lease.page_id,
        fetch_id=lease.fetch_id,
        confirmed_fetch_id=lease.validators.fetch_id,
        observed_time=opened.observed_time,
        access_context=lease.access_context,
        canonical_url=url,
        attempt=FIRST_ATTEMPT,
    )
    # They say the same of the same bytes: a server that renews them would send those each time.
    newer = {"etag": answer.etag, "last_modified": answer.last_modified}
    given: dict[str, Any] = {name: value for name, value in newer.items() if value}
    await update_page(opened, status="unmodified", **given)
    if url != opened.page.canonical_url:
        await publish(opened, event, kind="unmodified")
    elif lease.lane is Lane.BULK:
        await keep_event(opened, event, state=VERIFIED, kind="unmodified")
    else:
        await keep_event(opened, event, state="published", kind="unmodified")
        (told,) = verified([event])
        await send(opened, told)
