"""Crashes between any two effects, and indexers and sweepers that run at the same time."""

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import count
from typing import Any

import pytest

from scops.common.contract.errors import TransientError
from scops.common.contract.messages.index import IndexOutcome
from scops.indexer.settings import IndexerSettings
from scops.indexer.upkeep.sweeper import sweep
from scops.libraries.index.sqlite.schema import decode_tokens
from tests.fakes.fuse import Fuse, Stop
from tests.fakes.verdicts import PAGE, added, ended, restored, unchanged
from tests.fakes.worlds.index import IndexWorld
from tests.simulation.stage import Stage

SEEDS = range(40)
CRASHES_MAX = 100


@pytest.mark.parametrize("seed", SEEDS)
async def test_two_indexers_race_to_the_newest_version(seed: int) -> None:
    """However v2 and v3 interleave, the head ends at v3 and both can be asked for."""
    chance = random.Random(seed)
    stage = Stage(chance)
    world = await IndexWorld.create()
    first = await world.show("one", "kept", day=1)
    second = await world.version("two", "kept", "both", day=2)
    third = await world.version("three", "kept", "both", day=3)
    world.effect = stage.effect
    answers: dict[str, Any] = {}

    async def deliver(name: str, message: Any) -> None:
        answers[name] = await world.indexed(message, event_id=name)

    await stage.start("v2", deliver("v2", added(second, ended(first, 2), day=2)))
    await stage.start("v3", deliver("v3", added(third, ended(second, 3), day=3)))
    while actor := stage.choose():
        await stage.resume(actor)

    assert IndexOutcome.ADDED == answers["v3"].outcome
    assert answers["v2"].outcome in (IndexOutcome.ADDED, IndexOutcome.SUPERSEDED)
    assert third.version_id == (await world.head()).version_id
    await world.check()
    await world.sweep_later()
    await world.check()
    assert {"three", "kept", "both"} == set(await world.search("kept"))
    assert {"two", "kept", "both"} == set(await world.search("kept", day=2.5))
    assert (3, 2) == await world.plain_store.count()
    await world.close()


@pytest.mark.parametrize("seed", SEEDS)
async def test_one_verdict_twice_at_once_is_answered_once(seed: int) -> None:
    """Two deliveries of one verdict, and a newer one between, give the same answer twice."""
    stage = Stage(random.Random(seed))
    world = await IndexWorld.create()
    second = await world.version("two", day=2)
    third = await world.version("three", day=3)
    world.effect = stage.effect
    answers: dict[str, Any] = {}

    async def deliver(name: str, message: Any, event_id: str) -> None:
        answers[name] = await world.indexed(message, event_id=event_id)

    await stage.start("first", deliver("first", added(second, day=2), "v2"))
    await stage.start("again", deliver("again", added(second, day=2), "v2"))
    await stage.start("newer", deliver("newer", added(third, day=3), "v3"))
    while actor := stage.choose():
        await stage.resume(actor)

    assert answers["first"] == answers["again"]
    assert IndexOutcome.ADDED == answers["newer"].outcome
    await world.check()
    await world.close()


@pytest.mark.parametrize("seed", SEEDS)
async def test_race_of_two_addresses_ends_at_the_heads(seed: int) -> None:
    """Two verdicts with two URLs leave every object under the URL of the head."""
    chance = random.Random(seed)
    stage = Stage(chance)
    world = await IndexWorld.create()
    first = await world.show("one", "kept", day=1)
    second = await world.version("two", "kept", day=2)
    world.effect = stage.effect
    new = "https://docs.example.org/new"
    messages = (
        unchanged(first, day=1.5, url="https://docs.example.org/between"),
        added(second, ended(first, 2), day=2, url=new),
    )
    for number, message in enumerate(messages):
        await stage.start(str(number), world.indexed(message, event_id=str(number)))
    while actor := stage.choose():
        if chance.random() < 0.1:
            await stage.crash(actor)
        else:
            await stage.resume(actor)
    world.effect = Fuse()
    for number, message in enumerate(messages):
        await world.indexed(message, event_id=str(number))
    await world.sweep_later()

    assert new == (await world.head()).canonical_url
    assert {new} == await _addresses(world)
    await world.close()


async def test_objects_of_a_lost_verdict_get_the_heads_address() -> None:
    """Chunks that a crashed handler inserted under another URL are found once they are listed."""
    world = await IndexWorld.create()
    row = await world.version("one", day=1)
    lost = added(row, day=1, url="https://docs.example.org/lost")
    world.effect = Fuse(at=5)
    with pytest.raises(Stop, match=r"store\.insert\.end"):
        await world.indexed(lost)
    world.effect = Fuse()
    url = "https://docs.example.org/found"

    await world.indexed(unchanged(row, day=2, url=url))

    assert {url} == await _addresses(world)
    await world.close()


async def test_copy_in_the_history_gets_the_heads_address() -> None:
    """A page that moves while the sweeper copies its chunks is found in the past as well."""
    world, _, _ = await _page_whose_text_is_due()
    head = await world.head()
    second = await world.version("two", "kept", day=2)
    assert head.version_id == second.version_id
    url = "https://docs.example.org/found"

    async def move_meanwhile(name: str) -> None:
        if name == "store.insert_history.begin":
            world.effect = Fuse()
            await world.indexed(unchanged(second, day=4, url=url))

    world.effect = move_meanwhile
    await sweep(world.ports)
    await sweep(world.ports)

    assert {url} == await _addresses(world)
    assert (2, 1) == await world.plain_store.count()
    await world.close()


async def _addresses(world: IndexWorld) -> set[str]:
    """Returns the address of every object of the page in the store, live and historical."""
    connection = world.plain_store._opened()
    rows = connection.execute(
        "SELECT tokens FROM prefix_set s JOIN passage p ON p.prefix_set = s.id"
    )
    paths = {max((t for t in decode_tokens(row[0]) if t[0] != "*"), key=len) for row in rows}
    return {f"https://{path}" for path in paths}


async def _page_whose_text_is_due(**options: Any) -> tuple[IndexWorld, Any, Any]:
    """Builds a page whose first text no head lists, old enough to be swept, and its return."""
    world = await IndexWorld.create(**options)
    first = await world.show("one", "kept", day=1)
    second = await world.show("two", "kept", day=2, after=first)
    world.clock.advance(world.settings.sweep_age_seconds + 1)
    third = await world.version("one", "kept", day=3)
    return world, restored(third, ended(second, 3), day=3), third


async def _check_the_return(world: IndexWorld, version_id: str) -> None:
    assert version_id == (await world.head()).version_id
    await world.check()
    assert {"one", "kept"} == set(await world.search("one"))
    assert {"two", "kept"} == set(await world.search("one", day=2.5))
    for _ in range(2):
        await world.sweep_later()
        await world.check()
    # "one" and "kept" live, whatever incarnation; "two" in the history, "one" perhaps too.
    live, history = await world.plain_store.count()
    assert (2, True) == (live, history in (1, 2))
    assert {"one", "kept"} == set(await world.search("one"))
    assert {"one", "kept"} == set(await world.search("one", day=1.5))
    assert {"two", "kept"} == set(await world.search("one", day=2.5))
    await world.close()


def _at_effect(world: IndexWorld, number: int, action: Callable[[], Awaitable[Any]]) -> None:
    """Lets something happen at one of the effects to come, counted from 0."""
    seen = count()

    async def effect(name: str) -> None:
        if next(seen) == number:
            world.effect = Fuse()
            await action()

    world.effect = effect


@pytest.mark.parametrize("effect_number", range(14))
async def test_text_returns_at_any_point_of_the_sweep(effect_number: int) -> None:
    """Before, between and after the sweeper's effects, a returning text ends up live."""
    world, message, third = await _page_whose_text_is_due()
    if effect_number == 0:
        await world.indexed(message, event_id="same")
    _at_effect(world, effect_number, lambda: world.indexed(message, event_id="same"))
    await sweep(world.ports)
    world.effect = Fuse()
    await world.indexed(message, event_id="same")

    await _check_the_return(world, third.version_id)


@pytest.mark.parametrize("effect_number", range(8))
async def test_sweep_runs_at_any_point_of_the_return(effect_number: int) -> None:
    """Before, between and after the handler's effects, a sweep takes nothing that is listed."""
    world, message, third = await _page_whose_text_is_due()
    # Time enough that even what was just claimed is due.
    _at_effect(world, effect_number, world.sweep_later)
    await world.indexed(message, event_id="same")
    world.effect = Fuse()

    await _check_the_return(world, third.version_id)


async def test_crash_anywhere_in_a_sweep_is_healed_by_the_next() -> None:
    """Whatever effect of a sweep a crash falls on, the next one finishes the work."""
    crashed: list[str] = []
    for number in range(CRASHES_MAX):
        world, _, _ = await _page_whose_text_is_due()
        fuse = Fuse(number)
        world.effect = fuse
        try:
            await sweep(world.ports)
        except Stop:
            crashed.append(fuse.where)
        world.effect = Fuse()
        await sweep(world.ports)

        await world.check()
        assert (2, 1) == await world.plain_store.count(), fuse.where
        assert {"two", "kept"} == set(await world.search("one"))
        assert {"one", "kept"} == set(await world.search("one", day=1.5))
        await world.close()
        if not fuse.where:
            break

    assert {"store.insert_history.end", "indexer.commit", "store.delete.end"} <= set(crashed)


@pytest.mark.parametrize("seed", SEEDS)
async def test_sweepers_and_return_interleave_with_crashes(seed: int) -> None:
    """Two sweepers, a returning text, crashes and passing time lose and double nothing."""
    chance = random.Random(seed)
    stage = Stage(chance)
    world, message, third = await _page_whose_text_is_due()
    world.effect = stage.effect
    for name in ("sweeper-1", "sweeper-2"):
        await stage.start(name, sweep(world.ports))
    await stage.start("return", _patient(world, message))
    while actor := stage.choose():
        if chance.random() < 0.05:
            await stage.crash(actor)
        else:
            await stage.resume(actor)
        if chance.random() < 0.1:
            world.clock.advance(world.settings.sweep_age_seconds)
    world.effect = Fuse()
    await world.indexed(message, event_id="same")

    await _check_the_return(world, third.version_id)


async def _patient(world: IndexWorld, message: Any) -> None:
    """Delivers a verdict as the bus does: what is transient comes again later."""
    try:
        await world.indexed(message, event_id="same")
    except TransientError:
        return


@pytest.fixture
async def impatient() -> AsyncIterator[IndexWorld]:
    settings = IndexerSettings.load().model_copy(update={"sweep_age_seconds": 0.0})
    world = await IndexWorld.create(settings=settings)
    yield world
    await world.close()


async def test_handler_gives_up_after_its_attempts(impatient: IndexWorld) -> None:
    """A sweeper that takes every claim back ends a delivery as transient, not in a loop."""
    world = impatient

    async def sweep_each_time(name: str) -> None:
        if name == "store.insert.end":
            world.effect = Fuse()
            await sweep(world.ports)
            world.effect = sweep_each_time

    row = await world.version("one", day=1)
    world.effect = sweep_each_time

    with pytest.raises(TransientError, match="swept") as given_up:
        await world.indexed(added(row, day=1))
    assert "CHUNKS_SWEPT" == given_up.value.reason
    assert {} == await world.heads.heads([PAGE])
    world.effect = Fuse()
    assert IndexOutcome.ADDED == (await world.indexed(added(row, day=1))).outcome
    await world.check()
