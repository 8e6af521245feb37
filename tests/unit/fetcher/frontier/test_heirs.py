"""After a kill the next process of the data folder goes on at once, and stays polite."""

from datetime import timedelta
from pathlib import Path

from scops.common.runtime.holder import Holder
from scops.fetcher.frontier.leases import Idle, PageLease
from scops.fetcher.politeness.politeness import untouched
from scops.fetcher.ports.fetcher import FetcherPorts
from tests.fakes.fetcher_steps import lease_next
from tests.fakes.worlds.fetcher import FetcherWorld, scope


async def process(
    world: FetcherWorld, folder: Path, *, seed: int = 0
) -> tuple[Holder, FetcherPorts]:
    """Starts a process on a data folder."""
    holder = Holder(folder / "fetcher.holder")
    await holder.enter()
    return holder, world.new_ports(seed, holder=holder)


async def wanted(world: FetcherWorld) -> str:
    (url,) = world.source.serve_pages("1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.fetch(url)
    return url


async def test_the_next_process_takes_the_leases_of_a_dead_one(
    world: FetcherWorld, tmp_path: Path
) -> None:
    """It waits the host's pause, for the last request may have ended with its process."""
    url = await wanted(world)
    first, ports = await process(world, tmp_path)
    dead = await lease_next(ports)
    first.leave()
    second, world.ports = await process(world, tmp_path, seed=1)
    world.clock.advance(0.5)
    count = await world.ports.frontier.inherit(now=world.clock.now())
    early = await lease_next(world.ports)
    began = world.clock.now()
    await world.run()
    second.leave()

    assert isinstance(dead, PageLease)
    assert 1 == count
    assert isinstance(early, Idle)
    assert early.next_time == began + timedelta(seconds=1)
    assert {url: "indexed"} == await world.outcomes()
    assert world.clock.now() - began < timedelta(seconds=5)


async def test_a_living_process_keeps_its_leases(world: FetcherWorld, tmp_path: Path) -> None:
    """Of the same folder, or of another: nobody is known to be dead."""
    await wanted(world)
    first, ports = await process(world, tmp_path)
    held = await lease_next(ports)
    second, beside = await process(world, tmp_path, seed=1)
    third, elsewhere = await process(world, tmp_path / "other", seed=2)
    counts = [
        await one.frontier.inherit(now=world.clock.now()) for one in (ports, beside, elsewhere)
    ]
    (host,) = await world.hosts()
    for holder in (first, second, third):
        holder.leave()

    assert isinstance(held, PageLease)
    assert [0, 0, 0] == counts
    assert host.lease_id == held.fetch_id


async def test_a_fetch_that_freed_its_host_early_is_inherited(
    world: FetcherWorld, tmp_path: Path
) -> None:
    """It held nothing any more when its process died, and was not recorded."""
    url = await wanted(world)
    first, ports = await process(world, tmp_path)
    dead = await lease_next(ports)
    assert isinstance(dead, PageLease)
    release = untouched(dead.host)
    await ports.frontier.give_back(dead.host, release=release, now=world.clock.now())
    first.leave()
    second, world.ports = await process(world, tmp_path, seed=1)
    await world.ports.frontier.inherit(now=world.clock.now())
    began = world.clock.now()
    await world.run()
    second.leave()

    assert {url: "indexed"} == await world.outcomes()
    assert world.clock.now() - began < timedelta(seconds=5)


async def test_a_folder_that_cannot_be_written_has_no_heirs(tmp_path: Path) -> None:
    """A node that keeps nothing: leases run out there."""
    file = tmp_path / "file"
    file.write_text("")

    holder = Holder(file / "fetcher.holder")
    await holder.enter()

    assert "" == holder.folder
