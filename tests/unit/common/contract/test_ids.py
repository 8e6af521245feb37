"""Ids repeat where they are derived and never where they are minted."""

import uuid
from datetime import UTC, datetime, timedelta, timezone

import pytest

from scops.common.contract import ids

AT = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


def test_uuid7_orders_by_time_and_states_its_version() -> None:
    """RFC 9562 section 5.7: milliseconds lead, version 7, variant 10."""
    early = ids.uuid7(AT, b"\xff" * 10)
    late = ids.uuid7(AT + timedelta(milliseconds=1), b"\x00" * 10)

    assert early < late
    assert (uuid.UUID(early).version, uuid.UUID(early).variant) == (7, uuid.RFC_4122)


def test_event_id_repeats_for_the_same_cause() -> None:
    """The same cause redelivered repeats the id; another ordinal or producer does not."""
    first = ids.event_id("fetcher", "cause", 0)

    assert first == ids.event_id("fetcher", "cause", 0)
    assert first != ids.event_id("fetcher", "cause", 1)
    assert first != ids.event_id("extractor", "cause", 0)


def test_version_id_does_not_depend_on_the_time_zone_of_its_instant() -> None:
    """An instant is one instant, however it was written."""
    elsewhere = AT.astimezone(timezone(timedelta(hours=5)))

    assert ids.version_id(ids.PageId("p"), AT, 0) == ids.version_id(ids.PageId("p"), elsewhere, 0)


def test_chunk_id_tells_parts_apart() -> None:
    """Moving a character from the header to the text is another chunk."""
    page = ids.PageId("p")

    assert ids.chunk_id(page, "ab", "c", 0) != ids.chunk_id(page, "a", "bc", 0)
    assert ids.chunk_id(page, "a", "b", 0) != ids.chunk_id(page, "a", "b", 1)


@pytest.mark.parametrize("key", ["a", "page", "Ω", ""])
def test_partition_is_two_hex_digits_below_64(key: str) -> None:
    """The partition is the first 6 bits of the hash."""
    assert 0 <= int(ids.partition(key), 16) < 64
    assert len(ids.partition(key)) == 2


def test_a_uuid7_tells_its_instant() -> None:
    """To the millisecond; another UUID has none."""
    at = datetime(2026, 11, 22, 10, 0, 0, 123000, tzinfo=UTC)

    assert at == ids.uuid7_time(ids.uuid7(at))
    with pytest.raises(ValueError, match="without a time"):
        ids.uuid7_time(ids.derived_id("x"))
