"""The service table is complete and its derived names are what the design says."""

from datetime import UTC, datetime

from scops.common.contract import service_table
from scops.common.contract.ids import PageId
from scops.common.contract.messages import change, crawl, types
from scops.common.contract.service_table import Lane, Role, StreamRetention

AT = datetime(2026, 3, 1, tzinfo=UTC)


def test_no_service_consumes_from_the_stream_it_publishes_to() -> None:
    """A worker between two full streams must be able to drain one of them."""
    own = {
        (role, entry.stream.name)
        for entry in service_table.MESSAGES
        if entry.stream is not service_table.DEAD_PAGE_STREAM
        for role in entry.producers
    }
    consumed = {
        (role, entry.stream.name) for entry in service_table.MESSAGES for role in entry.consumers
    }

    assert own & consumed == set()


def test_every_interest_stream_is_read_by_somebody() -> None:
    """Nothing is published that nobody is owed."""
    unread = {
        entry.message.__name__
        for entry in service_table.MESSAGES
        if entry.stream.retention is StreamRetention.INTEREST and not entry.consumers
    }

    assert set() == unread


def test_subject_names_matter_event_lane_and_partition() -> None:
    """`scops.<matter>.v1.<event_snake>.<lane>.<partition>`."""
    message = crawl.PageGone(page_id=PageId("p"), observed_time=AT)

    subject = service_table.subject_of(message, lane=Lane.NOW, organisation_id="main")

    assert subject.startswith("scops.crawl.v1.page_gone.now.")
    assert len(subject.split(".")) == 6


def test_a_verdict_is_about_its_page() -> None:
    """Verdict events have the partition of the page they judge."""
    key = types.OrderKey(observed_from=AT)
    verdict = change.Verdict(page_id=PageId("p"), order_key=key, verified_time=AT, observed_time=AT)

    assert service_table.entity_of(change.VersionAdded(verdict=verdict)) == "p"


def test_durables_are_one_per_service_event_and_lane() -> None:
    """No two durables of the table share a name."""
    names = [
        service_table.durable_name(role, entry, lane)
        for role in Role
        for entry in service_table.consumed_by(role)
        for lane in Lane
    ]

    assert len(names) == len(set(names))
    assert "fetcher-version_indexed-bulk" in names


def test_the_snake_name_of_every_message_is_unique() -> None:
    """Two messages never share a subject."""
    names = [entry.snake_name for entry in service_table.MESSAGES]

    assert len(names) == len(set(names))
