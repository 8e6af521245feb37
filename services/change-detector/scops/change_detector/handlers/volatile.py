"""Volatile blocks of pages: lists them, lets a person have one be news, tells what has settled."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

from scops.change_detector import metrics
from scops.change_detector.handlers.what_changed import counted_change
from scops.change_detector.manifests.bodies import load_version
from scops.change_detector.manifests.shown import SaidBlocks, said_by_keys
from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.reading.news import PageBetween
from scops.change_detector.timeline.records import (
    HistoricVersion,
    PageAddress,
    RememberedPage,
    SettledNews,
)
from scops.change_detector.volatile.memory import (
    PageLook,
    block_name,
    calm_after,
    is_volatile,
    made_loud,
    settled,
    settling_since,
)
from scops.common.contract.errors import BlobMissing, NotFound, TransientError
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import (
    BlockMemory,
    ChangeRule,
    ChangeSettled,
    PageMemory,
    VolatileBlock,
    VolatileRequest,
    VolatileResponse,
)
from scops.common.observe.log import get_logger
from scops.common.processes.tasks import TaskFailed

log = get_logger(__name__)
Tell = Callable[[ChangeSettled, PageAddress], Awaitable[None]]

BLOCKS_SHOWN_MAX = 100
# Flips of a text that came and went.
ONCE = 2
# Versions whose texts tell what a block says: what alternates stands in one of them.
VERSIONS_READ = 2
PAGES_SETTLED_MAX = 100
# Attempts to remember something while others change the same page.
ATTEMPTS_MAX = 8


async def answer_volatile(request: VolatileRequest, ports: ChangeDetectorPorts) -> VolatileResponse:
    """Returns the volatile blocks of a page, after what is asked for of one of them.

    Raises:
        NotFound: the page has no such block.
        TransientError: the page kept changing.
    """
    if request.block:
        await _say(request, ports)
    found = await ports.memories.read(request.page_id)
    look = PageLook(found.look, ports.clock.now())
    blocks = [one for one in found.memory.blocks if one.loud or is_volatile(one, look)]
    if not blocks:
        return VolatileResponse()
    blocks.sort(key=lambda one: (one.flipped_time, one.key), reverse=True)
    said = await _said(request.page_id, ports)
    # A text that came once and went is no more than the history of a change.
    telling = [one for one in blocks if one.loud or one.flips > ONCE or one.key in said.standing]
    return VolatileResponse(
        blocks=tuple(_shown(one, found.look, said.texts) for one in telling[:BLOCKS_SHOWN_MAX])
    )


async def settle(ports: ChangeDetectorPorts, tell: Tell) -> int:
    """Notes as news what was silent and has come to stay; returns on how many pages."""
    due = await ports.memories.due(limit=PAGES_SETTLED_MAX)
    for address in due:
        if await _settle_page(address, ports, tell):
            metrics.SETTLED.inc()
    return len(due)


async def _settle_page(address: PageAddress, ports: ChangeDetectorPorts, tell: Tell) -> bool:
    found = await ports.memories.read(address.page_id)
    history = await ports.histories.history(address.page_id, limit=1)
    if history is None or not history.versions:
        return False
    now, newest = ports.clock.now(), history.versions[0]
    look, run = PageLook(found.look, now), newest.order_key.observed_from
    memory, since = settled(found.memory, look, run=run), found.memory.told_from_time
    # Of a page that is gone, this has been told.
    news = None
    if history.closed_time is None and since is not None:
        news = SettledNews(observed_from=run, since=since, recorded_time=now)
        brought = await _brought(found.memory, look, address, ports)
        if brought is not None and await _counts(address, newest, since, memory, ports):
            await tell(brought, address)
    return await ports.memories.replace(address.page_id, memory, look=found.look, news=news)


async def _brought(
    memory: PageMemory, look: PageLook, address: PageAddress, ports: ChangeDetectorPorts
) -> ChangeSettled | None:
    """Returns which look brought what has come to stay; None where it counts as a change."""
    came = settling_since(memory, look)
    if came is None:
        return None
    version = await ports.histories.standing(address.page_id, at=came)
    if version is None or version.summary.semantic:
        return None
    return ChangeSettled(
        page_id=address.page_id, change_time=came, changed_after_time=version.changed_after
    )


async def _counts(
    address: PageAddress,
    newest: HistoricVersion,
    since: datetime,
    memory: PageMemory,
    ports: ChangeDetectorPorts,
) -> bool:
    """Returns whether what has come to stay is a change of meaning to who knows a run."""
    page = PageBetween(
        page_id=address.page_id,
        organisation_id=address.organisation_id,
        canonical_url=address.canonical_url,
        access_context=address.access_context,
        then=await ports.histories.standing(address.page_id, at=since),
        now=newest,
        closed_time=None,
    )
    if page.then is None or page.returned:
        return False
    try:
        return await counted_change(page, ChangeRule(), ports, settled=memory) is not None
    except BlobMissing:
        # Its text is gone meanwhile: nobody can tell any more.
        return False


async def _say(request: VolatileRequest, ports: ChangeDetectorPorts) -> None:
    for _ in range(ATTEMPTS_MAX):
        found = await ports.memories.read(request.page_id)
        block = _named(request, found)
        memory = made_loud(found.memory, block.key, loud=request.loud)
        if await ports.memories.replace(request.page_id, memory, look=found.look):
            return
    raise TransientError(
        f"Making block {request.block} loud or not: page {request.page_id} changed in each of "
        f"{ATTEMPTS_MAX} attempts. Try again.",
        reason="PAGE_CONTENDED",
    )


def _named(request: VolatileRequest, found: RememberedPage) -> BlockMemory:
    for block in found.memory.blocks:
        if block_name(block) == request.block:
            return block
    raise NotFound(
        f"Page {request.page_id} has no volatile block {request.block[:100]!r}; "
        "`scops page volatile` lists them.",
        reason="BLOCK_NOT_FOUND",
        page_id=request.page_id,
    )


def _shown(block: BlockMemory, look: int, texts: Mapping[int, str]) -> VolatileBlock:
    return VolatileBlock(
        block=block_name(block),
        kind=block.kind,
        text=texts.get(block.key, ""),
        flips=block.flips,
        flipped_time=block.flipped_time,
        loud=block.loud,
        untold=block.untold,
        looks_left=max(calm_after(block) - (look - block.look), 0),
        volatile_time=block.volatile_time,
    )


async def _said(page_id: PageId, ports: ChangeDetectorPorts) -> SaidBlocks:
    """Returns what the blocks of the newest versions say."""
    history = await ports.histories.history(page_id, limit=VERSIONS_READ)
    kept = [one for one in history.versions if one.dropped_time is None] if history else []
    try:
        bodies = [(await load_version(ports.archive, one.manifest)).body for one in kept]
        characters = sum(body.characters for body in bodies)
        return await ports.compute(said_by_keys, bodies, characters=characters)
    except (BlobMissing, TaskFailed) as error:
        # The blocks are listed without their words.
        log.warning("blocks_not_read", page_id=page_id, reason=error.reason)
        return SaidBlocks()
