"""What the change-detector listens to, as data."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from scops.change_detector.handlers import (
    handle_page_extracted,
    handle_page_gone,
    handle_page_unmodified,
)
from scops.change_detector.ports import Ports
from scops.change_detector.reading.queries import answer_diff, answer_history
from scops.change_detector.reading.what_changed import answer_what_changed
from scops.change_detector.templates.requests import answer_templates
from scops.change_detector.upkeep.rechunking import answer_rechunk
from scops.change_detector.upkeep.retention import answer_pin, handle_page_cited
from scops.common.contract.messages.content import PageExtracted
from scops.common.contract.messages.crawl import PageGone, PageUnmodified
from scops.common.contract.messages.explanation import PageCited
from scops.common.query.ports import DIFF, HISTORY, PIN, RECHUNK, TEMPLATES, WHAT_CHANGED
from scops.common.runtime.service import QueryBinding, Subscription

HANDLERS: tuple[tuple[type[Any], Callable[..., Awaitable[Sequence[Any]]]], ...] = (
    (PageExtracted, handle_page_extracted),
    (PageUnmodified, handle_page_unmodified),
    (PageGone, handle_page_gone),
    (PageCited, handle_page_cited),
)


def subscriptions(ports: Ports) -> tuple[Subscription, ...]:
    """Returns one subscription for each message that is consumed."""
    return tuple(
        Subscription(
            message=message,
            handler=partial(handle, ports=ports),
            concurrency=ports.settings.concurrency,
        )
        for message, handle in HANDLERS
    )


def queries(ports: Ports) -> tuple[QueryBinding, ...]:
    """Returns the questions that are answered."""
    return (
        QueryBinding(method=HISTORY, answer=lambda request: answer_history(request, ports)),
        QueryBinding(method=DIFF, answer=lambda request: answer_diff(request, ports)),
        QueryBinding(
            method=WHAT_CHANGED, answer=lambda request: answer_what_changed(request, ports)
        ),
        QueryBinding(method=RECHUNK, answer=lambda request: answer_rechunk(request, ports)),
        QueryBinding(method=PIN, answer=lambda request: answer_pin(request, ports)),
        QueryBinding(method=TEMPLATES, answer=lambda request: answer_templates(request, ports)),
    )
