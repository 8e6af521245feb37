"""Chunks standing versions anew: a revision with its own manifest, and no news of the page.

Pages are asked for by scope and worked off one by one; a page that is worked off again, because
its verdict may not have left, finds its answer recorded and gives the same verdict.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from scops.change_detector import metrics
from scops.change_detector.handlers.observations import record
from scops.change_detector.manifests.bodies import load_head
from scops.change_detector.manifests.manifest import content_of
from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.templates.blocks import host_of
from scops.change_detector.timeline.algebra import INSTANT_STEP, IncomingObservation
from scops.change_detector.timeline.records import PageAddress
from scops.change_detector.timeline.runs import ObservationKind
from scops.change_detector.timeline.verdicts import VerdictEvent, verdict_event
from scops.common.contract import ids
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import FetchId
from scops.common.contract.messages.change import RechunkRequest, RechunkResponse
from scops.common.contract.messages.crawl import PageUnmodified
from scops.common.observe.log import get_logger
from scops.common.processes.tasks import TaskFailed
from scops.common.scope.contexts import holds

log = get_logger(__name__)
PAGES_ASKED_MAX = 50_000
BATCH = 20

Publish = Callable[[VerdictEvent, PageAddress], Awaitable[None]]


async def answer_rechunk(request: RechunkRequest, ports: ChangeDetectorPorts) -> RechunkResponse:
    """Asks for the pages of a scope whose standing version another chunker, embedder or mask made.

    Raises:
        InvalidInput: the limit is negative.
        NotYetKnown: the scope's revision has not arrived yet.
    """
    if request.limit < 0:
        raise InvalidInput(f"The limit is {request.limit}; give 0 or a positive number.")
    scope = ports.scopes.get(request.scope)
    limit = min(request.limit or PAGES_ASKED_MAX, PAGES_ASKED_MAX)
    chunking = (await ports.chunker()).chunking
    candidates = await ports.rechunks.outdated(
        scope.organisation_id, chunking, limit=PAGES_ASKED_MAX + 1
    )
    inside = [
        page
        for page in candidates[:PAGES_ASKED_MAX]
        if holds(scope, page.canonical_url, page.access_context)
    ]
    if not request.dry_run:
        await ports.rechunks.ask([page.page_id for page in inside[:limit]])
    return RechunkResponse(
        outdated=len(inside),
        asked=0 if request.dry_run else len(inside[:limit]),
        waiting=await ports.rechunks.waiting(),
        truncated=len(candidates) > PAGES_ASKED_MAX or len(inside) > limit,
    )


async def rechunk_asked(ports: ChangeDetectorPorts, publish: Publish) -> int:
    """Works off some of the pages that were asked for; returns how many."""
    asked = await ports.rechunks.next(limit=BATCH)
    for address in asked:
        try:
            verdicts = await rechunk_page(address, ports)
        except TaskFailed as error:
            # Its standing version stays as it is, and the others get their turn.
            log.warning("page_not_rechunked", page_id=address.page_id, reason=error.reason)
            verdicts = ()
        for verdict in verdicts:
            await publish(verdict, address)
        await ports.rechunks.done(address.page_id)
    return len(asked)


async def rechunk_page(address: PageAddress, ports: ChangeDetectorPorts) -> Sequence[VerdictEvent]:
    """Gives a page's standing version a revision by the chunker at hand.

    Returns:
        The verdict with the page's target state; none where the page is gone.

    Raises:
        BlobMissing: the archive lacks the text of the version.
        TransientError: the page kept changing, or a store does not answer.
    """
    newest = await ports.rechunks.newest_observation(address.page_id)
    version = await ports.histories.newest(address.page_id)
    if newest is None or newest.kind is not ObservationKind.TEXT or version is None:
        return ()
    if version.dropped_time is not None:
        return ()
    chunking = (await ports.chunker()).chunking
    mask = await ports.templates.mask(address.organisation_id, host_of(address.canonical_url))
    fetch_id = FetchId(
        ids.derived_id("rechunk", version.version_id, chunking, f"epoch {mask.epoch}")
    )
    manifest = await load_head(ports.archive, version.manifest)
    # The text as the newest version reads it, seen once more right after it was last seen.
    observation = replace(
        newest,
        fetch_id=fetch_id,
        observed_time=newest.observed_time + INSTANT_STEP,
        text_digest=manifest.text.digest,
        pipeline_version=manifest.pipeline_version,
    )
    incoming = IncomingObservation(
        page_id=address.page_id,
        observation=observation,
        organisation_id=address.organisation_id,
        chunking=chunking,
        reextracted=True,
        canonical_url=address.canonical_url,
        template_epoch=mask.epoch,
        patient=True,
    )
    recorded = await record(incoming, content_of(manifest), ports)
    if recorded is None:
        return ()
    event = PageUnmodified(
        page_id=address.page_id,
        fetch_id=fetch_id,
        confirmed_fetch_id=newest.fetch_id,
        observed_time=observation.observed_time,
        access_context=address.access_context,
        canonical_url=address.canonical_url,
    )
    verdicts = (verdict_event(event, recorded),)
    metrics.count_verdicts(verdicts)
    return verdicts
