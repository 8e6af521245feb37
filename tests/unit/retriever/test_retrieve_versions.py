"""`Retrieve` shows one version of a page: the one that stands, or that stood at an instant."""

from datetime import datetime, timedelta

import pytest

from scops.common.contract.errors import BlobMissing
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.retrieval import Awaited
from scops.common.contract.messages.types import BodyRef
from tests.fakes.clock import START
from tests.fakes.worlds.retriever import Retrieving, url_of

DAY = timedelta(days=1)


async def test_edited_page_shows_only_its_new_version(world: Retrieving) -> None:
    """Old chunks stay in the store for a while and are never shown."""
    await world.show("a", "The fee is 10 euros.", "Owls are birds.")
    await world.show("a", "The fee is 12 euros.", "Owls are birds.", at=START + DAY)
    response = await world.ask("what is the fee")

    assert {"The fee is 12 euros.", "Owls are birds."} == {p.text for p in response.evidence}
    assert 1 == len({passage.version_id for passage in response.evidence})


async def test_chunk_without_a_head_is_not_shown(world: Retrieving) -> None:
    """Inserted chunks are harmless until a head lists them."""
    await world.show("a", "The fee is 10 euros.")
    await world.pages.forget_head(url_of("a"))

    assert [] == await world.texts("fee")


async def test_closed_page_is_not_found_now(world: Retrieving) -> None:
    """A page that is gone answers nothing today."""
    await world.show("a", "The fee is 10 euros.")
    await world.pages.close_page(url_of("a"), at=START + DAY)

    assert [] == await world.texts("fee")


@pytest.mark.parametrize("swept", [False, True])
@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (START - DAY, []),
        (START, ["The fee is 10 euros."]),
        (START + DAY - timedelta(microseconds=1), ["The fee is 10 euros."]),
        (START + DAY, ["The fee is 12 euros."]),
        (START + 3 * DAY, []),
    ],
)
async def test_as_of_answers_from_the_version_that_stood(
    world: Retrieving, at: datetime, expected: list[str], swept: bool
) -> None:
    """An instant finds the text of its day, from the live objects or from the history."""
    await world.show("a", "The fee is 10 euros.")
    await world.show("a", "The fee is 12 euros.", at=START + DAY)
    if swept:
        await world.pages.sweep()
    await world.pages.close_page(url_of("a"), at=START + 2 * DAY)

    assert expected == await world.texts("fee", as_of_time=at)


async def test_as_of_marks_what_has_been_superseded(world: Retrieving) -> None:
    """Only the version that still stands is not superseded, and only it has a verified time."""
    await world.show("a", "The fee is 10 euros.")
    await world.show("a", "The fee is 12 euros.", at=START + DAY)
    old = (await world.ask("fee", as_of_time=START)).evidence[0]
    new = (await world.ask("fee", as_of_time=START + DAY)).evidence[0]

    assert (True, None) == (old.superseded, old.clocks.verified_time)
    assert (False, START + DAY) == (new.superseded, new.clocks.verified_time)


async def test_chunk_that_came_back_is_returned_once(world: Retrieving) -> None:
    """A text that is live and in the history is one passage."""
    for day, fee in enumerate(("10", "12", "10")):
        await world.show("a", f"The fee is {fee} euros.", at=START + day * DAY)
        await world.pages.sweep()

    assert ["The fee is 10 euros."] == await world.texts("fee", as_of_time=START + 2 * DAY)


class _Incomplete:
    """Manifests of which one is lost."""

    def __init__(self, world: Retrieving, lost: str) -> None:
        self._manifests = world.ports.manifests
        self._lost = lost

    def kept(self, ref: BodyRef) -> Manifest | None:
        """Returns nothing: every manifest is read."""
        return None

    async def get(self, ref: BodyRef) -> Manifest:
        manifest = await self._manifests.get(ref)
        if manifest.title == self._lost:
            raise BlobMissing("The archive lacks the manifest.")
        return manifest


async def test_lost_manifest_hides_its_page_only(world: Retrieving) -> None:
    """One unreadable page must not fail the question."""
    await world.show("a", "The fee is 10 euros.")
    await world.show("b", "The fee is 12 euros.")
    broken = world.with_ports(manifests=_Incomplete(world, "a"))

    assert ["The fee is 12 euros."] == await broken.texts("fee")


async def test_waits_until_an_awaited_page_was_verified(world: Retrieving) -> None:
    """The head is polled until it was seen at the instant or later."""
    await world.show("a", "The fee is 10 euros.")
    page_id = world.pages.page_id(url_of("a"))

    async def sleep(seconds: float) -> None:
        world.clock.advance(seconds)
        await world.pages.verify(url_of("a"), at=START + DAY)

    world.clock.sleep = sleep  # type: ignore[method-assign]
    awaited = (Awaited(page_id=page_id, observed_time=START + DAY),)
    response = await world.ask("fee", awaited=awaited)

    assert () == response.unverified_page_ids
    assert START + DAY == response.evidence[0].clocks.verified_time


async def test_awaited_pages_that_stay_out_are_named(world: Retrieving) -> None:
    """After the longest wait the answer goes without them and says so."""
    await world.show("a", "The fee is 10 euros.")
    page_ids = sorted(world.pages.page_id(url_of(path)) for path in ("a", "unknown"))
    awaited = tuple(Awaited(page_id=p, observed_time=START + DAY) for p in page_ids)
    response = await world.ask("fee", awaited=awaited)

    assert tuple(page_ids) == response.unverified_page_ids
    waited = (world.clock.now() - START).total_seconds()
    assert world.ports.settings.await_max_seconds == pytest.approx(waited, abs=0.1)
