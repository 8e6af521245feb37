"""Crashes between any two effects of a handler."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from scops.common.contract.messages.index import IndexOutcome
from tests.fakes.fuse import Fuse, Stop
from tests.fakes.verdicts import added, closed, ended, restored, unchanged, verdict_of
from tests.fakes.worlds.index import IndexWorld

CRASHES_MAX = 100


@dataclass
class Scene:
    """A page whose text changed, with the next verdict in hand."""

    world: IndexWorld
    message: Any
    texts: list[str]


async def _second_version(world: IndexWorld) -> Scene:
    first = await world.show("one", "kept", day=1)
    second = await world.version("two", "kept", day=2)
    return Scene(world, added(second, ended(first, 2), day=2), ["kept", "two"])


async def _first_version(world: IndexWorld) -> Scene:
    first = await world.version("one", "two", day=1)
    return Scene(world, added(first, day=1), ["one", "two"])


async def _closing(world: IndexWorld) -> Scene:
    first = await world.show("one", day=1)
    return Scene(world, closed(ended(first, 2), day=2), [])


async def _return_after_the_sweep(world: IndexWorld) -> Scene:
    first = await world.show("one", day=1)
    await world.indexed(closed(ended(first, 2), day=2))
    await world.sweep_later()
    again = await world.version("one", day=3)
    return Scene(world, restored(again, day=3), ["one"])


async def _moved_page(world: IndexWorld) -> Scene:
    first = await world.show("one", day=1)
    url = "https://docs.example.org/new/place"
    return Scene(world, unchanged(first, day=2, url=url), ["one"])


async def _late_version(world: IndexWorld) -> Scene:
    first = await world.show("one", day=1)
    third = await world.show("three", day=3, after=first)
    second = await world.version("two", day=2, until=3)
    verdict = verdict_of(third, second, replace(ended(first, 2), row_revision=3), day=3, late=True)
    message = replace(added(third, day=3), verdict=verdict)
    return Scene(world, message, ["three"])


SCENES = (
    _first_version,
    _second_version,
    _closing,
    _return_after_the_sweep,
    _moved_page,
    _late_version,
)


@pytest.mark.parametrize("build", SCENES)
async def test_crash_anywhere_is_healed_by_redelivery(
    build: Callable[[IndexWorld], Awaitable[Scene]],
) -> None:
    """Whatever effect a crash falls on, a redelivery ends in the same state and answer."""
    whole = await _deliver_with_crash(build, -1)
    outcomes = []
    for number in range(CRASHES_MAX):
        outcome = await _deliver_with_crash(build, number)
        outcomes.append(outcome)
        if not outcome["crash"]:
            break

    assert not outcomes[-1]["crash"]
    assert len(outcomes) > 2
    for outcome in outcomes:
        expected = {**whole, "crash": outcome["crash"]}
        assert expected == outcome, outcome["crash"]


async def _deliver_with_crash(
    build: Callable[[IndexWorld], Awaitable[Scene]], number: int
) -> dict[str, Any]:
    world = await IndexWorld.create()
    scene = await build(world)
    fuse = Fuse(number)
    world.effect = fuse
    try:
        answer = await world.indexed(scene.message, event_id="same")
    except Stop:
        world.effect = Fuse()
        answer = await world.indexed(scene.message, event_id="same")
    world.effect = Fuse()
    await world.check()
    state = {
        "crash": fuse.where,
        # What was embedded before the crash is cached: the number alone may be smaller.
        "answer": replace(answer, chunks_embedded=0),
        "texts": sorted(await world.search("one")),
        "count": await world.plain_store.count(),
        "head": await world.head(),
    }
    assert scene.texts == state["texts"]
    # After a moved head nothing of the old address may be left over for the filter.
    await world.sweep_later()
    await world.check()
    await world.close()
    return state


async def test_crash_between_head_and_publish_repeats_the_answer() -> None:
    """An answer that was never published is the same when the verdict comes again."""
    world = await IndexWorld.create()
    scene = await _second_version(world)

    async def stop_after_the_switch(name: str) -> None:
        head = await world.head()
        if name == "indexer.commit" and head.version_id == scene.message.verdict.version_id:
            raise Stop(name)

    world.effect = stop_after_the_switch
    with pytest.raises(Stop):
        await world.indexed(scene.message, event_id="same")
    visible_time = (await world.head()).visible_time
    world.effect = Fuse()
    world.clock.advance(60)

    answer = await world.indexed(scene.message, event_id="same")

    assert (IndexOutcome.ADDED, visible_time, 1) == (
        answer.outcome,
        answer.visible_time,
        answer.chunks_embedded,
    )
    await world.close()
