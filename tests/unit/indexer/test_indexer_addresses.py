"""Pages whose canonical URL changes."""

from dataclasses import replace

from tests.fakes.verdicts import (
    URL,
    added,
    unchanged,
    verdict_of,
)
from tests.fakes.worlds.index import IndexWorld, prefix_filter


async def test_new_canonical_url_moves_all_objects(world: IndexWorld) -> None:
    """Kept, new and historical passages are found under the new URL alone."""
    first = await world.show("kept", "old", day=1)
    second = await world.show("kept", "new", day=2, after=first)
    await world.sweep_later()
    url = "https://moved.example.net/tea"

    await world.indexed(unchanged(second, day=3, url=url))

    before, after = prefix_filter("docs.example.org"), prefix_filter("moved.example.net")
    assert url == (await world.head()).canonical_url
    assert {"kept", "new"} == set(await world.search("kept", scope_filter=after))
    assert {"kept", "old"} == set(await world.search("kept", day=1.5, scope_filter=after))
    assert [] == await world.search("kept", scope_filter=before)
    assert [] == await world.search("kept", day=1.5, scope_filter=before)


async def test_older_observation_does_not_bring_back_an_old_url(world: IndexWorld) -> None:
    """Of two verdicts on one version the later observed names the address."""
    row = await world.show("one", day=1)
    await world.indexed(unchanged(row, day=5, url="https://docs.example.org/new"))

    await world.indexed(unchanged(row, day=3, url=URL))

    assert "https://docs.example.org/new" == (await world.head()).canonical_url
    assert ["one"] == await world.search("one", scope_filter=prefix_filter("docs.example.org/new"))


async def test_late_verdict_inserts_under_the_heads_address(world: IndexWorld) -> None:
    """Chunks of a verdict that names an older URL end up under the head's."""
    third = await world.version("three", day=3)
    url = "https://docs.example.org/new"
    await world.indexed(added(third, day=9, url=url))
    second = await world.version("two", day=2, until=3)
    verdict = verdict_of(third, second, day=3, url=URL, late=True)

    await world.indexed(replace(added(third, day=3), verdict=verdict))

    assert ["two"] == await world.search("two", day=2.5, scope_filter=prefix_filter(url[8:]))
