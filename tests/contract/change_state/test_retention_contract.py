"""The contract of the `RetentionStore` port: what goes is marked, told and settled, once each."""

from datetime import datetime, timedelta

import pytest

from scops.change_detector.ports import RetentionStore
from scops.change_detector.timeline.records import Dropped, Pin
from scops.common.contract.ids import PageId, VersionId
from scops.common.db.database import Database
from tests.fakes.worlds.change import PAGE, ChangeWorld, at, database_world

OTHER = PageId("00000000-0000-7000-8000-000000000002")
TEXTS = ("The fee is 5 euros.", "The fee is 6 euros.", "The fee is 7 euros.")
END = at(10_000)


@pytest.fixture
async def world(database: Database) -> ChangeWorld:
    """A page with three versions and another with one."""
    made = database_world(database)
    for place, text in enumerate(TEXTS):
        await made.see(f"one-{place}", text, 10 * place)
    await made.see("other", TEXTS[0], 0, page_id=OTHER, url="https://example.org/other")
    return made


@pytest.fixture
def retention(world: ChangeWorld) -> RetentionStore:
    return world.ports.retention


async def _drop(retention: RetentionStore, *, before: float) -> int:
    return await retention.drop(PAGE, ended_before=at(before), reason="expired", now=END)


async def _untold(retention: RetentionStore) -> list[Dropped]:
    return list(await retention.untold(limit=10))


async def test_pages_are_listed_in_order_and_in_parts(retention: RetentionStore) -> None:
    """Whoever goes over them takes up after the last one seen."""
    first = await retention.addresses(after=PageId(""), limit=1)
    rest = await retention.addresses(after=first[0].page_id, limit=10)

    assert [PAGE, OTHER] == [one.page_id for one in (*first, *rest)]


async def test_what_ended_before_goes_once_and_what_stands_never(
    world: ChangeWorld, retention: RetentionStore
) -> None:
    """A run that ended at the instant itself is kept."""
    counts = [await _drop(retention, before=before) for before in (10, 11, 11, 9_999, 9_999)]
    gone = {one.version_id for one in await _untold(retention)}

    assert [0, 1, 0, 1, 0] == counts
    assert {one.verdict.version_id for one in world.published[:2]} == gone


async def test_a_pin_that_holds_keeps_its_version(
    world: ChangeWorld, retention: RetentionStore
) -> None:
    """Until its instant; a later pin replaces it, and it can be ended."""
    version_id = world.published[0].verdict.version_id
    for until in (END - timedelta(days=1), END + timedelta(days=1)):
        await retention.pin(Pin(version_id=version_id, page_id=PAGE, until=until, note="a\0b"))
    pins = await retention.pins(PAGE, now=END)
    dropped = await _drop(retention, before=9_999)
    await retention.unpin(version_id)

    assert ["a\ufffdb"] == [pin.note for pin in pins.values()]
    assert {} == await retention.pins(PAGE, now=END + timedelta(days=2))
    assert [1, 1] == [dropped, await _drop(retention, before=9_999)]


async def test_a_citation_pins_what_nothing_pins_longer(
    world: ChangeWorld, retention: RetentionStore
) -> None:
    """A pin that lasts as long runs, whoever set it keeps its note, and days renew it."""
    first, second = (one.verdict.version_id for one in world.published[:2])
    day, month = timedelta(days=1), timedelta(days=30)
    await retention.pin(Pin(version_id=first, page_id=PAGE, until=END + month, note="audit"))

    async def cited(until: datetime) -> dict[VersionId, tuple[datetime, str]]:
        pins = [Pin(version_id=v, page_id=PAGE, until=until, note="cited") for v in (second, first)]
        await retention.pin_cited(pins)
        held = await retention.pins(PAGE, now=END)
        return {version_id: (pin.until, pin.note) for version_id, pin in held.items()}

    assert {first: (END + month, "audit"), second: (END + day, "cited")} == await cited(END + day)
    # Within a day nothing is written.
    assert END + day == (await cited(END + 2 * day))[second][0]
    assert {first: (END + 2 * month, "audit"), second: (END + 2 * month, "cited")} == await cited(
        END + 2 * month
    )
    await retention.pin_cited([])


async def test_what_was_told_is_told_no_more_and_its_blobs_are_noted(
    retention: RetentionStore,
) -> None:
    """Manifest, text and document of each; none before its time."""
    await _drop(retention, before=9_999)
    untold = await _untold(retention)
    await retention.told(untold, now=END)
    await retention.told(untold, now=END + timedelta(days=1))
    noted = await retention.garbage(noted_before=END + timedelta(hours=1), limit=100)

    assert ["expired", "expired"] == [one.reason for one in untold]
    assert [] == await _untold(retention)
    assert [] == await retention.garbage(noted_before=END, limit=100)
    assert {
        digest
        for one in untold
        for digest in (one.manifest.digest, one.text_digest, one.document_digest)
    } == set(noted)


async def test_a_blob_that_another_version_names_is_referred_to(retention: RetentionStore) -> None:
    """The other page shows the text of the first version still; the second's is nobody's."""
    await _drop(retention, before=9_999)
    untold = sorted(await _untold(retention), key=lambda one: one.text_digest)
    referred = [await retention.referred(one.text_digest) for one in untold]
    manifests = [await retention.referred(one.manifest.digest) for one in untold]

    assert [False, True] == sorted(referred)
    assert [False, False] == manifests


async def test_a_settled_blob_is_forgotten(retention: RetentionStore) -> None:
    """One after the other, the rest stay noted."""
    await _drop(retention, before=9_999)
    await retention.told(await _untold(retention), now=END)
    first, *rest = await retention.garbage(noted_before=END + timedelta(1), limit=100)
    await retention.settled(first)

    assert rest == await retention.garbage(noted_before=END + timedelta(1), limit=100)


async def test_a_version_of_an_older_release_is_described(
    world: ChangeWorld, retention: RetentionStore
) -> None:
    """Until its document is known, every blob may be its own."""
    version_id = world.published[2].verdict.version_id
    await retention.describe(version_id, "")
    unknown = [one.version_id for one in await retention.undescribed(limit=10)]
    before = await retention.referred("any")
    await retention.describe(version_id, "any")

    assert [version_id] == unknown
    assert before
    assert () == tuple(await retention.undescribed(limit=10))
    assert await retention.referred("any")
    assert not await retention.referred("other")
