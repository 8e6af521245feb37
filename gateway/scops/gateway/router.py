"""Which messages the gateway consumes; it answers no question."""

from functools import partial

from scops.common.contract.messages.crawl import CrawlFinished, CrawlProgressed
from scops.common.runtime.service import QueryBinding, Subscription
from scops.gateway.handlers.crawl_events import handle_crawl_finished, handle_crawl_progressed
from scops.gateway.ports import GatewayPorts


def subscriptions(ports: GatewayPorts) -> tuple[Subscription, ...]:
    """Binds the messages to their handlers."""
    return (
        Subscription(
            message=CrawlProgressed, handler=partial(handle_crawl_progressed, ports=ports)
        ),
        Subscription(message=CrawlFinished, handler=partial(handle_crawl_finished, ports=ports)),
    )


def queries(ports: GatewayPorts) -> tuple[QueryBinding, ...]:
    """Binds no question: the gateway is asked over gRPC."""
    return ()
