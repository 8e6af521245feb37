"""A process that fetches what a state holds, until it is killed: `crashing WAY DATABASE`."""

import asyncio
import sys
from pathlib import Path
from typing import Any

from scops.common.db.address import sqlite_url
from scops.common.db.database import Database
from scops.common.runtime.holder import Holder
from tests.contract.ways_in.ways import BROWSER, SETTINGS, chromium, page_source
from tests.fakes.clock import ManualClock
from tests.fakes.fetcher_steps import fetch_next
from tests.fakes.worlds.fetcher import FetcherWorld, scope


async def main(name: str, file: str, rule: str) -> None:
    """Fetches one page of a scope."""
    shown, clock = name == BROWSER, ManualClock()
    ports: dict[str, Any] = {"web": page_source(clock), "browser": chromium() if shown else None}
    world = FetcherWorld(
        Database(sqlite_url(Path(file)), name="fetcher"), settings=SETTINGS, clock=clock, **ports
    )
    world.scopes.apply(scope(rule, rendered_always=shown))
    holder = Holder(Path(file).with_suffix(".holder"))
    await holder.enter()
    await fetch_next(world.new_ports(seed=7, holder=holder))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
