"""What verified versions do to heads: many at once, idempotent, and never at another version."""

import asyncio
from dataclasses import replace
from datetime import datetime
from typing import Any

from scops.common.contract.ids import FetchId, PageId
from scops.common.contract.messages.change import VerifiedVersion, VersionRow, VersionsVerified
from scops.common.contract.messages.index import HeadsVerified
from scops.indexer.handlers.verified import handle_versions_verified
from scops.indexer.ports import IndexerPorts
from tests.contract.indexer_state.conftest import Pair
from tests.fakes.verdicts import URL, at
from tests.fakes.worlds.change import cause

PAGES = [PageId(f"page-{number}") for number in range(5)]


def verified(page: PageId, row: VersionRow, time: datetime) -> VerifiedVersion:
    return VerifiedVersion(
        page_id=page,
        fetch_id=FetchId(f"again-{page}"),
        version_id=row.version_id,
        order_key=row.order_key,
        verified_time=time,
        canonical_url=URL,
    )


async def tell(ports: IndexerPorts, *versions: VerifiedVersion, **others: Any) -> HeadsVerified:
    event = VersionsVerified(versions=versions, **others)
    (answer,) = await handle_versions_verified(event, cause(), ports)
    return answer


async def test_verified_times_move_forward_and_nothing_else(pair: Pair) -> None:
    """Heads get the later time; an earlier one, or a second delivery, changes nothing."""
    world, second = pair
    rows = {page: await world.show(f"text of {page}", day=1, page=page) for page in PAGES}
    before = {page: await world.head(page) for page in PAGES}
    versions = [verified(page, row, at(5)) for page, row in rows.items()]
    answers = await asyncio.gather(
        tell(world.ports, *versions), tell(second, *reversed(versions)), tell(second, *versions)
    )
    await tell(world.ports, *(replace(version, verified_time=at(3)) for version in versions))

    assert {page: replace(head, verified_time=at(5)) for page, head in before.items()} == {
        page: await world.head(page) for page in PAGES
    }
    assert [{f"again-{page}" for page in PAGES}] * 3 == [
        set(answer.fetch_ids) for answer in answers
    ]
    await world.check()


async def test_a_head_that_stands_elsewhere_is_named(pair: Pair) -> None:
    """Moved on, at another URL, closed or unknown: left as it is, to be looked at alone."""
    world, _ = pair
    moved, renamed, unknown = PAGES[:3]
    first = await world.show("one", day=1, page=moved)
    await world.show("two", day=2, after=first, page=moved)
    other = await world.show("three", day=1, page=renamed)
    heads = {page: await world.head(page) for page in (moved, renamed)}
    answer = await tell(
        world.ports,
        verified(moved, first, at(5)),
        replace(verified(renamed, other, at(5)), canonical_url=f"{URL}/renamed"),
        verified(unknown, first, at(5)),
        unsettled_fetch_ids=("before",),
    )

    assert (
        HeadsVerified(
            unsettled_fetch_ids=("before", *(f"again-{page}" for page in (moved, renamed, unknown)))
        )
        == answer
    )
    assert heads == {page: await world.head(page) for page in (moved, renamed)}
