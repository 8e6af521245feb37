"""How much one event gathers."""

from datetime import UTC, datetime, timedelta

from scops.common.bus.publish.publisher import MESSAGE_BYTES_MAX
from scops.common.contract import wire
from scops.common.contract.gathered import GATHERED_BYTES_MAX, gathered, page_bytes
from scops.common.contract.ids import FetchId, PageId, VersionId
from scops.common.contract.messages.change import VerifiedVersion, VersionsVerified
from scops.common.contract.messages.crawl import ConfirmedPage, PagesVerified
from scops.common.contract.messages.types import OrderKey

AN_ID = "01890000-0000-7000-8000-000000000000"
LATE = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
HEADERS_BYTES = 16 * 1024


def test_what_does_not_fit_goes_in_the_next_part() -> None:
    """In order, nothing lost; what is too long alone is a part of its own."""
    items = ["aa", "b", "cccc", "ddddddd", "e"]

    assert [("aa", "b"), ("cccc",), ("ddddddd",), ("e",)] == list(gathered(items, len, bytes_max=4))
    assert [] == list(gathered([], len))


def test_a_page_is_no_longer_than_is_reckoned() -> None:
    """Whatever event tells of it, with URLs of any length and script."""
    for url in ("", "https://example.org/", "https://example.org/" + "ü" * 2000):
        confirmed = ConfirmedPage(
            page_id=PageId(AN_ID),
            fetch_id=FetchId(AN_ID),
            confirmed_fetch_id=FetchId(AN_ID),
            observed_time=LATE,
            canonical_url=url,
        )
        version = VerifiedVersion(
            page_id=PageId(AN_ID),
            fetch_id=FetchId(AN_ID),
            version_id=VersionId(AN_ID),
            order_key=OrderKey(observed_from=LATE, revision=2**31 - 1),
            verified_time=LATE - timedelta(seconds=1),
            canonical_url=url,
        )
        events = (PagesVerified(pages=(confirmed,)), VersionsVerified(versions=(version,)))

        assert max(len(wire.encode(event)) for event in events) <= page_bytes(url)
    assert GATHERED_BYTES_MAX + HEADERS_BYTES < MESSAGE_BYTES_MAX
