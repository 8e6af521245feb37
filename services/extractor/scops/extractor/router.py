"""What the extractor listens to, as data."""

from functools import partial

from scops.common.contract.messages.crawl import PageFetched
from scops.common.runtime.service import Subscription
from scops.extractor.handlers import handle_page_fetched
from scops.extractor.ports import ExtractorPorts


def subscriptions(ports: ExtractorPorts, *, concurrency: int) -> tuple[Subscription, ...]:
    """Returns one subscription for each message that is consumed.

    Args:
        concurrency: pages handled at once per lane; more than parse at once only wait.
    """
    return (
        Subscription(
            message=PageFetched,
            handler=partial(handle_page_fetched, ports=ports),
            concurrency=concurrency,
        ),
    )
