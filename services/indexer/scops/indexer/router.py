"""Which messages the indexer consumes, and by which handler."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from scops.common.bus.ports import Cause, Handler
from scops.common.contract.messages.change import (
    VersionAdded,
    VersionClosed,
    VersionRestored,
    VersionsDropped,
    VersionUnchanged,
)
from scops.common.runtime.service import Subscription
from scops.indexer.handlers import (
    handle_version_added,
    handle_version_closed,
    handle_version_restored,
    handle_version_unchanged,
)
from scops.indexer.ports import Ports
from scops.indexer.upkeep.dropping import handle_versions_dropped

Handle = Callable[[Any, Cause, Ports], Awaitable[Sequence[Any]]]

HANDLERS: tuple[tuple[type[Any], Handle], ...] = (
    (VersionAdded, handle_version_added),
    (VersionUnchanged, handle_version_unchanged),
    (VersionRestored, handle_version_restored),
    (VersionClosed, handle_version_closed),
    (VersionsDropped, handle_versions_dropped),
)


def subscriptions(ports: Ports) -> tuple[Subscription, ...]:
    """Returns the verdicts, and what retention lets go of, with their handlers."""
    return tuple(
        Subscription(
            message=message,
            handler=_bound(handle, ports),
            concurrency=ports.settings.concurrency,
            ack_wait_seconds=ports.settings.ack_wait_seconds,
        )
        for message, handle in HANDLERS
    )


def _bound(handle: Handle, ports: Ports) -> Handler:
    async def handler(event: Any, cause: Cause) -> Sequence[Any]:
        return await handle(event, cause, ports)

    return handler
