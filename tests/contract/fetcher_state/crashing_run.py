"""A fetcher that asks for the pages of a run until it is killed: `crashing_run LOCK RULE`.

Standard input says where the state is, for that may hold a password.
"""

import asyncio
import sys
from pathlib import Path

from scops.common.contract.service_table import Lane
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.common.runtime.holder import Holder
from scops.fetcher.frontier.leases import PageRun
from scops.fetcher.frontier.runs import RUN_PAGES_MAX
from scops.fetcher.frontier.scheduler import lease_some, work_on
from scops.fetcher.settings import FetcherSettings
from tests.contract.ways_in.ways import page_source
from tests.fakes.clock import ManualClock
from tests.fakes.worlds.fetcher import FetcherWorld, scope

# A host that never rests.
SETTINGS = FetcherSettings(
    allowed_private="127.0.0.1/32:*", host_delay_seconds=0.0, response_factor=0.0
)


def opened(address: Address) -> FetcherWorld:
    """Returns a fetcher that asks real servers, on a state whose tables are there."""
    clock = ManualClock()
    database = Database(address, name="fetcher")
    return FetcherWorld(database, settings=SETTINGS, clock=clock, web=page_source(clock))


async def main(lock: str, rule: str) -> None:
    """Leases a run and works on it."""
    url, schema = sys.stdin.read().splitlines()
    world = opened(Address(url=url, schema=schema))
    world.scopes.apply(scope(rule))
    holder = Holder(Path(lock))
    await holder.enter()
    ports = world.new_ports(seed=7, holder=holder)
    (run,) = await lease_some(ports, lanes=(Lane.BULK,), count=1, run_max=RUN_PAGES_MAX)
    assert isinstance(run, PageRun), run
    await work_on(run, ports)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
