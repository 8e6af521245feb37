"""Builds the index anew beside the one that serves, and lets it take over.

Archive, rows and vector cache are the truth; the store is made of them. Vectors that the cache has
let go are those of the generation that serves, where its embedder is ours. A pass over all pages
fills the new generation, further passes bring in what was indexed meanwhile until one finds
nothing to do: that pass is the proof that the generation is complete. Then the names are switched,
and a last pass on what serves now brings in what was written to the old one until that moment.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

from scops.common.contract.errors import PermanentError, TransientError
from scops.common.observe.log import get_logger
from scops.indexer.upkeep.held_vectors import HeldVectors
from scops.indexer.upkeep.inventory import MaintenanceTools
from scops.indexer.upkeep.reconcile import ReconcileReport, reconcile
from scops.libraries.index.upkeep import Generations, MaintainedStore

PASSES_MAX = 6
# Clocks of several indexers differ; what was applied this long before the switch is looked at.
SWITCH_MARGIN = timedelta(minutes=5)
log = get_logger("indexer")


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuildReport:
    """What a rebuild made.

    Attributes:
        generation: the name of what serves now.
        objects, history: live and historical objects in it.
        passes: over all pages, before the switch.
        caught_up: faults that were mended after the switch.
        unrestorable: chunks that it lacks because the archive does; the log names their pages.
        dropped: names of old generations that were deleted.
    """

    generation: str
    objects: int
    history: int
    passes: int
    caught_up: int
    unrestorable: int
    dropped: tuple[str, ...]


async def rebuild(
    tools: MaintenanceTools,
    generations: Generations,
    *,
    drop_old: bool = False,
    accept_loss: bool = False,
) -> RebuildReport:
    """Builds a generation for our embedder, verifies it and switches to it.

    It may be given up and started again at any time: an unfinished generation is gone on with.

    Args:
        tools: with the store that will serve after the switch, opened or not.
        drop_old: delete every other generation at the end, those of other embedders included.
        accept_loss: switch although the archive lacks what some chunks are made of.

    Raises:
        TransientError: more arrives than a pass can follow.
        PermanentError: the archive lacks what some chunks are made of; nothing was switched.
        StoreUnavailable: the store, the database or the archive does not answer.
    """
    building = await generations.create()
    held = HeldVectors(tools.store)
    passes, unrestorable = await _fill(replace(tools, store=building, held=held))
    if unrestorable and not accept_loss:
        raise PermanentError(
            f"The archive lacks what {unrestorable} chunks are made of; the log names their pages "
            "(version_not_restorable). Crawl them again, put the archive back, or run `scops "
            "rebuild --accept-loss`; until then the old generation serves.",
            reason="REBUILD_INCOMPLETE",
        )
    switched = tools.ports.clock.now()
    name = await generations.switch()
    log.info("index_generation_switched", generation=name, passes=passes)
    after = await reconcile(tools)
    late = await reconcile(tools, since=switched - SWITCH_MARGIN)
    dropped = await generations.drop_old() if drop_old else ()
    objects, history = await tools.store.count()
    return RebuildReport(
        generation=name,
        objects=objects,
        history=history,
        passes=passes,
        caught_up=after.mended + late.mended,
        unrestorable=unrestorable,
        dropped=tuple(dropped),
    )


async def _fill(tools: MaintenanceTools) -> tuple[int, int]:
    """Fills a generation until a pass finds nothing that can be mended.

    Returns:
        The passes, and the faults that remain because the archive lacks what would mend them.
    """
    last = ReconcileReport()
    for number in range(1, PASSES_MAX + 1):
        last = await reconcile(tools, serving=False, filling=number == 1)
        log.info("index_pass_ended", number=number, faults=last.faults, mended=last.mended)
        if last.faults <= last.unrestorable:
            await _check_counts(tools.store, last)
            return number, last.unrestorable
    raise TransientError(
        f"After {PASSES_MAX} passes the new generation of the index still differed from the rows "
        f"in {last.faults} places, {last.left} of which could not be mended, {last.unrestorable} "
        "for good. It goes on where it stopped: run it again when fewer pages are being crawled.",
        reason="REBUILD_INCOMPLETE",
    )


async def _check_counts(store: MaintainedStore, seen: ReconcileReport) -> None:
    """Logs where the store counts otherwise than the rows: pages may have moved meanwhile."""
    live, history = await store.count()
    if (live, history) != (seen.chunks, seen.history):
        log.warning(
            "index_counts_differ",
            objects=live,
            rows=seen.chunks,
            history=history,
            history_rows=seen.history,
        )
