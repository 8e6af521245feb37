"""Which manifests a question reads: those of what it shows, or of all that it ranks by them."""

from datetime import timedelta

import pytest

from scops.common.contract.errors import BlobMissing
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.types import BodyRef
from scops.libraries.index.manifest_reader import ManifestReader
from tests.fakes.clock import START
from tests.fakes.worlds.retriever import Retrieving, url_of

PAGES = 20


class _CountedManifests:
    """Manifests, and how often one was asked for; the archive lacks some."""

    def __init__(self, manifests: ManifestReader, *, lacking: frozenset[str] = frozenset()) -> None:
        self._manifests = manifests
        self._lacking = lacking
        self.digests: list[str] = []

    async def get(self, ref: BodyRef) -> Manifest:
        self.digests.append(ref.digest)
        if ref.digest in self._lacking:
            raise BlobMissing("It is gone.", reason="BLOB_MISSING")
        return await self._manifests.get(ref)


async def _filled(world: Retrieving) -> None:
    for number in range(PAGES):
        await world.show(f"p{number}", f"Owl {number} eats mice.", f"Permit {number} costs much.")


async def test_manifests_are_read_for_what_is_shown(world: Retrieving) -> None:
    """Candidates that become no passage cost no reading."""
    await _filled(world)
    counted = _CountedManifests(world.ports.manifests)
    response = await world.with_ports(manifests=counted).ask("owls and mice", limit=3)

    assert 2 * PAGES == response.candidates
    shown = {passage.manifest_digest for passage in response.evidence}
    assert (3, shown) == (len(response.evidence), set(counted.digests))
    assert len(shown) == len(counted.digests)


@pytest.mark.parametrize(
    "options", [{"as_of_time": START + timedelta(days=1)}, {"recipe": "fresh"}]
)
async def test_manifests_of_all_are_read_where_they_decide(
    world: Retrieving, options: dict[str, object]
) -> None:
    """What stood at an instant, and how fresh a text is, no row tells."""
    await _filled(world)
    counted = _CountedManifests(world.ports.manifests)
    await world.with_ports(manifests=counted).ask("owls and mice", limit=3, **options)

    assert PAGES == len(set(counted.digests))


async def test_page_without_its_manifest_gives_way_to_the_next(world: Retrieving) -> None:
    """There are as many passages as asked for, of the pages that can be read."""
    await _filled(world)
    first, second, third = (await world.ask("owls and mice", limit=3)).evidence
    lacking = frozenset({first.manifest_digest})
    counted = _CountedManifests(world.ports.manifests, lacking=lacking)
    left = await world.with_ports(manifests=counted).ask("owls and mice", limit=3)

    assert [second.chunk_id, third.chunk_id] == [one.chunk_id for one in left.evidence[:2]]
    assert 3 == len(left.evidence)


async def test_neighbours_join_where_only_what_is_shown_is_read(world: Retrieving) -> None:
    """Whether chunks touch is known once their page's manifest is read."""
    await _filled(world)
    response = await world.ask("owl 1 permit 1", limit=2 * PAGES, as_chunks=False)

    assert {2} == {len(one.joined_chunk_ids) for one in response.evidence}
    assert {url_of(f"p{n}") for n in range(PAGES)} == {o.canonical_url for o in response.evidence}
