"""The gauges of a durable say what it is owed and for how long; neighbours show them, too."""

from prometheus_client import REGISTRY

from scops.common.bus.admin.topology import Durable, durables_of
from scops.common.bus.consume.lag import LagGauges
from scops.common.bus.nats_bus import NatsBus
from scops.common.contract.service_table import FETCHER_STREAM, Role
from scops.common.runtime.clock import SystemClock
from tests.connected.waiting import until
from tests.fakes.worlds.services import outgoing, page_gone

LABELS = {"consumer": "change-detector", "event": "page_gone", "lane": "bulk"}
# The extractor reads the same stream, and never this message.
NEIGHBOUR = durables_of([Role.EXTRACTOR])


def _value(name: str, **labels: str) -> float:
    found = REGISTRY.get_sample_value(name, labels)
    assert found is not None, f"{name} is not shown"
    return found


def _gauges(bus: NatsBus, durables: tuple[Durable, ...] = NEIGHBOUR) -> LagGauges:
    return LagGauges(bus.jetstream, durables, clock=SystemClock())


async def test_what_waits_is_counted_and_ages_until_it_is_acknowledged(bus: NatsBus) -> None:
    """Pending, then in flight, then nothing; the age is that of the oldest, and ends at 0."""
    gauges = _gauges(bus)
    await gauges.show()
    assert (0.0, 0.0) == (
        _value("scops_bus_pending", **LABELS),
        _value("scops_bus_oldest_unacked_seconds", **LABELS),
    )

    await bus.publisher.publish(outgoing(page_gone(1), "event-1"))
    await bus.publisher.publish(outgoing(page_gone(2), "event-2"))

    async def aged() -> bool:
        await gauges.show()
        return _value("scops_bus_oldest_unacked_seconds", **LABELS) > 0.3

    await until(aged)
    assert 2.0 == _value("scops_bus_pending", **LABELS)

    pull = await bus.jetstream.pull_subscribe_bind(
        "change-detector-page_gone-bulk", FETCHER_STREAM.name
    )
    first, second = await pull.fetch(batch=2, timeout=5)
    await gauges.show()
    assert (0.0, 2.0) == (
        _value("scops_bus_pending", **LABELS),
        _value("scops_bus_ack_pending", **LABELS),
    )
    oldest = _value("scops_bus_oldest_unacked_seconds", **LABELS)
    assert oldest > 0.3

    # The newer one is done: the older one still waits.
    await second.ack_sync()
    await gauges.show()
    assert oldest <= _value("scops_bus_oldest_unacked_seconds", **LABELS)
    await first.ack_sync()
    await gauges.show()
    assert (0.0, 0.0) == (
        _value("scops_bus_ack_pending", **LABELS),
        _value("scops_bus_oldest_unacked_seconds", **LABELS),
    )


async def test_a_stream_shows_its_size_and_its_bound(bus: NatsBus) -> None:
    """What fills up is seen before it is full."""
    await bus.publisher.publish(outgoing(page_gone(1), "event-1"))
    await _gauges(bus).show()

    stream = {"stream": FETCHER_STREAM.name}
    assert 0 < _value("scops_bus_stream_bytes", **stream)
    assert 16 * 1024 * 1024 == _value("scops_bus_stream_bytes_max", **stream)


async def test_a_stream_that_is_away_keeps_the_last_values(bus: NatsBus) -> None:
    """The loop goes on: the watchdog tells what is missing."""
    gauges = _gauges(bus)
    await bus.publisher.publish(outgoing(page_gone(1), "event-1"))

    async def counted() -> bool:
        # The server tells a durable of a message after it has confirmed it.
        await gauges.show()
        return _value("scops_bus_pending", **LABELS) == 1.0

    await until(counted)
    await bus.jetstream.delete_stream(FETCHER_STREAM.name)

    await gauges.show()

    assert 1.0 == _value("scops_bus_pending", **LABELS)
