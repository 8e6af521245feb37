"""What FastStream is told of a service's messages."""

from collections.abc import Sequence
from typing import Any

from faststream.middlewares import AckPolicy

from scops.common.bus.consume.router import ServiceRouter
from scops.common.bus.ports import Cause
from scops.common.contract.messages.crawl import PageGone
from scops.common.contract.service_table import Lane, Role


async def _handle(message: PageGone, cause: Cause, *, ports: Any = None) -> Sequence[Any]:
    return [ports]


def test_a_message_has_a_subscriber_on_each_lane() -> None:
    """Subject and durable come from the contract; nothing is declared or acknowledged for us."""
    router = ServiceRouter(Role.CHANGE_DETECTOR)
    router.consumes(PageGone)(_handle)
    subscribers = [intake.subscriber for intake in router.intakes]

    assert [one.config.durable_name for one in subscribers] == [
        f"change-detector-page_gone-{lane}" for lane in Lane
    ]
    assert [one.subject.template for one in subscribers] == [
        f"scops.crawl.v1.page_gone.{lane}.*" for lane in Lane
    ]
    assert {(AckPolicy.MANUAL, False)} == {
        (one.ack_policy, one.stream.declare) for one in subscribers
    }


async def test_a_handler_is_given_the_ports_of_its_service() -> None:
    """The decorated function stays as it is, for whoever calls it by hand."""
    router = ServiceRouter(Role.CHANGE_DETECTOR, "ports")
    decorated = router.consumes(PageGone)(_handle)

    assert decorated is _handle
    assert ["ports"] == await router.handlers[PageGone](None, None)  # type: ignore[arg-type]
