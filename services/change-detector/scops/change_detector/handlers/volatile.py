"""Volatile blocks of pages: lists them, lets a person have one be news, tells what has settled."""

from collections.abc import Mapping

from scops.change_detector import metrics
from scops.change_detector.manifests.bodies import load_version
from scops.change_detector.manifests.shown import SaidBlocks, said_by_keys
from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.timeline.records import RememberedPage, SettledNews
from scops.change_detector.volatile.memory import (
    PageLook,
    calm_after,
    is_volatile,
    made_loud,
    settled,
)
from scops.common.contract.errors import BlobMissing, NotFound, TransientError
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import (
    BlockMemory,
    VolatileBlock,
    VolatileRequest,
    VolatileResponse,
)
from scops.common.observe.log import get_logger
from scops.common.processes.tasks import TaskFailed

log = get_logger(__name__)

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


async def settle(ports: ChangeDetectorPorts) -> int:
    """Notes as news what was silent and has come to stay; returns on how many pages."""
    due = await ports.memories.due(limit=PAGES_SETTLED_MAX)
    for page_id in due:
        if await _settle_page(page_id, ports):
            metrics.SETTLED.inc()
    return len(due)


async def _settle_page(page_id: PageId, ports: ChangeDetectorPorts) -> bool:
    found = await ports.memories.read(page_id)
    history = await ports.histories.history(page_id, limit=1)
    if history is None or not history.versions:
        return False
    now, run = ports.clock.now(), history.versions[0].order_key.observed_from
    memory = settled(found.memory, PageLook(found.look, now), run=run)
    # Of a page that is gone, this has been told.
    news = None
    if history.closed_time is None and found.memory.told_from_time is not None:
        news = SettledNews(observed_from=run, since=found.memory.told_from_time, recorded_time=now)
    return await ports.memories.replace(page_id, memory, look=found.look, news=news)


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
        if _name(block) == request.block:
            return block
    raise NotFound(
        f"Page {request.page_id} has no volatile block {request.block[:100]!r}; "
        "`scops page volatile` lists them.",
        reason="BLOCK_NOT_FOUND",
        page_id=request.page_id,
    )


def _name(block: BlockMemory) -> str:
    return f"{block.key:016x}"


def _shown(block: BlockMemory, look: int, texts: Mapping[int, str]) -> VolatileBlock:
    return VolatileBlock(
        block=_name(block),
        kind=block.kind,
        text=texts.get(block.key, ""),
        flips=block.flips,
        flipped_time=block.flipped_time,
        loud=block.loud,
        untold=block.untold,
        looks_left=max(calm_after(block) - (look - block.look), 0),
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
