"""Rows of watches, deliveries and failures, and the values that they stand for."""

from dataclasses import asdict
from datetime import date
from typing import Any

from sqlalchemy import Row

from scops.common.contract.ids import PageId, ScopeId
from scops.common.contract.messages.change import NewsPlace
from scops.common.contract.messages.types import ChangeClass, ScopeRole
from scops.gateway.watches.schedule import Every, WatchSchedule
from scops.gateway.watches.watch import (
    AlertDelivery,
    DeliveryState,
    EndReason,
    News,
    PageFailure,
    TargetKind,
    Watch,
    WatchBounds,
    WatchCondition,
    WatchId,
    WatchState,
)

TUPLES = ("counted_reasons", "ignored_reasons", "words")
FIRST_DAY = date(1970, 1, 1)


def owned_values(watch: Watch) -> dict[str, Any]:
    """Returns the columns that a watch's owner may change."""
    condition = asdict(watch.condition)
    return {
        "display_name": watch.display_name,
        "condition": condition | {"news": sorted(watch.condition.news)},
        "with_errors": watch.condition.wants(News.ERROR),
        "schedule": asdict(watch.schedule),
        "shown_address": watch.shown_address,
        "sealed": watch.sealed,
        "updated_at": watch.updated_time,
    }


def watch_values(watch: Watch) -> dict[str, Any]:
    """Returns the row of a watch."""
    limited = watch.bounds.limited_to
    return owned_values(watch) | {
        "watch_id": watch.watch_id,
        "kind": watch.kind.value,
        "state": watch.state.value,
        "end_reason": watch.end_reason.value,
        "failures": watch.failures,
        **place_values("place", watch.place),
        "due_at": watch.due_time,
        "organisation_id": watch.organisation_id,
        "principal": watch.principal_id,
        "scope_id": watch.scope_id,
        "page_id": watch.page_id,
        "key_id": watch.bounds.key_id,
        "limited_to": None if limited is None else sorted(limited),
        "ceiling": watch.bounds.ceiling.value,
        "created_at": watch.created_time,
    }


def watch_of(row: Row[Any]) -> Watch:
    """Returns the watch of a row."""
    condition = row.condition | {name: tuple(row.condition[name]) for name in TUPLES}
    condition["change_classes"] = tuple(ChangeClass(one) for one in condition["change_classes"])
    condition["news"] = frozenset(News(one) for one in condition["news"])
    limited = row.limited_to
    return Watch(
        watch_id=WatchId(row.watch_id),
        organisation_id=row.organisation_id,
        principal_id=row.principal,
        display_name=row.display_name,
        scope_id=ScopeId(row.scope_id),
        page_id=PageId(row.page_id),
        condition=WatchCondition(**condition),
        schedule=WatchSchedule(**row.schedule | {"every": Every(row.schedule["every"])}),
        kind=TargetKind(row.kind),
        shown_address=row.shown_address,
        sealed=bytes(row.sealed),
        bounds=WatchBounds(
            key_id=row.key_id,
            limited_to=None if limited is None else frozenset(ScopeId(one) for one in limited),
            ceiling=ScopeRole(row.ceiling),
        ),
        state=WatchState(row.state),
        end_reason=EndReason(row.end_reason),
        created_time=row.created_at,
        updated_time=row.updated_at,
        place=NewsPlace(recorded_time=row.place_at, page_id=PageId(row.place_page)),
        due_time=row.due_at,
        failures=row.failures,
    )


def place_values(name: str, place: NewsPlace) -> dict[str, Any]:
    """Returns the columns of a place."""
    return {f"{name}_at": place.recorded_time, f"{name}_page": place.page_id}


def delivery_values(delivery: AlertDelivery) -> dict[str, Any]:
    """Returns the row of a delivery."""
    return {
        "delivery_id": delivery.delivery_id,
        "watch_id": delivery.watch_id,
        **place_values("after", delivery.after),
        **place_values("until", delivery.until),
        "more": delivery.more,
        "state": delivery.state.value,
        "attempts": delivery.attempts,
        "change_count": delivery.change_count,
        "created_at": delivery.created_time,
        "ended_at": delivery.ended_time,
        "due_at": delivery.due_time,
        "failure": delivery.failure,
    }


def delivery_of(row: Row[Any]) -> AlertDelivery:
    """Returns the delivery of a row."""
    return AlertDelivery(
        delivery_id=row.delivery_id,
        watch_id=WatchId(row.watch_id),
        after=NewsPlace(recorded_time=row.after_at, page_id=PageId(row.after_page)),
        until=NewsPlace(recorded_time=row.until_at, page_id=PageId(row.until_page)),
        more=row.more,
        state=DeliveryState(row.state),
        attempts=row.attempts,
        change_count=row.change_count,
        created_time=row.created_at,
        ended_time=row.ended_at,
        due_time=row.due_at,
        failure=row.failure,
    )


def failure_values(failure: PageFailure) -> dict[str, Any]:
    """Returns the row of a failure."""
    return {
        "page_id": failure.page_id,
        "reason": failure.reason,
        "day": (failure.failed_time.date() - FIRST_DAY).days,
        "organisation_id": failure.organisation_id,
        "detail": failure.detail,
        "failed_at": failure.failed_time,
        "recorded_at": failure.recorded_time,
    }


def failure_of(row: Row[Any]) -> PageFailure:
    """Returns the failure of a row."""
    return PageFailure(
        organisation_id=row.organisation_id,
        page_id=PageId(row.page_id),
        reason=row.reason,
        detail=row.detail,
        failed_time=row.failed_at,
        recorded_time=row.recorded_at,
    )
