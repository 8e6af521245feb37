"""Watches: made, read, changed, tried and removed."""

from typing import TypedDict, Unpack

from scops.client.calls import Call, Listing, Plan
from scops.client.codec import read
from scops.client.methods.names import AnyScope, AnyWatch, scope_name, watch_name
from scops.client.values.watches import (
    CreatedWatch,
    Watch,
    WatchCondition,
    WatchDeliveries,
    WatchSchedule,
    WatchTarget,
    WatchTest,
)

SERVICE = "WatchService"


class WatchFields(TypedDict, total=False):
    """What a caller changes of a watch; see `Watch` for what each means."""

    display_name: str
    condition: WatchCondition
    schedule: WatchSchedule
    target: WatchTarget
    paused: bool


def create_watch(
    target: WatchTarget,
    *,
    scope: AnyScope = "",
    page: str = "",
    display_name: str = "",
    condition: WatchCondition | None = None,
    schedule: WatchSchedule | None = None,
) -> Plan[CreatedWatch]:
    """Has the caller told of changes of a scope, or of a page.

    Args:
        target: where to.
        scope: all of its pages; or name a page.
        page: `pages/{page}`.
        condition: which changes count; None takes all but noise and errors.
        schedule: how often; None tells each change at once.
    """
    watch = {
        "scope": scope_name(scope) if scope else "",
        "page": page,
        "display_name": display_name,
        "condition": condition,
        "schedule": schedule,
        "target": target,
    }
    return read(CreatedWatch, (yield Call(SERVICE, "CreateWatch", {"watch": watch})))


def get_watch(watch: AnyWatch) -> Plan[WatchDeliveries]:
    """Reads a watch of the caller's, with its newest deliveries."""
    return read(WatchDeliveries, (yield Call(SERVICE, "GetWatch", {"name": watch_name(watch)})))


def list_watches(*, page_size: int = 100) -> Listing[Watch]:
    """Lists the caller's watches, newest first."""
    return Listing(Call(SERVICE, "ListWatches", {"page_size": page_size}), "watches", Watch)


def update_watch(watch: AnyWatch, **fields: Unpack[WatchFields]) -> Plan[Watch]:
    """Changes the fields of a watch that are given, and no others.

    With `paused=False` one that is paused or has ended sends again.
    """
    request = {
        "watch": {"name": watch_name(watch), **fields},
        "update_mask": {"paths": list(fields)},
    }
    return read(Watch, (yield Call(SERVICE, "UpdateWatch", request, is_harmless=True)).watch)


def delete_watch(watch: AnyWatch) -> Plan[None]:
    """Removes a watch with all that waits for it."""
    yield Call(SERVICE, "DeleteWatch", {"name": watch_name(watch)})


def test_watch(watch: AnyWatch) -> Plan[WatchTest]:
    """Sends a message without changes to where the watch sends, and says how that went."""
    return read(WatchTest, (yield Call(SERVICE, "TestWatch", {"name": watch_name(watch)})))
