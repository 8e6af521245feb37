"""Mirrors are recorded with the head that lists them, on every database."""

import asyncio
import random

from scops.common.contract.ids import ChunkId, PageId, WordingId
from scops.common.contract.messages.change import VersionRow
from tests.contract.indexer_state.conftest import Pair
from tests.fakes.patience import patiently
from tests.fakes.verdicts import added, closed, ended
from tests.fakes.worlds.index import IndexWorld

ONE, OTHER, THIRD = PageId("one"), PageId("other"), PageId("third")
_CHANCE = random.Random(11)
LONG = "The museum opens at nine. " + " ".join(
    "".join(_CHANCE.choices("abcdefghilmnoprstu", k=6)) for _ in range(250)
)


async def _show(world: IndexWorld, page: PageId, *texts: str, day: float = 1) -> VersionRow:
    version = await world.version(*texts, page=page, day=day)
    await world.indexed(added(version, day=day, page=page))
    return version


async def _wordings(world: IndexWorld, version: VersionRow) -> list[WordingId]:
    """Returns the wordings of a version's chunks, in reading order."""
    manifest = await world.ports.manifests.get(version.manifest)
    chunks = [chunk.chunk_id for chunk in manifest.chunks]
    found = await world.mirrors.wordings([*chunks, ChunkId("unknown")])
    return [found[chunk] for chunk in chunks]


async def _pages(world: IndexWorld, wording_id: WordingId, *, limit: int = 10) -> list[PageId]:
    listed = await world.mirrors.listed([wording_id], limit=limit)
    return [mirror.page_id for mirror in listed[wording_id]]


async def test_equal_texts_of_pages_are_mirrors(pair: Pair) -> None:
    """Short ones too, other commas aside; what differs in a number is none."""
    world, _ = pair
    first = await _wordings(world, await _show(world, ONE, "The fee is 10.", "Tea."))
    second = await _wordings(world, await _show(world, OTHER, "the fee is 10", "The fee is 12."))

    assert first[0] == second[0]
    assert 3 == len({*first, *second})
    assert [ONE, OTHER] == await _pages(world, first[0])
    assert [ONE] == await _pages(world, first[0], limit=1)


async def test_nearly_equal_long_texts_are_mirrors(pair: Pair) -> None:
    """Within three bits of the first that said it; a number that differs makes another text."""
    world, _ = pair
    near = LONG.replace("The museum", "THE MUSEUM") + ", indeed."
    chunks = [chunk.simhash for chunk in world._chunks([LONG, near], ONE, "e")]
    first = await _wordings(world, await _show(world, ONE, LONG))
    second = await _wordings(world, await _show(world, OTHER, near))
    third = await _wordings(world, await _show(world, THIRD, near.replace("nine", "9")))

    assert (chunks[0] ^ chunks[1]).bit_count() <= 3
    assert first == second
    assert first != third


async def test_a_page_that_says_it_no_more_is_no_mirror(pair: Pair) -> None:
    """Mirrors are what heads list now: an edit and a closed page end it."""
    world, _ = pair
    version = await _show(world, ONE, LONG)
    (wording_id,) = await _wordings(world, version)
    other = await _show(world, OTHER, LONG)
    third = await _show(world, THIRD, LONG)
    edited = await world.version("Closed for good.", page=OTHER, day=2)
    await world.indexed(added(edited, ended(other, 2), day=2, page=OTHER))
    await world.indexed(closed(ended(third, 2), day=2, page=THIRD))

    assert [ONE] == await _pages(world, wording_id)


async def test_a_chunk_that_was_swept_and_returns_is_a_mirror_again(pair: Pair) -> None:
    """In its next incarnation, with the wording it had."""
    world, _ = pair
    first = await _show(world, ONE, LONG)
    before = await _wordings(world, first)
    second = await world.version("Another text.", page=ONE, day=2)
    await world.indexed(added(second, ended(first, 2), day=2, page=ONE))
    await world.sweep_later()
    third = await world.version(LONG, page=ONE, day=3)
    await world.indexed(added(third, ended(second, 3), day=3, page=ONE))

    assert before == await _wordings(world, third)
    assert [ONE] == await _pages(world, before[0])


async def test_mirrors_that_are_indexed_at_once_are_found(pair: Pair) -> None:
    """Forty pages of the same five texts by two indexers: no deadlock, five wordings."""
    world, second = pair
    texts = [f"{LONG} Part {number} of five." for number in range(5)]
    pages = [PageId(f"page-{number:02}") for number in range(40)]
    versions = [await world.version(*texts, page=page, day=1) for page in pages]

    await asyncio.gather(
        *(
            patiently(
                lambda page=page, version=version, ports=ports: world.handle(  # type: ignore[misc]
                    added(version, day=1, page=page), ports=ports
                )
            )
            for number, (page, version) in enumerate(zip(pages, versions, strict=True))
            for ports in ((world.ports, second)[number % 2],)
        )
    )

    told = [await _wordings(world, version) for version in versions]
    assert [told[0]] * 40 == told
    assert pages == await _pages(world, told[0][0], limit=100)
