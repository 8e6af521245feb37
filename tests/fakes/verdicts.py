"""Builds verdicts on one page, by days of its timeline."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from scops.common.contract.ids import FetchId, PageId, VersionId
from scops.common.contract.messages.change import (
    Verdict,
    VersionAdded,
    VersionClosed,
    VersionRestored,
    VersionRow,
    VersionUnchanged,
)
from scops.common.contract.messages.types import OrderKey
from scops.common.scope.contexts import PUBLIC
from scops.libraries.index.ports import Head
from tests.fakes.clock import START

PAGE = PageId("page-1")
URL = "https://docs.example.org/guide/tea"


def at(day: float) -> datetime:
    """Returns an instant of the observed timeline."""
    return START - timedelta(days=100) + timedelta(days=day)


def verdict_of(
    current: VersionRow | None,
    *versions: VersionRow,
    day: float,
    fetch: str = "fetch-1",
    page: PageId = PAGE,
    url: str = URL,
    late: bool = False,
    order_key: OrderKey | None = None,
) -> Verdict:
    """Builds a verdict; without a current version the page is closed."""
    key = order_key or (current.order_key if current else OrderKey(observed_from=at(day)))
    return Verdict(
        page_id=page,
        fetch_id=FetchId(fetch),
        access_context=PUBLIC,
        canonical_url=url,
        order_key=key,
        version_id=current.version_id if current else VersionId(""),
        closed=current is None,
        manifest=current.manifest if current else None,
        verified_time=at(day),
        observed_time=at(day),
        versions=versions,
        late=late,
    )


def added(current: VersionRow, *others: VersionRow, day: float, **options: Any) -> VersionAdded:
    """Builds the verdict on a new version, with the rows it touched."""
    return VersionAdded(verdict=verdict_of(current, *others, current, day=day, **options))


def unchanged(current: VersionRow, *, day: float, **options: Any) -> VersionUnchanged:
    """Builds the verdict on a version that was seen again."""
    return VersionUnchanged(verdict=verdict_of(current, day=day, **options))


def restored(
    current: VersionRow, *others: VersionRow, day: float, **options: Any
) -> VersionRestored:
    """Builds the verdict on a text that came back."""
    return VersionRestored(verdict=verdict_of(current, *others, current, day=day, **options))


def closed(*others: VersionRow, day: float, reason: str = "gone", **options: Any) -> VersionClosed:
    """Builds the verdict on a page that is gone."""
    return VersionClosed(verdict=verdict_of(None, *others, day=day, **options), reason=reason)


def head_of(row: VersionRow, *, visible_time: datetime) -> Head:
    """Builds the head of a page whose version stands since its first day."""
    return Head(
        page_id=PAGE,
        order_key=row.order_key,
        version_id=row.version_id,
        closed=False,
        closed_reason="",
        manifest=row.manifest,
        canonical_url=URL,
        access_context=PUBLIC,
        verified_time=at(1),
        visible_time=visible_time,
    )


def ended(row: VersionRow, day: float) -> VersionRow:
    """Returns a version's row once its successor is known."""
    return replace(row, observed_to=at(day), row_revision=row.row_revision + 1)
