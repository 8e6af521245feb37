"""Purges as they are asked for: what is refused, what is recorded, what leaves meanwhile."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from scops.common.contract.errors import InvalidInput, NotFound
from scops.common.contract.ids import PageId, PurgeId, ScopeId
from scops.common.contract.messages.crawl import KnownPage
from scops.common.contract.messages.purge import (
    PurgeApplied,
    PurgeCount,
    PurgeCountsRequest,
    PurgeCountsResponse,
    PurgePages,
    PurgePreviewRequest,
    PurgePreviewResponse,
)
from scops.common.db.outbox import relay
from scops.common.query.ports import PURGE_COUNTS, PURGE_PREVIEW
from scops.gateway.adapters.sql.tables import outbox
from scops.gateway.handlers.purges import (
    SILENT,
    PurgeAnswer,
    check_unpurged,
    get_purge,
    handle_purge_applied,
    list_purges,
    purge_pages,
    repair_purges,
    standing_purges,
)
from scops.gateway.purges.purge import OWNERS, Purge, PurgeState
from tests.fakes.bus import RecordingPublisher
from tests.fakes.clock import ManualClock
from tests.fakes.worlds.change import cause
from tests.fakes.worlds.gateway import GatewayWorld, gateway_world

URL = "https://docs.example.org/private/heron"
PREFIX = "docs.example.org/private"
PAGE = PageId("0192-page")


@pytest.fixture
async def gateway() -> AsyncIterator[GatewayWorld]:
    """Yields a gateway without scopes."""
    async with gateway_world() as world:
        yield world


async def sent(world: GatewayWorld) -> list[object]:
    """Takes what stands in the outbox."""
    publisher = RecordingPublisher()
    await relay(world.database, outbox, publisher, clock=ManualClock())
    return [outgoing.message for outgoing in publisher.published]


async def asked(world: GatewayWorld, **arguments: object) -> PurgeAnswer:
    """Asks for a purge below a prefix."""
    given = {
        "page_ids": (),
        "url_prefixes": (PREFIX,),
        "scope_id": None,
        "before_time": None,
        "reason": "request 4711",
        "dry_run": False,
        "request_id": "",
    }
    return await purge_pages(world.ports, world.call(), **(given | arguments))  # type: ignore[arg-type]


async def accepted(world: GatewayWorld) -> Purge:
    """Asks for a purge and returns its record."""
    purge = (await asked(world)).purge
    assert purge is not None
    return purge


async def report(
    world: GatewayWorld, purge: Purge, owner: str, batch: int, *, last: bool = False
) -> None:
    """Reports what an owner has dropped."""
    applied = PurgeApplied(
        purge_id=purge.purge_id,
        attempt=purge.attempt,
        batch=batch,
        owner=owner,
        counts=(PurgeCount(kind="things", count=2),),
        last=last,
        applied_time=world.clock.now(),
    )
    await handle_purge_applied(applied, cause(), world.ports)


async def test_a_purge_is_recorded_with_who_when_and_why(gateway: GatewayWorld) -> None:
    """Its command leaves in the same transaction."""
    purge = await accepted(gateway)
    (command,) = await sent(gateway)

    assert isinstance(command, PurgePages)
    assert (purge.purge_id, purge.selector) == (command.purge_id, command.selector)
    assert (gateway.clock.now(), purge.created_time) == (command.before_time, command.before_time)
    assert ("local", "request 4711", PurgeState.RUNNING) == (
        purge.principal, purge.reason, purge.state
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"url_prefixes": ()}, "PURGE_EMPTY"),
        ({"page_ids": (PAGE,) * 501}, "PURGE_TOO_LARGE"),
        ({"reason": "x" * 501}, "REASON_TOO_LONG"),
    ],
)
async def test_what_cannot_be_meant_is_refused(
    gateway: GatewayWorld, arguments: dict[str, object], reason: str
) -> None:
    """Nothing is recorded."""
    with pytest.raises(InvalidInput) as error:
        await asked(gateway, **arguments)

    assert reason == error.value.reason
    assert [] == await sent(gateway)


async def test_an_instant_ahead_is_refused(gateway: GatewayWorld) -> None:
    """It would drop what is not observed yet."""
    with pytest.raises(InvalidInput):
        await asked(gateway, before_time=gateway.clock.now() + timedelta(seconds=1))


async def test_an_unknown_scope_is_not_found(gateway: GatewayWorld) -> None:
    """Rather than meaning every page."""
    with pytest.raises(NotFound):
        await asked(gateway, url_prefixes=(), scope_id=ScopeId("nobody"))


async def test_a_dry_run_adds_up_every_part_and_sends_nothing(gateway: GatewayWorld) -> None:
    """The fetcher is asked until it has no more pages."""

    async def preview(request: PurgePreviewRequest) -> PurgePreviewResponse:
        return PurgePreviewResponse(
            page_ids=(PAGE,),
            urls=(URL,),
            counts=(PurgeCount(kind="pages", count=1),),
            next_page=PageId("") if request.after_page else PAGE,
        )

    async def counts(request: PurgeCountsRequest) -> PurgeCountsResponse:
        return PurgeCountsResponse(counts=(PurgeCount(kind="versions", count=3),))

    gateway.answer(PURGE_PREVIEW, preview)
    gateway.answer(PURGE_COUNTS, counts)
    answer = await asked(gateway, dry_run=True)

    assert {"pages": 2, "versions": 6} == {one.kind: one.count for one in answer.counts}
    assert (None, (URL, URL)) == (answer.purge, answer.example_urls)
    assert [] == await sent(gateway)


async def test_a_purge_is_done_when_every_owner_has_reported_each_batch(
    gateway: GatewayWorld,
) -> None:
    """In any order, and however often a report comes."""
    purge = await accepted(gateway)
    for owner in reversed(OWNERS[1:]):
        await report(gateway, purge, owner, 1)
        await report(gateway, purge, owner, 1)
    await report(gateway, purge, OWNERS[0], 2, last=True)
    for owner in OWNERS[1:]:
        running = await get_purge(gateway.ports, gateway.call(), purge.purge_id)
        assert PurgeState.RUNNING is running.state
        await report(gateway, purge, owner, 2)
    done = await get_purge(gateway.ports, gateway.call(), purge.purge_id)

    assert (PurgeState.DONE, gateway.clock.now()) == (done.state, done.finished_time)
    assert {owner: 2 if owner == OWNERS[0] else 4 for owner in OWNERS} == {
        one.owner: one.counts[0].count for one in done.progress
    }


async def test_a_purge_that_covers_no_page_is_done_at_once(gateway: GatewayWorld) -> None:
    """There is no batch that anybody could report."""
    purge = await accepted(gateway)
    await report(gateway, purge, OWNERS[0], 0, last=True)

    assert PurgeState.DONE is (await gateway.ports.purges.get(purge.purge_id)).state  # type: ignore[union-attr]


async def test_a_silent_purge_begins_anew(gateway: GatewayWorld) -> None:
    """Reports of the first attempt count no more: its batches may have been others."""
    purge = await accepted(gateway)
    await sent(gateway)
    await repair_purges(gateway.ports)
    assert [] == await sent(gateway)
    gateway.clock.advance(SILENT.total_seconds() + 1)
    await repair_purges(gateway.ports)
    (again,) = await sent(gateway)

    assert isinstance(again, PurgePages)
    assert (purge.purge_id, 2, purge.before_time) == (
        again.purge_id, again.attempt, again.before_time
    )  # fmt: skip
    await report(gateway, purge, OWNERS[0], 0, last=True)
    assert PurgeState.RUNNING is (await gateway.ports.purges.get(purge.purge_id)).state  # type: ignore[union-attr]


async def test_what_is_being_purged_is_shown_no_more(gateway: GatewayWorld) -> None:
    """From the mark on, whatever the owners have done; what was fetched since is shown."""
    now = gateway.clock.now()
    page = KnownPage(page_id=PAGE, canonical_url=URL, last_fetch_time=now - timedelta(hours=1))
    await check_unpurged(gateway.ports, page)
    purge = await accepted(gateway)

    with pytest.raises(NotFound):
        await check_unpurged(gateway.ports, page)
    other = KnownPage(page_id=PAGE, canonical_url="https://docs.example.org/boat")
    await check_unpurged(gateway.ports, other)
    fresh = KnownPage(page_id=PAGE, canonical_url=URL, last_fetch_time=now + timedelta(hours=1))
    await check_unpurged(gateway.ports, fresh)
    await report(gateway, purge, OWNERS[0], 0, last=True)
    await check_unpurged(gateway.ports, page)


async def test_what_a_question_had_read_before_a_purge_ended_is_covered(
    gateway: GatewayWorld,
) -> None:
    """For as long as a question may take; then nothing of it is on its way any more."""
    purge = await accepted(gateway)
    for owner in OWNERS:
        await report(gateway, purge, owner, 0, last=True)
    ended = await standing_purges(gateway.ports)
    gateway.clock.advance(301.0)

    assert [purge.purge_id] == [one.purge_id for one in ended]
    assert () == await gateway.ports.purges.under_way()
    assert () == await standing_purges(gateway.ports)


async def test_purges_are_listed_newest_first(gateway: GatewayWorld) -> None:
    """The record of a purge stays when it is done."""
    first = await accepted(gateway)
    gateway.clock.advance(1.0)
    second = await accepted(gateway)
    listed, token = await list_purges(gateway.ports, gateway.call(), page_size=10, page_token="")

    assert ([second.purge_id, first.purge_id], "") == ([one.purge_id for one in listed], token)
    with pytest.raises(NotFound):
        await get_purge(gateway.ports, gateway.call(), PurgeId("nobody"))
